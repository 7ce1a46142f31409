package journal_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/google/go-cmp/cmp"
)

// indented writes a JSON text over many lines.
func indented(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(text), "", "  "); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestArray: a log that is a JSON array of its records is read as its lines would be,
// however it is laid out, and so is what is whole of one that is torn.
func TestArray(t *testing.T) {
	a, b, c := user("a", "", "one"), user("b", "a", "t]w,o}"), user("c", "b", "three")
	array := "[" + strings.Join([]string{header, a, b, c}, ",") + "]"
	for _, test := range []struct {
		name, data string
		want       string
		bad        []string // kind:line:lines:recovered
	}{
		{"one line", array + "\n", "a b c", []string{"array:1:1:4"}},
		{"without a newline", array, "a b c", []string{"array:1:1:4"}},
		{"blanks", "\ufeff [ " + strings.ReplaceAll(array[1:], "},{", "} , {"), "a b c", []string{"array:1:1:4"}},
		{"many lines", indented(t, array) + "\n", "a b c",
			[]string{"array:1:1:0", "split:2:7:1", "split:9:11:1", "split:20:11:1", "split:31:11:1", "array:42:1:0"}},
		{"many lines that end in CR LF", strings.ReplaceAll(indented(t, array), "\n", "\r\n"), "a b c",
			[]string{"array:1:1:0", "split:2:7:1", "split:9:11:1", "split:20:11:1", "split:31:11:1", "array:42:1:0"}},
		{"a line for each", strings.ReplaceAll(array, "},{", "},\n{"), "a b c", []string{"array:1:1:1", "array:2:1:1", "array:3:1:1", "array:4:1:1"}},
		{"a line for each and the brackets", "[\n" + header + ",\n" + a + ",\n" + b + "\n]\n", "a b", []string{"array:1:1:0", "array:2:1:1", "array:3:1:1", "array:5:1:0"}},
		{"commas in front", "[" + header + "\n," + a + "\n," + b + "\n]\n", "a b", []string{"array:1:1:1", "array:2:1:1", "array:3:1:1", "array:4:1:0"}},
		{"no entries", "[" + header + "]", "", []string{"array:1:1:1"}},
		{"torn", array[:len(array)-30], "a b", []string{"array:1:1:3"}},
		{"torn before the bracket", strings.TrimSuffix(array, "]"), "a b c", []string{"array:1:1:4"}},
		{"torn over many lines", indented(t, "["+header+","+a+"]")[:len(header)+140], "",
			[]string{"array:1:1:0", "split:2:7:1", "torn:9:1:0", "syntax:10:1:0", "syntax:11:1:0", "syntax:12:1:0", "syntax:13:1:0"}},
		{"damaged in its middle", strings.Replace(array, `"parentId":"a"`, `"parentId:"a"`, 1), "a c", []string{"array:1:1:3"}},
		{"a line added", array + "\n" + user("d", "c", "four") + "\n", "a b c d", []string{"array:1:1:4"}},
		{"a line of another log", header + "\n[" + a + "," + b + "]\n" + c + "\n", "a b c", []string{"array:2:1:2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := open(t, file(t, test.data), false)
			if diff := cmp.Diff(strings.Fields(test.want), ids(t, j), cmpNil); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
			var bad []string
			d := j.Damage()
			for _, b := range d.Bad {
				bad = append(bad, fmt.Sprintf("%s:%d:%d:%d", b.Kind, b.Line, b.Lines, b.Recovered))
			}
			if diff := cmp.Diff(test.bad, bad); diff != "" {
				t.Errorf("damage (-want +got):\n%s\n%+v", diff, d.Bad)
			}
			if h := j.Header(); j.Found() != journal.Valid || h.ID != "s" {
				t.Errorf("found %v, header %+v", j.Found(), h)
			}
			if want := !strings.HasPrefix(test.data, "{"); d.Array != want {
				t.Errorf("an array: %v", d.Array)
			}
		})
	}
}

var cmpNil = cmp.Transformer("nil", func(s []string) string { return strings.Join(s, " ") })

// TestLongArray: a log of many megabytes that is an array is read in one go, in one line
// or many, by those too who hold no long lines.
func TestLongArray(t *testing.T) {
	var records []string
	for i := range 3000 {
		records = append(records, user(fmt.Sprint("m", i), "", strings.Repeat("x", 1000)))
	}
	for _, sep := range []string{",", ",\n", "\n,\n"} {
		data := "[" + sep[1:] + header + sep + strings.Join(records, sep) + sep[1:] + "]"
		j := open(t, file(t, data), false)
		if d := j.Damage(); j.List().Len() != len(records) || !d.Array {
			t.Errorf("parted by %q: %d entries, %v", sep, j.List().Len(), d)
		}
		n := 0
		p := journal.Pass{Scanner: entry.NewScanner(nil, nil), Entry: func(*entry.Envelope, []byte, entry.At) { n++ }, MaxLine: 1 << 20}
		g, err := p.Read(t.Context(), bytes.NewReader([]byte(data)), int64(len(data)))
		if err != nil || g.Found != journal.Valid || n != len(records) {
			t.Errorf("parted by %q: a pass finds %v and %d entries, %v", sep, g.Found, n, err)
		}
	}
}
