package jsonedit_test

import (
	"math"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/google/go-cmp/cmp"
)

type raw = []byte

func TestGet(t *testing.T) {
	tests := []struct {
		name, obj, key, want string
		ok                   bool
	}{
		{"plain", `{"a":1,"b":"x"}`, "b", `"x"`, true},
		{"absent", `{"a":1}`, "b", "", false},
		{"last duplicate", `{"a":1,"b":2,"a":3}`, "a", "3", true},
		{"escaped key", `{"\u0061b":7}`, "ab", "7", true},
		{"key with a slash", `{"a\/b":7}`, "a/b", "7", true},
		{"blanks", " {\n\t\"a\" : [ 1 , 2 ] , \"b\":3 } ", "a", "[ 1 , 2 ]", true},
		{"key in a string", `{"x":"\"a\":1","a":2}`, "a", "2", true},
		{"key of an inner object", `{"x":{"a":1}}`, "a", "", false},
		{"backslashes before the quote", `{"x":"\\\\","a":2}`, "a", "2", true},
		{"empty key", `{"":1}`, "", "1", true},
		{"not an object", `["a",1]`, "a", "", false},
		{"null", `null`, "a", "", false},
		{"nothing", ``, "a", "", false},
		{"broken after it", `{"a":1,"b`, "a", "1", true},
		{"invalid utf-8 in the key", "{\"a\xff\":1}", "a\uFFFD", "1", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := jsonedit.Get(raw(tt.obj), tt.key)
			if string(got) != tt.want || ok != tt.ok {
				t.Errorf("Get(%q, %q) = %q, %v; want %q, %v", tt.obj, tt.key, got, ok, tt.want, tt.ok)
			}
		})
	}
	if v, ok := jsonedit.Path(raw(`{"a":{"b":{"c":true}}}`), "a", "b", "c"); !ok || string(v) != "true" {
		t.Errorf("Path = %q, %v", v, ok)
	}
	if _, ok := jsonedit.Path(raw(`{"a":1}`), "a", "b"); ok {
		t.Error("Path found a member of a number")
	}
}

func TestMembersAndElements(t *testing.T) {
	var got []string
	for key, v := range jsonedit.Members(raw(`{"a":1, "\u0062" : {"c":[]},"a":"z"}`)) {
		got = append(got, key+"="+string(v))
	}
	if diff := cmp.Diff([]string{"a=1", `b={"c":[]}`, `a="z"`}, got); diff != "" {
		t.Errorf("Members (-want +got):\n%s", diff)
	}
	got = nil
	for v := range jsonedit.Elements(raw(` [ 1,"]" ,[2,3], {} ,null]`)) {
		got = append(got, string(v))
	}
	if diff := cmp.Diff([]string{"1", `"]"`, "[2,3]", "{}", "null"}, got); diff != "" {
		t.Errorf("Elements (-want +got):\n%s", diff)
	}
	for _, empty := range []string{"[]", "[ ]", "", "{}", "3", "[", `["`} {
		if n := jsonedit.Len(raw(empty)); n != 0 {
			t.Errorf("Len(%q) = %d", empty, n)
		}
	}
}

func TestEdit(t *testing.T) {
	set := func(key, value string) func(raw) raw {
		return func(v raw) raw { return jsonedit.Set(v, key, raw(value)) }
	}
	after := func(prev, key, value string) func(raw) raw {
		return func(v raw) raw { return jsonedit.SetAfter(v, prev, key, raw(value)) }
	}
	drop := func(keys ...string) func(raw) raw {
		return func(v raw) raw { return jsonedit.Delete(v, keys...) }
	}
	tests := []struct {
		name, in string
		edit     func(raw) raw
		want     string
	}{
		{"replace", `{"a": 1 ,"b":2}`, set("a", "[3]"), `{"a": [3] ,"b":2}`},
		{"replace the last duplicate", `{"a":1,"a":2}`, set("a", "3"), `{"a":1,"a":3}`},
		{"replace keeps the key as written", `{"\u0061":1}`, set("a", "3"), `{"\u0061":3}`},
		{"append", `{"a":1 }`, set("b", "2"), `{"a":1,"b":2 }`},
		{"append to an empty object", "{ }", set("b", "2"), `{"b":2 }`},
		{"key is quoted", `{}`, set("a\"\n", "2"), `{"a\"\n":2}`},
		{"not an object", `[1]`, set("a", "2"), `[1]`},
		{"torn object", `{"a":1,`, set("b", "2"), `{"a":1,`},
		{"after", `{"a":1,"b":2}`, after("a", "c", "3"), `{"a":1,"c":3,"b":2}`},
		{"after, there already", `{"a":1,"b":2}`, after("a", "b", "3"), `{"a":1,"b":3}`},
		{"after nothing", `{"a":1,"b":2}`, after("x", "c", "3"), `{"a":1,"b":2,"c":3}`},
		{"delete first", `{ "a":1, "b":2 }`, drop("a"), `{"b":2 }`},
		{"delete middle", `{"a":1 , "b":2 , "c":3}`, drop("b"), `{"a":1 , "c":3}`},
		{"delete last", `{"a":1, "b":2 }`, drop("b"), `{"a":1 }`},
		{"delete all", `{"a":1,"b":2}`, drop("a", "b"), `{}`},
		{"delete duplicates", `{"a":1,"b":2,"a":3}`, drop("a"), `{"b":2}`},
		{"delete what is absent", `{"a":1,"b":2}`, drop("c"), `{"a":1,"b":2}`},
		{"delete in an array", `["a"]`, drop("a"), `["a"]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := raw(tt.in)
			if got := string(tt.edit(in)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if string(in) != tt.in {
				t.Errorf("the argument was changed to %s", in)
			}
		})
	}
}

func TestBuilders(t *testing.T) {
	inner := new(jsonedit.Array).Add(raw("1"), nil).String("a", "\u2028<")
	obj := new(jsonedit.Object).String("s", "x\x01\"").Int("i", -5).Number("n", 0.1).Number("nan", math.NaN()).
		Bool("b", true).Null("z").Add("arr", inner.Value()).Add("undefined", nil)
	want := `{"s":"x\u0001\"","i":-5,"n":0.1,"nan":null,"b":true,"z":null,"arr":[1,null,"a","` + "\u2028" + `<"]}`
	if got := string(obj.Value()); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := string(new(jsonedit.Object).Value()) + string(new(jsonedit.Array).Value()); got != "{}[]" {
		t.Errorf("empty builders give %s", got)
	}
	if !new(jsonedit.Array).Empty() || inner.Empty() {
		t.Error("Empty is wrong")
	}
}

func TestString(t *testing.T) {
	tests := []struct {
		name, in, want string
		units          int
	}{
		{"plain", `"abc"`, "abc", 3},
		{"blanks around", ` "a" `, "a", 1},
		{"short escapes", `"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", 8},
		{"pair as escapes", `"\ud83d\uDE00"`, "😀", 2},
		{"pair raw", `"😀é"`, "😀é", 3},
		{"lone high", `"\ud83dx"`, "\uFFFDx", 2},
		{"lone low", `"\ude00"`, "\uFFFD", 1},
		{"high high low", `"\ud83d\ud83d\ude00"`, "\uFFFD😀", 3},
		{"high then a letter escape", `"\ud83d\n"`, "\uFFFD\n", 2},
		{"encoded surrogate", "\"\xed\xa0\x80\"", "\uFFFD\uFFFD\uFFFD", 3},
		{"torn sequence", "\"\xf0\x9f\x98x\"", "\uFFFDx", 2},
		{"stray byte", "\"a\xffb\"", "a\uFFFDb", 3},
		{"nul escape", `"\u0000"`, "\x00", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := jsonedit.String(raw(tt.in))
			if got != tt.want || !ok {
				t.Errorf("String(%q) = %q, %v; want %q", tt.in, got, ok, tt.want)
			}
			if n := jsonedit.UnitsRaw(raw(tt.in)); n != tt.units {
				t.Errorf("UnitsRaw(%q) = %d, want %d", tt.in, n, tt.units)
			}
			if n := jsonedit.Units(got); n != tt.units {
				t.Errorf("Units(%q) = %d, want %d", got, n, tt.units)
			}
		})
	}
	for _, bad := range []string{"", "1", "null", `"a`, `"a\"`, `{"a":1}`} {
		if got, ok := jsonedit.String(raw(bad)); ok {
			t.Errorf("String(%q) = %q, want none", bad, got)
		}
	}
}

func TestQuote(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", `""`},
		{"<a href='x'>&</a>", `"<a href='x'>&</a>"`},
		{"\b\f\n\r\t\v\x00\x1f\x7f", `"\b\f\n\r\t\u000b\u0000\u001f` + "\x7f" + `"`},
		{"\u2028\u2029é😀\uFFFD", "\"\u2028\u2029é😀\uFFFD\""},
		{"a\"b\\c/", `"a\"b\\c/"`},
		{"a\xffb\xe2\x82", "\"a\uFFFDb\uFFFD\""},
	}
	for _, tt := range tests {
		if got := string(jsonedit.Quoted(tt.in)); got != tt.want {
			t.Errorf("Quoted(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestCutUnits(t *testing.T) {
	tests := []struct {
		in   string
		n    int
		want string
	}{
		{`"abc"`, 3, `"abc"`},
		{`"abc"`, 2, `"ab"`},
		{`"abc"`, 0, `""`},
		{`"abc"`, -1, `""`},
		{`"a😀b"`, 2, `"a"`},
		{`"a😀b"`, 3, `"a😀"`},
		{`"a\ud83d\ude00b"`, 2, `"a"`},
		{`"a\ud83d\ude00b"`, 3, `"a\ud83d\ude00"`},
		{`"a\ud83dbc"`, 2, `"a"`},
		{`"a\n\u0041z"`, 3, `"a\n\u0041"`},
		{`12345`, 2, `12345`},
	}
	for _, tt := range tests {
		if got := string(jsonedit.CutUnits(raw(tt.in), tt.n)); got != tt.want {
			t.Errorf("CutUnits(%s, %d) = %s, want %s", tt.in, tt.n, got, tt.want)
		}
	}
	big := raw(`"` + strings.Repeat("😀", 300_000) + `"`)
	if n := jsonedit.UnitsRaw(jsonedit.CutUnits(big, 499_953)); n != 499_952 {
		t.Errorf("cut in a pair leaves %d units, want 499952", n)
	}
	if got := jsonedit.CutText("a😀b", 2); got != "a" {
		t.Errorf("CutText = %q", got)
	}
	if got := string(jsonedit.Concat(raw(`"a\ud83d"`), raw("7"), raw(`"\ude00"`))); got != `"a\ud83d\ude00"` {
		t.Errorf("Concat = %s", got)
	}
}

func TestCompact(t *testing.T) {
	tests := []struct{ in, want string }{
		{` { "a b" : [ 1 , " \" " ] } `, `{"a b":[1," \" "]}`},
		{"\r\n\t7 ", "7"},
		{"", ""},
		{"  ", ""},
		{`{"a":1}`, `{"a":1}`},
	}
	for _, tt := range tests {
		if got := string(jsonedit.Compact(raw(tt.in))); got != tt.want {
			t.Errorf("Compact(%q) = %q, want %q", tt.in, got, tt.want)
		}
		if got := jsonedit.UnitsText(raw(tt.in)); got != len(tt.want) {
			t.Errorf("UnitsText(%q) = %d, want %d", tt.in, got, len(tt.want))
		}
	}
}

func TestJSNumber(t *testing.T) {
	tests := []struct {
		in   float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "0"}, {1, "1"}, {-1.5, "-1.5"}, {0.1, "0.1"},
		{1e21, "1e+21"}, {1e20, "100000000000000000000"}, {123456789012345680000, "123456789012345680000"},
		{1e-6, "0.000001"}, {1e-7, "1e-7"}, {1.5e-10, "1.5e-10"}, {5e-324, "5e-324"},
		{1.7976931348623157e308, "1.7976931348623157e+308"}, {9007199254740993, "9007199254740992"},
		{math.NaN(), "NaN"}, {math.Inf(1), "Infinity"}, {math.Inf(-1), "-Infinity"},
	}
	for _, tt := range tests {
		if got := jsonedit.JSNumber(tt.in); got != tt.want {
			t.Errorf("JSNumber(%g) = %s, want %s", tt.in, got, tt.want)
		}
	}
	if f, ok := jsonedit.Number(raw("1e999")); !ok || !math.IsInf(f, 1) {
		t.Errorf("Number(1e999) = %g, %v", f, ok)
	}
	for _, bad := range []string{"", `"1"`, "true", "-Infinity", "-", "0x10", "1_000"} {
		if f, ok := jsonedit.Number(raw(bad)); ok {
			t.Errorf("Number(%q) = %g", bad, f)
		}
	}
	ints := []struct {
		in   string
		want int64
	}{{"9223372036854775807", math.MaxInt64}, {" 12 ", 12}, {"1.9", 1}, {"-1e3", -1000}, {"1e300", math.MaxInt64}, {"-1e300", math.MinInt64}}
	for _, tt := range ints {
		if got, ok := jsonedit.Int(raw(tt.in)); got != tt.want || !ok {
			t.Errorf("Int(%s) = %d, %v; want %d", tt.in, got, ok, tt.want)
		}
	}
	if n, ok := jsonedit.Int(raw("+5")); ok {
		t.Errorf("Int(+5) = %d", n)
	}
}

func TestTimes(t *testing.T) {
	tests := []struct {
		in string
		ms int64
		ok bool
	}{
		{"2026-01-02T03:04:05.000Z", 1767323045000, true},
		{"2026-01-02T03:04:05.123456Z", 1767323045123, true},
		{"2026-01-02T03:04:05.1Z", 1767323045100, true},
		{"2026-01-02T03:04Z", 1767323040000, true},
		{"2026-01-02T05:04:05+02:00", 1767323045000, true},
		{"2026-01-01T22:34:05-0430", 1767323045000, true},
		{"2026-01-02T03:04:05", 1767323045000, true},
		{"2026-01-02 03:04:05Z", 1767323045000, true},
		{"2026-01-02", 1767312000000, true},
		{"2026-01", 1767225600000, true},
		{"2026", 1767225600000, true},
		{"2026-01-01T24:00:00Z", 1767312000000, true},
		{"+275760-09-13T00:00:00.000Z", 8640000000000000, true},
		{"-271821-04-20T00:00:00.000Z", -8640000000000000, true},
		{"+275760-09-13T00:00:00.001Z", 0, false},
		{"-000000-01-01T00:00:00Z", 0, false},
		{"1970-02-31", 5270400000, true}, {"2024-02-29", 1709164800000, true}, {"1970-02-32", 0, false},
		{"2026-01-02T03:04:05,5Z", 0, false},
		{"2026-13-01", 0, false}, {"2026-00-01", 0, false},
		{"2026-01-02T25:00Z", 0, false}, {"2026-01-02T24:01Z", 0, false}, {"2026-01-02T03:60Z", 0, false},
		{"2026-01-02T03:04:05.Z", 0, false}, {"2026-01-02T03", 0, false}, {"2026-1-2", 0, false},
		{"", 0, false}, {"yesterday", 0, false}, {"2026-01-02T03:04:05Zx", 0, false}, {"2026-01-02T03:04:05+2", 0, false},
	}
	for _, tt := range tests {
		if ms, ok := jsonedit.ParseTime(tt.in); ms != tt.ms || ok != tt.ok {
			t.Errorf("ParseTime(%q) = %d, %v; want %d, %v", tt.in, ms, ok, tt.ms, tt.ok)
		}
	}
	formats := []struct {
		ms   int64
		want string
	}{
		{1767323045007, "2026-01-02T03:04:05.007Z"}, {0, "1970-01-01T00:00:00.000Z"}, {-1, "1969-12-31T23:59:59.999Z"},
		{8640000000000000, "+275760-09-13T00:00:00.000Z"}, {-8640000000000000, "-271821-04-20T00:00:00.000Z"},
		{-62198755200000, "-000001-01-01T00:00:00.000Z"}, {8640000000000001, ""},
	}
	for _, tt := range formats {
		if got := jsonedit.FormatTime(tt.ms); got != tt.want {
			t.Errorf("FormatTime(%d) = %q, want %q", tt.ms, got, tt.want)
		}
	}
}
