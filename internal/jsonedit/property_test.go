package jsonedit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// literals are the pieces that generated string literals are made of.
var literals = []string{
	"a", "Z", " ", "é", "\u2028", "😀", "\U0010FFFF", `\n`, `\"`, `\\`, `\/`, `\u0041`, `\u00e9`,
	`\ud83d`, `\ude00`, `\ud83d\ude00`, `\u0000`, "\xff", "\xf0\x9f", "\xed\xa0\x80",
}

func literal(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.SampledFrom(literals), 0, 8).Draw(t, "literal")
	return `"` + strings.Join(parts, "") + `"`
}

// document generates the text of a JSON value with blanks, duplicate keys and
// escapes of every sort.
func document(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		blank := func() string { return rapid.SampledFrom([]string{"", "", "", " ", "\n\t"}).Draw(t, "blank") }
		kind := rapid.IntRange(0, 6).Draw(t, "kind")
		if depth == 0 {
			kind = min(kind, 4)
		}
		switch kind {
		case 0, 1:
			return literal(t)
		case 2:
			return rapid.SampledFrom([]string{"0", "-0", "1.50", "1e400", "12345678901234567890"}).Draw(t, "number")
		case 3, 4:
			return rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "word")
		case 5:
			items := rapid.SliceOfN(document(depth-1), 0, 4).Draw(t, "items")
			for i := range items {
				items[i] = blank() + items[i] + blank()
			}
			return "[" + strings.Join(items, ",") + "]"
		}
		return object(t, depth, blank)
	})
}

func object(t *rapid.T, depth int, blank func() string) string {
	n := rapid.IntRange(0, 5).Draw(t, "members")
	members := make([]string, n)
	for i := range members {
		key := rapid.SampledFrom([]string{`"a"`, `"b"`, `"\u0061"`, `"c"`, `""`, `"é"`, `"\ud800"`}).Draw(t, "key")
		value := document(max(depth-1, 0)).Draw(t, "value")
		members[i] = blank() + key + blank() + ":" + blank() + value + blank()
	}
	return "{" + strings.Join(members, ",") + "}"
}

func objects() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return object(t, 3, func() string { return rapid.SampledFrom([]string{"", " "}).Draw(t, "blank") })
	})
}

func valid(v raw) bool {
	return jsontext.Value(v).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// pairs lists the members as text.
func pairs(obj raw) []string {
	var out []string
	for key, v := range jsonedit.Members(obj) {
		out = append(out, fmt.Sprintf("%q=%s", key, v))
	}
	return out
}

func TestUnitsMatchesUTF16(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lit := literal(t)
		s, ok := jsonedit.String(raw(lit))
		if !ok {
			t.Fatalf("String(%q) found no string", lit)
		}
		want := len(utf16.Encode([]rune(s)))
		if got := jsonedit.UnitsRaw(raw(lit)); got != want {
			t.Fatalf("UnitsRaw(%q) = %d, want %d", lit, got, want)
		}
		if got := jsonedit.Units(s); got != want {
			t.Fatalf("Units(%q) = %d, want %d", s, got, want)
		}
		n := rapid.IntRange(0, want+2).Draw(t, "n")
		cut := jsonedit.CutUnits(raw(lit), n)
		got := jsonedit.UnitsRaw(cut)
		if got > n || got < min(n, want)-1 {
			t.Fatalf("CutUnits(%q, %d) = %q of %d units", lit, n, cut, got)
		}
		if !strings.HasPrefix(lit, strings.TrimSuffix(string(cut), `"`)) {
			t.Fatalf("CutUnits(%q, %d) = %q is no beginning of it", lit, n, cut)
		}
		if back, _ := jsonedit.String(jsonedit.Quoted(s)); back != s {
			t.Fatalf("Quoted(%q) reads as %q", s, back)
		}
	})
}

func TestSetKeepsOtherBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		obj := raw(objects().Draw(t, "obj"))
		key := rapid.SampledFrom([]string{"a", "b", "c", "é", "new"}).Draw(t, "key")
		value := raw(`{"set":1}`)
		old, had := jsonedit.Get(obj, key)
		set := jsonedit.Set(obj, key, value)
		if got, ok := jsonedit.Get(set, key); !ok || string(got) != string(value) {
			t.Fatalf("Set(%s, %q) = %s", obj, key, set)
		}
		if !valid(set) {
			t.Fatalf("Set(%s, %q) = %s is not valid", obj, key, set)
		}
		if had {
			if back := jsonedit.Set(set, key, old); string(back) != string(obj) {
				t.Fatalf("set and set back: %s became %s", obj, back)
			}
			return
		}
		if got, want := pairs(set), append(pairs(obj), fmt.Sprintf("%q=%s", key, value)); !slices.Equal(got, want) {
			t.Fatalf("Set(%s, %q) has members %q, want %q", obj, key, got, want)
		}
		if back := jsonedit.Delete(set, key); string(back) != string(obj) {
			t.Fatalf("added and deleted: %s became %s", obj, back)
		}
	})
}

func TestDeleteKeepsOtherMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		obj := raw(objects().Draw(t, "obj"))
		keys := rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c", "", "x"})).Draw(t, "keys")
		got := jsonedit.Delete(obj, keys...)
		var want []string
		for key, v := range jsonedit.Members(obj) {
			if !slices.Contains(keys, key) {
				want = append(want, fmt.Sprintf("%q=%s", key, v))
			}
		}
		if !valid(got) || !slices.Equal(pairs(got), want) {
			t.Fatalf("Delete(%s, %q) = %s, want members %q", obj, keys, got, want)
		}
	})
}

func TestWalkWithoutChangesIsIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := raw(document(4).Draw(t, "doc"))
		seen := 0
		out := jsonedit.Walk(doc, jsonedit.Visitor{
			Enter: func(*jsonedit.Step, raw) (raw, jsonedit.Action) { seen++; return nil, jsonedit.Into },
			Leave: func(*jsonedit.Step) (string, raw) { t.Fatal("left something that did not change"); return "", nil },
		})
		if string(out) != string(doc) || seen == 0 {
			t.Fatalf("%s became %s after %d steps", doc, out, seen)
		}
	})
}

func TestWalkChangesOnlyWhatItIsTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := raw(document(4).Draw(t, "doc"))
		swap := func(from, to string) func(*jsonedit.Step, raw) (raw, jsonedit.Action) {
			return func(_ *jsonedit.Step, v raw) (raw, jsonedit.Action) {
				if string(v) == from {
					return raw(to), jsonedit.Keep
				}
				return nil, jsonedit.Into
			}
		}
		there := jsonedit.Walk(doc, jsonedit.Visitor{Enter: swap("null", "77")})
		back := jsonedit.Walk(there, jsonedit.Visitor{Enter: swap("77", "null")})
		if !valid(there) || string(back) != string(doc) {
			t.Fatalf("%s became %s and then %s", doc, there, back)
		}
		dropped := jsonedit.Walk(doc, jsonedit.Visitor{Enter: func(at *jsonedit.Step, _ raw) (raw, jsonedit.Action) {
			if at.Key == "a" || at.Index == 1 {
				return nil, jsonedit.Drop
			}
			return nil, jsonedit.Into
		}})
		if !valid(dropped) {
			t.Fatalf("%s without some values is %s", doc, dropped)
		}
	})
}

func FuzzNeverPanics(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"b":[1,{"c":"\ud83d"}]}`, `{"a":`, `[}`, `{]`, `{"a":1{"b":2}}`, `"\u12`, `"\`, ` [1 2]`, `{"a"}`, "", "\x00",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		before := string(b)
		v := raw(b)
		ok := valid(v)
		for _, out := range []raw{
			jsonedit.Set(v, "a", raw("1")), jsonedit.SetAfter(v, "b", "c", raw("1")), jsonedit.Delete(v, "a", "b"), jsonedit.Compact(v),
			jsonedit.CutUnits(v, 3), jsonedit.Walk(v, jsonedit.Visitor{Enter: func(at *jsonedit.Step, _ raw) (raw, jsonedit.Action) {
				return nil, jsonedit.Action(at.Depth % 3 * (1 + at.Index) % 3)
			}}),
		} {
			if ok && !valid(out) {
				t.Fatalf("%q became %q", b, out)
			}
		}
		for range jsonedit.Members(v) {
		}
		jsonedit.Len(v)
		jsonedit.String(v)
		jsonedit.UnitsRaw(v)
		jsonedit.UnitsText(v)
		jsonedit.Number(v)
		jsonedit.Int(v)
		jsonedit.ParseTime(before)
		if string(b) != before {
			t.Fatalf("the argument was changed: %q is now %q", before, b)
		}
	})
}

// TestCutBehindLoneSurrogate cuts through a pair behind a surrogate that stands
// alone: one unit goes, not two.
func TestCutBehindLoneSurrogate(t *testing.T) {
	lit := raw(`"😀\ud83d😀"`)
	for n, want := range []string{`""`, `""`, `"😀"`, `"😀"`, `"😀\ud83d"`, string(lit)} {
		if got := string(jsonedit.CutUnits(lit, n)); got != want {
			t.Errorf("CutUnits(%s, %d) = %s, want %s", lit, n, got, want)
		}
	}
}
