package jsonl_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// probe is a query whose names occur in the texts of these tests.
func probe() *jsonl.Query {
	return &jsonl.Query{Keys: []string{"a", "type", "message", "id"}, Inside: 2, Inner: []string{"role", "a"}}
}

// feed gives line to m in pieces whose lengths are taken from cuts in turn.
func feed(m *jsonl.Machine, line []byte, cuts []int) error {
	for i := 0; len(line) > 0; i++ {
		n := len(line)
		if len(cuts) > 0 {
			n = min(n, max(1, cuts[i%len(cuts)]))
		}
		piece := bytes.Clone(line[:n])
		if _, err := m.Write(piece); err != nil {
			return err
		}
		for k := range piece { // the machine must not hold on to it
			piece[k] = '!'
		}
		line = line[n:]
	}
	return m.Close()
}

// compare says how a Machine differs from Scan, "" if it does not.
func compare(q *jsonl.Query, m *jsonl.Machine, line []byte, cuts []int) string {
	found := make([]jsonl.Span, len(q.Keys)+len(q.Inner))
	want := q.Scan(line, found)
	m.Reset()
	if got := message(feed(m, line, cuts)); got != message(want) {
		return cmp.Diff(message(want), got)
	}
	if !slices.Equal(found, m.Spans()) {
		return cmp.Diff(found, m.Spans())
	}
	var values [][]byte
	for _, s := range found {
		v := s.In(line)
		if len(v) > jsonl.MaxKept {
			v = nil
		}
		values = append(values, v)
	}
	if slices.EqualFunc(values, m.Values(), bytes.Equal) {
		return ""
	}
	return cmp.Diff(values, m.Values())
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestMachineEqualsScanOnEdges(t *testing.T) {
	q, m := probe(), jsonl.NewMachine(probe())
	for _, test := range edges {
		for _, cuts := range [][]int{nil, {1}, {2}, {3, 7, 1}, {64}} {
			if diff := compare(q, m, []byte(test.text), cuts); diff != "" {
				t.Errorf("%s in pieces of %v (-scan +machine):\n%s", test.name, cuts, diff)
			}
		}
	}
}

func TestMachineKeepsShortValuesOnly(t *testing.T) {
	long := strings.Repeat("x", jsonl.MaxKept)
	line := []byte(`{"a":"` + long[:jsonl.MaxKept-2] + `","id":"` + long[:jsonl.MaxKept-1] +
		`","message":{"role":"user","x":"` + long + `","a":[1]}}`)
	q, m := probe(), jsonl.NewMachine(probe())
	for _, cuts := range [][]int{nil, {1000}, {1}} {
		if diff := compare(q, m, line, cuts); diff != "" {
			t.Errorf("in pieces of %v (-scan +machine):\n%.500s", cuts, diff)
		}
	}
	got := m.Values()
	if len(got[0]) != jsonl.MaxKept || got[3] != nil || got[2] != nil || string(got[4]) != `"user"` {
		t.Errorf("kept %d, %d, %d bytes and %q", len(got[0]), len(got[3]), len(got[2]), got[4])
	}
}

// values draws JSON text with the names of probe, well formed or nearly so.
func values(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kind := rapid.IntRange(0, 9).Draw(t, "kind")
		if depth <= 0 {
			kind %= 5
		}
		switch kind {
		case 0, 1:
			return rapid.SampledFrom([]string{"0", "-1.5e+3", "12", "true", "false", "null", `""`, `"a"`}).Draw(t, "scalar")
		case 2, 3, 4:
			parts := rapid.SliceOfN(rapid.SampledFrom([]string{"text", " ", `\n`, `\"`, `\\`, `\u00e9`, `\ud83d`, "é", "\xff",
				"a longer part of a string, of more than one word"}), 0, 6).Draw(t, "parts")
			return `"` + strings.Join(parts, "") + `"`
		case 5, 6:
			return "[" + strings.Join(rapid.SliceOfN(values(depth-1), 0, 4).Draw(t, "items"), " ,") + "]"
		}
		var b strings.Builder
		b.WriteString("{")
		for i := range rapid.IntRange(0, 4).Draw(t, "members") {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(rapid.SampledFrom([]string{`"a"`, `"type"`, `"message" `, ` "id"`, `"role"`, `"\u0061"`, `"messag\u0065"`, `"x"`, `""`}).Draw(t, "name"))
			b.WriteString(":" + values(depth-1).Draw(t, "value"))
		}
		return b.String() + "}"
	})
}

func TestMachineEqualsScanHoweverCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := probe()
		line := []byte(values(4).Draw(t, "line"))
		if rapid.Bool().Draw(t, "damaged") && len(line) > 0 {
			at := rapid.IntRange(0, len(line)-1).Draw(t, "at")
			if rapid.Bool().Draw(t, "cut") {
				line = line[:at]
			} else {
				line[at] = rapid.SampledFrom([]byte("{}[],:\"\\0e.-tn\x00\n u\xff")).Draw(t, "byte")
			}
		}
		cuts := rapid.SliceOfN(rapid.IntRange(1, 40), 0, 5).Draw(t, "cuts")
		if diff := compare(q, jsonl.NewMachine(q), line, cuts); diff != "" {
			t.Fatalf("%q in pieces of %v (-scan +machine):\n%s", line, cuts, diff)
		}
	})
}

func TestMachineKeepsItsError(t *testing.T) {
	m := jsonl.NewMachine(nil)
	_, err := m.Write([]byte("[1}"))
	if err == nil {
		t.Fatal("Write of a wrong bracket = nil")
	}
	if n, again := m.Write([]byte("]")); n != 0 || again != err {
		t.Errorf("second Write = %d, %v; want 0, %v", n, again, err)
	}
	if again := m.Close(); again != err {
		t.Errorf("Close = %v, want %v", again, err)
	}
	m.Reset()
	if _, err := m.Write([]byte("[1]")); err != nil || !m.Whole() || m.Close() != nil {
		t.Errorf("after Reset: %v, whole %v", err, m.Whole())
	}
}

func TestScanLong(t *testing.T) {
	long := strings.Repeat("0123456789", 80_000)
	padding := strings.Repeat("\x00", 300_000)
	file := "\xef\xbb\xbf" + padding + ` {"id":"` + long + `","type":"t"}` + padding + "\r\n"
	var line jsonl.Line
	err := jsonl.Lines(strings.NewReader(file), 0, -1, jsonl.Options{MaxLine: 1000, Window: 4096}, func(l jsonl.Line) error {
		line = l
		return nil
	})
	if err != nil || line.Bytes != nil || line.Len != int64(len(file)-1) {
		t.Fatalf("Lines gave %d bytes of a line of %d, want none of %d: %v", len(line.Bytes), line.Len, len(file)-1, err)
	}
	m := jsonl.NewMachine(probe())
	if err := jsonl.ScanLong(strings.NewReader(file), line, m); err != nil {
		t.Fatal(err)
	}
	if got := m.Spans()[3].In([]byte(file)); string(got) != `"`+long+`"` {
		t.Errorf("id is %d bytes, starting %.20q", len(got), got)
	}
	if got := m.Values(); string(got[1]) != `"t"` || got[3] != nil {
		t.Errorf("type is %q, kept %d bytes of the id", got[1], len(got[3]))
	}
	line.Len -= 300_010
	var syntax *jsonl.SyntaxError
	if err := jsonl.ScanLong(strings.NewReader(file), line, m); !errors.As(err, &syntax) || !syntax.Torn() {
		t.Errorf("scan of the torn line: %v", err)
	}
	if err := jsonl.ScanLong(strings.NewReader(file[:5000]), line, m); err == nil || errors.As(err, &syntax) {
		t.Errorf("scan beyond the end of the file: %v", err)
	}
}
