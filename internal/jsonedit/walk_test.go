package jsonedit_test

import (
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
		Leave: func(at *jsonedit.Step, old, v raw) raw {
			left = append(left, at.Key+":"+string(old)+">"+string(v))
			if at.Key == "in" {
				return jsonedit.Set(v, "n", raw("0"))
			}
			return nil
		},
	}
	got := string(jsonedit.Walk(raw(`{"swap":5,"kept":[1],"in":{"n":1,"m":2},"same":[2]}`), visit))
	want := `{"swap":{"old":9,"z":[2]},"kept":[1],"in":{"n":0,"m":2},"same":[2]}`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	wantLeft := []string{`swap:{"old":1,"z":[2]}>{"old":9,"z":[2]}`, `in:{"n":1,"m":2}>{"n":9,"m":2}`}
	if len(left) != 3 || left[0] != wantLeft[0] || left[1] != wantLeft[1] {
		t.Errorf("left %q", left)
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
