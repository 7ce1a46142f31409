package jsonl_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonl"
)

// deep reports whether line may be nested deeper than encoding/json follows.
func deep(line []byte) bool {
	return bytes.Count(line, []byte("{"))+bytes.Count(line, []byte("[")) > 9000
}

func FuzzScan(f *testing.F) {
	for _, edge := range edges {
		f.Add([]byte(edge.text))
	}
	f.Add([]byte(first + second))
	q := jsonl.Query{Keys: []string{"a", "type", "message"}, Inside: 2, Inner: []string{"role"}}
	f.Fuzz(func(t *testing.T, line []byte) {
		if deep(line) {
			return
		}
		found := make([]jsonl.Span, 4)
		err := q.Scan(line, found)
		want := bad
		if json.Valid(line) {
			if want = other; firstByte(line) == '{' {
				want = object
			}
		}
		if got := classOf(err); got != want {
			t.Fatalf("Scan(%q) = %v, want class %d", line, err, want)
		}
		if (jsonl.Valid(line) == nil) != (want != bad) {
			t.Fatalf("Valid(%q) disagrees with Scan", line)
		}
		checkFound(t, line, found, want == object)
	})
}

// checkFound compares what Scan found with what encoding/json does: both keep
// the last of several members of one name.
func checkFound(t *testing.T, line []byte, found []jsonl.Span, object bool) {
	outer := map[string]json.RawMessage{}
	inner := map[string]json.RawMessage{}
	if object {
		if err := json.Unmarshal(line, &outer); err != nil {
			t.Fatal(err)
		}
		if m := outer["message"]; firstByte(m) == '{' {
			if err := json.Unmarshal(m, &inner); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := []json.RawMessage{outer["a"], outer["type"], outer["message"], inner["role"]}
	for i, s := range found {
		if got := s.In(line); !bytes.Equal(got, want[i]) {
			t.Fatalf("Scan(%q) found %q, want %q", line, got, want[i])
		}
	}
}

func FuzzMachine(f *testing.F) {
	for _, edge := range edges {
		f.Add([]byte(edge.text), []byte{1, 5, 2})
	}
	f.Add([]byte(first), []byte{40})
	q := probe()
	f.Fuzz(func(t *testing.T, line, pieces []byte) {
		var cuts []int
		for _, n := range pieces {
			cuts = append(cuts, int(n))
		}
		if diff := compare(q, jsonl.NewMachine(q), line, cuts); diff != "" {
			t.Fatalf("%q in pieces of %v (-scan +machine):\n%s", line, cuts, diff)
		}
	})
}

func FuzzLines(f *testing.F) {
	f.Add("", 1, 1, 1)
	f.Add("a\nbc\r\n\n\x00\n", 2, 3, 2)
	f.Add(strings.Repeat("long", 40)+"\nshort", 16, 100, 3)
	f.Add("\xef\xbb\xbf{}\n\n\n", 3, 1, 7)
	f.Fuzz(func(t *testing.T, file string, window, maxLine, parts int) {
		window, maxLine, parts = 1+abs(window)%100, 1+abs(maxLine)%200, 1+abs(parts)%20
		checkLines(t, file, window, maxLine, parts)
		var joined strings.Builder
		err := jsonl.Lines(strings.NewReader(file), 0, -1, jsonl.Options{Window: window}, func(l jsonl.Line) error {
			joined.Write(l.Bytes)
			if l.LF {
				joined.WriteByte('\n')
			}
			if int64(joined.Len()) != l.End() {
				t.Fatalf("line ends at %d, want %d", l.End(), joined.Len())
			}
			return nil
		})
		if err != nil || joined.String() != file {
			t.Fatalf("lines of %q joined = %q, %v", file, joined.String(), err)
		}
	})
}

func abs(n int) int {
	return max(n, -(n + 1))
}

func FuzzSalvage(f *testing.F) {
	for _, test := range salvages {
		f.Add([]byte(test.line), marker)
	}
	f.Add([]byte(`{"a":[{"a`), `{"a`)
	f.Fuzz(func(t *testing.T, line []byte, marker string) {
		checkSalvage(t, line, marker, jsonl.Salvage(line, marker))
		q := jsonl.Query{Inside: -1}
		whole := q.Scan(line, nil) == nil
		if got := jsonl.Salvage(line, marker); whole && len(got) != 1 {
			t.Fatalf("Salvage of the whole object %q = %v", line, got)
		}
		for _, s := range jsonl.Legible(line, []string{"id", "type", ""}) {
			if s.Present() && (jsonl.Valid(s.In(line)) != nil || line[s.Start] != '"') {
				t.Fatalf("Legible(%q) found %q", line, s.In(line))
			}
		}
		checkJoin(t, line)
	})
}

// checkJoin adds line to a Joiner cut at its LFs: what is whole as it stands
// comes out as it stands.
func checkJoin(t *testing.T, line []byte) {
	var j jsonl.Joiner
	var state jsonl.Joined
	for _, part := range bytes.Split(line, []byte("\n")) {
		if state = j.Add(part); state != jsonl.JoinMore {
			break
		}
	}
	q := jsonl.Query{Inside: -1}
	if state == jsonl.JoinWhole {
		if err := q.Scan(j.Value(), nil); err != nil {
			t.Fatalf("lines of %q joined to %q: %v", line, j.Value(), err)
		}
	}
	whole := bytes.TrimRight(line, " \t\r\n")
	if q.Scan(whole, nil) == nil && bytes.Count(whole, []byte("\n")) < jsonl.MaxJoinLines {
		if got := bytes.TrimRight(j.Value(), " \t\r\n"); !bytes.Equal(got, whole) {
			t.Fatalf("lines of %q joined to %q", whole, got)
		}
	}
}
