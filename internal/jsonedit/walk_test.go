package jsonedit_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

func TestWalk(t *testing.T) {
	dropKey := func(keys ...string) jsonedit.Visitor {
		return jsonedit.Visitor{Enter: func(at *jsonedit.Step, _ raw) (raw, jsonedit.Action) {
			for _, key := range keys {
				if at.Parent != nil && at.Key == key {
					return nil, jsonedit.Drop
				}
			}
			return nil, jsonedit.Into
		}}
	}
	replace := func(from, to string) jsonedit.Visitor {
		return jsonedit.Visitor{Enter: func(_ *jsonedit.Step, v raw) (raw, jsonedit.Action) {
			if string(v) == from {
				return raw(to), jsonedit.Keep
			}
			return nil, jsonedit.Into
		}}
	}
	tests := []struct {
		name, in string
		visit    jsonedit.Visitor
		want     string
	}{
		{"nothing", ` { "a" : [ 1 , { } ] } `, dropKey("x"), ` { "a" : [ 1 , { } ] } `},
		{"drop at any depth", `{"x":1,"a":[{"x":{"x":2},"b":3},[{"x":4}]],"x":5}`, dropKey("x"), `{"a":[{"b":3},[{}]]}`},
		{"drop keeps blanks", `{ "x":1, "a":2 , "x":3 }`, dropKey("x"), `{"a":2 }`},
		{"drop elements", `[1,7,2,7]`, jsonedit.Visitor{Enter: func(_ *jsonedit.Step, v raw) (raw, jsonedit.Action) {
			if string(v) == "7" {
				return nil, jsonedit.Drop
			}
			return nil, jsonedit.Into
		}}, `[1,2]`},
		{"replace a scalar", ` {"a": [ 1, "x" , 2 ]} `, replace(`"x"`, `{"y":3}`), ` {"a": [ 1, {"y":3} , 2 ]} `},
		{"replace first with a blank before", `[ 1, 2]`, replace("1", "3"), `[ 3, 2]`},
		{"replace the root", ` "x" `, replace(`"x"`, "null"), " null "},
		{"the root is not dropped", `1`, jsonedit.Visitor{Enter: func(*jsonedit.Step, raw) (raw, jsonedit.Action) { return nil, jsonedit.Drop }}, `1`},
		{"broken", `{"a":[1,2}`, dropKey("a"), `{"a":[1,2}`},
		{"unclosed", `{"a":"x`, dropKey("a"), `{"a":"x`},
		{"empty", ``, dropKey("a"), ``},
		{"no functions", `{"a":1}`, jsonedit.Visitor{}, `{"a":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(jsonedit.Walk(raw(tt.in), tt.visit)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestWalkShowsWhere(t *testing.T) {
	var got []string
	jsonedit.Walk(raw(`{"content":[{"type":"image"},[true]],"b":1}`), jsonedit.Visitor{
		Enter: func(at *jsonedit.Step, v raw) (raw, jsonedit.Action) {
			var path []string
			for s := at; s.Parent != nil; s = s.Parent {
				name := s.Key
				if s.Index >= 0 {
					name = string(rune('0' + s.Index))
				}
				path = append([]string{name}, path...)
			}
			got = append(got, strings.Join(path, ".")+"="+string(jsonedit.Kind(v).String()))
			return nil, jsonedit.Into
		},
	})
	want := "=object content=array content.0=object content.0.type=string content.1=array content.1.0=true b=number"
	if s := strings.NewReplacer("{", "object", "[", "array").Replace(strings.Join(got, " ")); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestWalkIntoReplacementAndLeave(t *testing.T) {
	var left []string
	visit := jsonedit.Visitor{
		Enter: func(at *jsonedit.Step, v raw) (raw, jsonedit.Action) {
			switch {
			case at.Key == "swap":
				return raw(`{"old":1,"z":[2]}`), jsonedit.Into
			case string(v) == "1":
				return raw("9"), jsonedit.Keep
			case at.Key == "kept":
				return nil, jsonedit.Keep
			}
			return nil, jsonedit.Into
		},
		Leave: func(at *jsonedit.Step) (string, raw) {
			n, _ := at.Get("n")
			left = append(left, at.Key+":"+string(n))
			switch at.Key {
			case "in":
				return "m", raw("0")
			case "swap":
				return "old", raw("0") // which Enter changed
			}
			return "none", raw("0")
		},
	}
	got := string(jsonedit.Walk(raw(`{"swap":5,"kept":[1],"in":{"n":1,"m":2},"same":[2]}`), visit))
	want := `{"swap":{"old":9,"z":[2]},"kept":[1],"in":{"n":9,"m":0},"same":[2]}`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if want := []string{"swap:", "in:1", ":"}; !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}

// A change deep inside costs what the document is long, not that for each level.
func TestWalkCopiesOnce(t *testing.T) {
	const levels = 5000
	doc := raw(strings.Repeat(`{"n":1,"a":`, levels) + `"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat("}", levels))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out := jsonedit.Walk(doc, jsonedit.Visitor{
		Enter: func(_ *jsonedit.Step, v raw) (raw, jsonedit.Action) {
			if len(v) == 1<<20+2 {
				return raw(`"y"`), jsonedit.Keep
			}
			return nil, jsonedit.Into
		},
		Leave: func(at *jsonedit.Step) (string, raw) {
			if n, ok := at.Get("n"); !ok || string(n) != "1" {
				t.Errorf("n is %q", n)
			}
			return "n", raw("2")
		},
	})
	runtime.ReadMemStats(&after)
	if want := strings.Repeat(`{"n":2,"a":`, levels) + `"y"` + strings.Repeat("}", levels); string(out) != want {
		t.Errorf("got %.60s… of %d bytes", out, len(out))
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
		t.Errorf("a document of 1 MiB took %d MiB", took>>20)
	}
}

func TestWalkBoundsDepth(t *testing.T) {
	const levels = 1_000_000
	deep := raw(strings.Repeat("[", levels) + "7" + strings.Repeat("]", levels))
	deepest := 0
	out := jsonedit.Walk(deep, jsonedit.Visitor{Enter: func(at *jsonedit.Step, v raw) (raw, jsonedit.Action) {
		deepest = max(deepest, at.Depth)
		if string(v) == "7" {
			return raw("8"), jsonedit.Keep
		}
		return nil, jsonedit.Into
	}})
	if deepest != jsonedit.MaxDepth || string(out) != string(deep) {
		t.Errorf("went %d deep, changed %v", deepest, string(out) != string(deep))
	}
	if got, ok := jsonedit.Get(raw(`{"a":`+string(deep)+`,"b":1}`), "b"); !ok || string(got) != "1" {
		t.Errorf("Get beside deep nesting = %q, %v", got, ok)
	}
}
