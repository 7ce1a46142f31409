package jsonl_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/google/go-cmp/cmp"
)

// What JSON.parse makes of a text.
const (
	object = iota
	other  // a whole value of another kind
	bad
)

// edges are the places where JSON readers disagree, with the answer of
// JSON.parse (Node 20.20.2) to the text as a UTF-8 decoder gives it.
var edges = []struct {
	name string
	text string
	want int
}{
	{"whole", `{"type":"message","id":"a","n":[1,2,{"x":null}]}`, object},
	{"torn in a string", `{"type":"message","id":"a`, bad},
	{"torn after a colon", `{"type":"message","id":`, bad},
	{"torn after a value", `{"type":"message","id":"a"`, bad},
	{"torn in an escape", `{"a":"\`, bad},
	{"torn in a unicode escape", `{"a":"\u12`, bad},
	{"torn in a literal", `{"a":tru`, bad},
	{"torn in a number", `{"a":-`, bad},
	{"glued", `{"a":1}{"b":2}`, bad},
	{"torn and glued", `{"type":"mess{"type":"message"}`, bad},
	{"junk after", `{"a":1} junk`, bad},
	{"comma after", `{"a":1},`, bad},
	{"junk before", `junk{"a":1}`, bad},
	{"NUL in a string", "{\"a\":\"b\x00\x00c\"}", bad},
	{"NUL between tokens", "{\"a\":\x001}", bad},
	{"NUL after", "{\"a\":1}\x00\x00", bad},
	{"raw LF in a string", "{\"a\":\"b\nc\"}", bad},
	{"raw tab in a string", "{\"a\":\"b\tc\"}", bad},
	{"raw 0x1f in a string", "{\"a\":\"b\x1fc\"}", bad},
	{"raw DEL in a string", "{\"a\":\"b\x7fc\"}", object},
	{"escape x", `{"a":"\x41"}`, bad},
	{"escape of a quote mark", `{"a":"\'"}`, bad},
	{"short unicode escape", `{"a":"\u12G4"}`, bad},
	{"upper-case U escape", `{"a":"\U1234"}`, bad},
	{"all escapes", `{"a":"\"\\\/\b\f\n\r\t\u00e9\uABCD"}`, object},
	{"leading zero", `{"a":01}`, bad},
	{"minus leading zero", `{"a":-01}`, bad},
	{"minus zero", `{"a":-0}`, object},
	{"plus sign", `{"a":+1}`, bad},
	{"no digits after the point", `{"a":1.}`, bad},
	{"no digits before the point", `{"a":.5}`, bad},
	{"no digits in the exponent", `{"a":1e}`, bad},
	{"sign without exponent digits", `{"a":1e+}`, bad},
	{"number beyond a double", `{"a":1e999,"b":12345678901234567890,"c":-1.5E-7}`, object},
	{"hexadecimal number", `{"a":0x10}`, bad},
	{"NaN", `{"a":NaN}`, bad},
	{"Infinity", `{"a":-Infinity}`, bad},
	{"undefined", `{"a":undefined}`, bad},
	{"upper-case literal", `{"a":True}`, bad},
	{"longer literal", `{"a":nullx}`, bad},
	{"trailing comma in an object", `{"a":1,}`, bad},
	{"trailing comma in an array", `{"a":[1,]}`, bad},
	{"leading comma", `{,"a":1}`, bad},
	{"double comma", `{"a":[1,,2]}`, bad},
	{"missing comma", `{"a":1 "b":2}`, bad},
	{"missing colon", `{"a" 1}`, bad},
	{"two colons", `{"a"::1}`, bad},
	{"missing value", `{"a":}`, bad},
	{"name without quotes", `{a:1}`, bad},
	{"name in single quotes", `{'a':1}`, bad},
	{"number as a name", `{1:1}`, bad},
	{"wrong bracket", `{"a":[1}`, bad},
	{"wrong bracket, the other way", `{"a":{"b":1]}`, bad},
	{"closing bracket too many", `{"a":1}}`, bad},
	{"only a closing bracket", `}`, bad},
	{"comment", `{"a":1/*b*/}`, bad},
	{"byte order mark", "\xef\xbb\xbf{\"a\":1}", bad},
	{"no-break space around", "\u00a0{\"a\":1}", bad},
	{"vertical tab around", "\v{\"a\":1}", bad},
	{"form feed around", "{\"a\":1}\f", bad},
	{"U+2028 between tokens", "{\"a\":\u20281}", bad},
	{"U+2028 in a string", "{\"a\":\"b\u2028c\"}", object},
	{"invalid UTF-8 in a string", "{\"a\":\"b\xff\xc3\"}", object},
	{"invalid UTF-8 in a name", "{\"\xe2\x82\":1}", object},
	{"invalid UTF-8 between tokens", "{\"a\":\xff1}", bad},
	{"lone surrogates", `{"a":"\ud83d","b":"\udc00\ud800"}`, object},
	{"duplicate names", `{"a":1,"a":2}`, object},
	{"__proto__", `{"__proto__":{"a":1}}`, object},
	{"empty name", `{"":1}`, object},
	{"empty containers", `{"a":{},"b":[],"c":[{}],"d":[[]]}`, object},
	{"empty object", `{}`, object},
	{"blanks everywhere", " \t\r\n{ \"a\" : [ 1 , { } , [ ] ] , \"b\" : { } } \r\n", object},
	{"CR after", "{\"a\":1}\r", object},
	{"depth 20,000", strings.Repeat(`{"a":[`, 10000) + strings.Repeat(`]}`, 10000), object},
	{"depth 20,000, not closed", strings.Repeat(`{"a":[`, 10000) + strings.Repeat(`]}`, 9999), bad},
	{"depth 20,000, wrongly closed", strings.Repeat(`{"a":[`, 10000) + strings.Repeat(`]}`, 5000) + strings.Repeat(`}]`, 5000), bad},
	{"empty", ``, bad},
	{"blank", " \r\t", bad},
	{"null", `null`, other},
	{"true", ` true `, other},
	{"number", `0`, other},
	{"negative number", `-1.5e3`, other},
	{"string", `"a"`, other},
	{"array", `[{"a":1}]`, other},
	{"empty array", `[]`, other},
	{"torn array", `[`, bad},
	{"two numbers", `1 2`, bad},
	{"lone quote", `"`, bad},
}

// classOf tells what an error of Scan means.
func classOf(err error) int {
	var syntax *jsonl.SyntaxError
	switch {
	case err == nil:
		return object
	case errors.Is(err, jsonl.ErrNotObject):
		return other
	case errors.As(err, &syntax):
		return bad
	}
	return -1
}

func TestScanEdges(t *testing.T) {
	q := jsonl.Query{Keys: []string{"a"}, Inside: -1}
	for _, test := range edges {
		t.Run(test.name, func(t *testing.T) {
			err := q.Scan([]byte(test.text), make([]jsonl.Span, 1))
			if got := classOf(err); got != test.want {
				t.Errorf("Scan(%.80q) = %v, want class %d", test.text, err, test.want)
			}
			err = jsonl.Valid([]byte(test.text))
			if (err == nil) != (test.want != bad) {
				t.Errorf("Valid(%.80q) = %v", test.text, err)
			}
			if strings.HasPrefix(test.name, "depth") {
				return // encoding/json stops at 10,000
			}
			if json.Valid([]byte(test.text)) != (test.want != bad) {
				t.Errorf("the table disagrees with encoding/json about %q", test.text)
			}
		})
	}
}

// TestScanEveryByte puts every byte at every place of a value, so that each
// branch of the word-wise string scan meets each byte.
func TestScanEveryByte(t *testing.T) {
	q := jsonl.Query{Keys: []string{"a"}, Inside: -1}
	text := []byte(`{"a":"0123456789 \n\u00e9 0123456789abcdef","b":[-1.5e+3,true,{}]}`)
	for i := range text {
		for c := range 256 {
			line := append([]byte(nil), text...)
			line[i] = byte(c)
			err := q.Scan(line, make([]jsonl.Span, 1))
			if want := json.Valid(line) && firstByte(line) == '{'; (err == nil) != want {
				t.Fatalf("Scan(%q) = %v, want valid %v", line, err, want)
			}
		}
		if err := jsonl.Valid(text[:i]); err == nil {
			t.Fatalf("Valid(%q) = nil", text[:i])
		}
	}
}

// TestScanEscapesAtEveryOffset moves runs of escapes, good and bad, over the
// borders of the blocks that strings are scanned in.
func TestScanEscapesAtEveryOffset(t *testing.T) {
	runs := []string{`\"`, `\\`, `\\\"`, `\n\n`, `\u0022`, `\"\\\"\\`, `\ud83d\ude00"`, `\q`, `\u002`, `\`, `\\"`, "\x00", "\\\x00", "é\x1f"}
	q := jsonl.Query{Inside: -1}
	for before := range 80 {
		for after := range 80 {
			for _, run := range runs {
				line := []byte(`{"a":"` + strings.Repeat("x", before) + run + strings.Repeat("y", after) + `"}`)
				if err := q.Scan(line, nil); (err == nil) != json.Valid(line) {
					t.Fatalf("Scan(%q) = %v, want valid %v", line, err, json.Valid(line))
				}
			}
		}
	}
}

func TestScanFinds(t *testing.T) {
	q := jsonl.Query{Keys: []string{"type", "id", "message"}, Inside: 2, Inner: []string{"role", "n"}}
	tests := []struct {
		name string
		line string
		want []string
	}{
		{"all", `{"type":"message","id":"a","message":{"role":"user","n":[1, 2],"type":"no"}}`,
			[]string{`"message"`, `"a"`, `{"role":"user","n":[1, 2],"type":"no"}`, `"user"`, `[1, 2]`}},
		{"none", `{"x":{"type":"no","role":"no"}}`, []string{"", "", "", "", ""}},
		{"empty", `{}`, []string{"", "", "", "", ""}},
		{"blanks", "\t{ \"id\" : \"a\" , \"message\" : { \"role\" : null } }",
			[]string{"", `"a"`, `{ "role" : null }`, "null", ""}},
		{"last duplicate", `{"id":"a","id":"b","message":{"role":1,"role":2}}`,
			[]string{"", `"b"`, `{"role":1,"role":2}`, "2", ""}},
		{"last duplicate of the inner object", `{"message":{"role":1,"n":2},"message":{"n":3}}`,
			[]string{"", "", `{"n":3}`, "", "3"}},
		{"inner object replaced by a scalar", `{"message":{"role":1},"message":"x"}`,
			[]string{"", "", `"x"`, "", ""}},
		{"inner array", `{"message":[{"role":1}]}`, []string{"", "", `[{"role":1}]`, "", ""}},
		{"deeper", `{"message":{"x":{"role":1},"y":[{"n":1}]}}`,
			[]string{"", "", `{"x":{"role":1},"y":[{"n":1}]}`, "", ""}},
		{"names with escapes", `{"\u0074ype":1,"i\u0064":2,"message":{"\u0072\u006f\u006c\u0065":3}}`,
			[]string{"1", "2", `{"\u0072\u006f\u006c\u0065":3}`, "3", ""}},
		{"names like the wanted", `{"typ":1,"type2":2,"Type":3,"id\u0000":4}`, []string{"", "", "", "", ""}},
		{"scalars", `{"type":true,"id":-1.5e3,"message":null}`, []string{"true", "-1.5e3", "null", "", ""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found := make([]jsonl.Span, 5)
			if err := q.Scan([]byte(test.line), found); err != nil {
				t.Fatalf("Scan(%q): %v", test.line, err)
			}
			if diff := cmp.Diff(test.want, texts(found, test.line)); diff != "" {
				t.Errorf("Scan(%q) (-want +got):\n%s", test.line, diff)
			}
		})
	}
}

func TestScanErrorsSayWhereAndWhy(t *testing.T) {
	tests := []struct {
		line   string
		offset int
		reason string
	}{
		{``, 0, "unexpected end"},
		{`{"a":"b`, 7, "unexpected end"},
		{`{"a":1`, 6, "unexpected end"},
		{`{"a":tr`, 7, "unexpected end"},
		{"{\"a\":\"b\x01\"}", 7, "control character in string"},
		{`{"a":"\q"}`, 7, "invalid escape in string"},
		{`{"a":"\u00g0"}`, 10, "invalid escape in string"},
		{`{"a":01}`, 6, "comma or end of container expected"},
		{`{"a":-x}`, 6, "invalid number"},
		{`{"a":trUe}`, 7, "invalid literal"},
		{`{a:1}`, 1, "name expected"},
		{`{"a";1}`, 4, "colon expected"},
		{`{"a":;}`, 5, "unexpected byte"},
		{`{"a":1;}`, 6, "comma or end of container expected"},
		{`{"a":1}{"b":2}`, 7, "unexpected byte after value"},
	}
	q := jsonl.Query{Keys: []string{"a"}, Inside: -1}
	for _, test := range tests {
		found := []jsonl.Span{{Start: 1, End: 2}}
		err := q.Scan([]byte(test.line), found)
		want := &jsonl.SyntaxError{Offset: test.offset, Reason: test.reason}
		if diff := cmp.Diff(error(want), err); diff != "" {
			t.Errorf("Scan(%q) (-want +got):\n%s", test.line, diff)
		}
		if found[0].Present() {
			t.Errorf("Scan(%q) found %v beside its error", test.line, found)
		}
		if got := want.Torn(); got != (test.reason == "unexpected end") {
			t.Errorf("Torn of %q = %v", test.line, got)
		}
	}
}

func TestScanDoesNotAllocate(t *testing.T) {
	q := jsonl.Query{Keys: []string{"type", "id", "message"}, Inside: 2, Inner: []string{"role"}}
	line := []byte(`{"type":"message","i\u0064":"a","message":{"role":"user","content":[{"t":"\"x\""},` +
		strings.Repeat("[", 50) + strings.Repeat("]", 50) + `]}}`)
	found := make([]jsonl.Span, 4)
	allocs := testing.AllocsPerRun(100, func() {
		if err := q.Scan(line, found); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("Scan allocated %v times", allocs)
	}
}

func texts(found []jsonl.Span, line string) []string {
	var all []string
	for _, s := range found {
		all = append(all, string(s.In([]byte(line))))
	}
	return all
}

func firstByte(line []byte) byte {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
	}
	return 0
}
