package jsonl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/google/go-cmp/cmp"
)

const marker = `{"type":`

const (
	first  = `{"type":"message","id":"a","message":{"role":"user","content":[{"type":"text","text":"say {\"type\":1}"}]}}`
	second = `{"type":"label","id":"b","parentId":"a","label":null}`
)

var salvages = []struct {
	name string
	line string
	want []string
}{
	{"whole", first, []string{first}},
	{"two glued", first + second, []string{first, second}},
	{"three glued with blanks", first + " " + second + "\t\x00\x00" + first + "\r", []string{first, second, first}},
	{"glued without the marker", `{"a":1}{"b":2}`, []string{`{"a":1}`, `{"b":2}`}},
	{"junk after", first + " junk", []string{first}},
	{"comma after", first + ",", []string{first}},
	{"junk before", "junk" + first, []string{first}},
	{"junk between", first + "??" + second, []string{first, second}},
	{"junk before, no marker", `junk{"a":1}`, nil},
	{"NUL before", "\x00\x00\x00" + first, []string{first}},
	{"NUL between", first + strings.Repeat("\x00", 100) + second, []string{first, second}},
	{"torn only", first[:60], nil},
	{"whole and torn", second + first[:70], []string{second}},
	{"torn in a name", first[:3] + second, []string{second}},
	{"torn after a name", `{"type"` + second, []string{second}},
	{"torn after a colon", `{"type":"message","id":` + second, []string{second}},
	{"torn after a comma", `{"type":"message","id":"a",` + second, []string{second}},
	{"torn in a string", `{"type":"message","id":"a` + second, []string{second}},
	{"torn after a backslash", `{"type":"message","id":"a\` + second, []string{second}},
	{"torn in a unicode escape", `{"type":"message","id":"a\u00` + second, []string{second}},
	{"torn in a number", `{"type":"message","n":-` + second, []string{second}},
	{"torn in a literal", `{"type":"message","n":tr` + second, []string{second}},
	{"torn in an array", `{"type":"m","content":[` + second, []string{second}},
	{"torn after a part", `{"type":"m","content":[{"type":"text","text":"x"},` + second, []string{second}},
	{"torn in a later part", `{"type":"m","content":[{"type":"text","text":"x"},{"type":"te` + second, []string{second}},
	{"torn in an array, two after", `{"type":"m","content":[` + second + first, []string{second, first}},
	{"torn in an array, torn after", `{"type":"m","content":[` + second + first[:30], []string{second}},
	{"three torn", first[:20] + first[:50] + first[:70] + second, []string{second}},
	{"three torn in arrays", strings.Repeat(`{"type":"m","content":[`, 3) + second, []string{second}},
	{"torn within the part, nothing whole", `{"type":"m","content":[{"type":"text","text":"x"},{"type":"te`, nil},
	{"hole in a string", `{"type":"m","x":"` + "\x00\x00" + `","content":[{"type":"text","text":"x"}]}`, nil},
	{"hole, then whole", `{"type":"m","x":"` + "\x00\x00" + second, []string{second}},
	{"scalar", `12`, nil},
	{"empty", ``, nil},
	{"brackets", `}}]]{{[[`, nil},
}

func TestSalvage(t *testing.T) {
	for _, test := range salvages {
		t.Run(test.name, func(t *testing.T) {
			got := jsonl.Salvage([]byte(test.line), marker)
			if diff := cmp.Diff(test.want, texts(got, test.line)); diff != "" {
				t.Errorf("Salvage(%q) (-want +got):\n%s", test.line, diff)
			}
			checkSalvage(t, []byte(test.line), marker, got)
		})
	}
}

// TestSalvageEveryTear glues a whole object to every beginning of another. The
// whole one must be found and nothing else; only a part with the marker right
// before it cannot be told from a record.
func TestSalvageEveryTear(t *testing.T) {
	const part = `{"type":"text","text":"say {\"type\":1}"}`
	for cut := range len(first) {
		line := first[:cut] + second
		want := []string{second}
		if strings.HasSuffix(first[:cut], part) {
			want = []string{part, second}
		}
		got := jsonl.Salvage([]byte(line), marker)
		if diff := cmp.Diff(want, texts(got, line)); diff != "" {
			t.Errorf("torn after %q (-want +got):\n%s", first[:cut], diff)
		}
	}
}

// checkSalvage states what holds of every answer.
func checkSalvage(t fataler, line []byte, marker string, spans []jsonl.Span) {
	end := 0
	for _, s := range spans {
		if s.Start < end || s.End <= s.Start || s.End > len(line) {
			t.Fatalf("Salvage(%q, %q) = %v", line, marker, spans)
		}
		end = s.End
		q := jsonl.Query{Inside: -1}
		if err := q.Scan(s.In(line), nil); err != nil {
			t.Fatalf("Salvage(%q, %q): %q: %v", line, marker, s.In(line), err)
		}
	}
}

// TestSalvageTakesLinearTime would not end in time if each of the nested
// beginnings were scanned on its own.
func TestSalvageTakesLinearTime(t *testing.T) {
	for _, line := range []string{
		strings.Repeat(marker, 1<<18),
		strings.Repeat(marker+`"`, 1<<18),
		strings.Repeat(marker+`[`, 1<<18),
		strings.Repeat(marker+`1},`, 1<<18),
		"x" + strings.Repeat(marker+`[{"type":{}},`, 1<<17),
	} {
		jsonl.Salvage([]byte(line), marker)
	}
}

func TestLegible(t *testing.T) {
	keys := []string{"id", "parentId"}
	tests := []struct {
		name string
		line string
		want []string
	}{
		{"torn late", `{"type":"message","id":"a","parentId":"b","message":{"role":"us`, []string{`"a"`, `"b"`}},
		{"torn in the value", `{"type":"message","id":"a","parentId":"b`, []string{`"a"`, ""}},
		{"null", `{"type":"message","id":"a","parentId":null,"message":{"parentId":"x`, []string{`"a"`, ""}},
		{"not those within", `{"type":"m","x":{"id":"no"},"id":"a","y":[{"id":"no"}],"z`, []string{`"a"`, ""}},
		{"first of two", `{"id":"a","id":"b","x`, []string{`"a"`, ""}},
		{"number", `{"id":1,"parentId":"b","x`, []string{"", `"b"`}},
		{"after a hole", "{\"type\":\"m\x00\x00\",\"id\":\"a\", \"parentId\" : \"b\"}", []string{`"a"`, `"b"`}},
		{"beginning gone", `ge","id":"a","parentId":"b","message":{"role":"user"}}`, []string{`"a"`, `"b"`}},
		{"escaped in a string", "\x00\"text\":\"{\\\"id\\\":\\\"no\\\"}\"", []string{"", ""}},
		{"escapes in the value", `{"id":"\u0061","parentId`, []string{`"\u0061"`, ""}},
		{"empty object", `{}`, []string{"", ""}},
		{"only a bracket", `{`, []string{"", ""}},
		{"empty", ``, []string{"", ""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := jsonl.Legible([]byte(test.line), keys)
			if diff := cmp.Diff(test.want, texts(got, test.line)); diff != "" {
				t.Errorf("Legible(%q) (-want +got):\n%s", test.line, diff)
			}
		})
	}
}

func TestJoiner(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  []jsonl.Joined
		value string
	}{
		{"pretty-printed", []string{`{`, `  "a": [`, `    1`, `  ],`, `  "b": {}`, `}`},
			[]jsonl.Joined{jsonl.JoinMore, jsonl.JoinMore, jsonl.JoinMore, jsonl.JoinMore, jsonl.JoinMore, jsonl.JoinWhole},
			"{\n  \"a\": [\n    1\n  ],\n  \"b\": {}\n}"},
		{"bare line ends in a string", []string{`{"a":"one`, ``, `three"}`},
			[]jsonl.Joined{jsonl.JoinMore, jsonl.JoinMore, jsonl.JoinWhole}, `{"a":"one\n\nthree"}`},
		{"the same with CR", []string{"{\"a\":\"one\r", "two\"}\r"},
			[]jsonl.Joined{jsonl.JoinMore, jsonl.JoinWhole}, "{\"a\":\"one\\r\\ntwo\"}\r"},
		{"torn, then a whole one", []string{`{"a":"one`, `{"b":2}`},
			[]jsonl.Joined{jsonl.JoinMore, jsonl.JoinNever}, ""},
		{"broken after a backslash", []string{`{"a":"one\`, `n"}`},
			[]jsonl.Joined{jsonl.JoinMore, jsonl.JoinWhole}, `{"a":"one\n"}`},
		{"torn after a backslash", []string{`{"a":"one\`, `{"b":2}`},
			[]jsonl.Joined{jsonl.JoinMore, jsonl.JoinNever}, ""},
		{"broken in a name, an escape, a number and a letter", []string{`{"na`, `me":"\u00`, "41\xc3", "\xa9\",\"n\":1", `2.`, `5,"b":tr`, `ue}`},
			[]jsonl.Joined{jsonl.JoinMore, jsonl.JoinMore, jsonl.JoinMore, jsonl.JoinMore, jsonl.JoinMore, jsonl.JoinMore, jsonl.JoinWhole},
			"{\"name\":\"\\u0041\xc3\xa9\",\"n\":12.5,\"b\":true}"},
		{"an id", []string{`{"id":"ab`, `cd","text":"a`, `b"}`},
			[]jsonl.Joined{jsonl.JoinMore, jsonl.JoinMore, jsonl.JoinWhole}, `{"id":"abcd","text":"a\nb"}`},
		{"lines of one width", []string{`{"text":"a b`, ` c d e f g h`, `i"}`},
			[]jsonl.Joined{jsonl.JoinMore, jsonl.JoinMore, jsonl.JoinWhole}, `{"text":"a b c d e f g hi"}`},
		{"whole at once", []string{`{"a":1}`, ``}, []jsonl.Joined{jsonl.JoinWhole, jsonl.JoinNever}, ""},
		{"blank lines before", []string{"", " ", "{", "}"},
			[]jsonl.Joined{jsonl.JoinMore, jsonl.JoinMore, jsonl.JoinMore, jsonl.JoinWhole}, "\n \n{\n}"},
		{"array", []string{`[`}, []jsonl.Joined{jsonl.JoinNever}, ""},
		{"junk", []string{`junk`, `{}`}, []jsonl.Joined{jsonl.JoinNever, jsonl.JoinNever}, ""},
		{"junk after", []string{`{`, `} junk`}, []jsonl.Joined{jsonl.JoinMore, jsonl.JoinNever}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var j jsonl.Joiner
			for range 2 { // a second time after Reset
				var got []jsonl.Joined
				for _, line := range test.lines {
					got = append(got, j.Add([]byte(line)))
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("%q (-want +got):\n%s", test.lines, diff)
				}
				if string(j.Value()) != test.value {
					t.Errorf("value = %q, want %q", j.Value(), test.value)
				}
				j.Reset()
			}
		})
	}
}

func TestJoinerGivesUp(t *testing.T) {
	var j jsonl.Joiner
	j.Add([]byte(`{"a":[`))
	for j.Lines() < jsonl.MaxJoinLines {
		if got := j.Add([]byte("1,")); got != jsonl.JoinMore {
			t.Fatalf("line %d: %v", j.Lines(), got)
		}
	}
	if got := j.Add([]byte("1]}")); got != jsonl.JoinNever {
		t.Errorf("line %d: %v, want JoinNever", jsonl.MaxJoinLines+1, got)
	}
	j.Reset()
	j.Add([]byte(`{"a":"`))
	if got := j.Add(make([]byte, jsonl.MaxJoinBytes)); got != jsonl.JoinNever {
		t.Errorf("line beyond %d bytes: %v, want JoinNever", jsonl.MaxJoinBytes, got)
	}
}

func ExampleSalvage() {
	line := []byte(`{"type":"message","id":"a","mess{"type":"label","id":"b"}`)
	for _, s := range jsonl.Salvage(line, `{"type":`) {
		fmt.Printf("%s\n", s.In(line))
	}
	// Output: {"type":"label","id":"b"}
}
