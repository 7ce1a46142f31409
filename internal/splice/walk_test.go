package splice_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/splice"
)

func TestWalk(t *testing.T) {
	dropKey := func(keys ...string) splice.Visitor {
		return splice.Visitor{Enter: func(at *splice.Step, _ raw) (raw, splice.Action) {
			for _, key := range keys {
				if at.Parent != nil && at.Key == key {
					return nil, splice.Drop
				}
			}
			return nil, splice.Into
		}}
	}
	replace := func(from, to string) splice.Visitor {
		return splice.Visitor{Enter: func(_ *splice.Step, v raw) (raw, splice.Action) {
			if string(v) == from {
				return raw(to), splice.Keep
			}
			return nil, splice.Into
		}}
	}
	tests := []struct {
		name, in string
		visit    splice.Visitor
		want     string
	}{
		{"nothing", ` { "a" : [ 1 , { } ] } `, dropKey("x"), ` { "a" : [ 1 , { } ] } `},
		{"drop at any depth", `{"x":1,"a":[{"x":{"x":2},"b":3},[{"x":4}]],"x":5}`, dropKey("x"), `{"a":[{"b":3},[{}]]}`},
		{"drop keeps blanks", `{ "x":1, "a":2 , "x":3 }`, dropKey("x"), `{"a":2 }`},
		{"drop elements", `[1,7,2,7]`, splice.Visitor{Enter: func(_ *splice.Step, v raw) (raw, splice.Action) {
			if string(v) == "7" {
				return nil, splice.Drop
			}
			return nil, splice.Into
		}}, `[1,2]`},
		{"replace a scalar", ` {"a": [ 1, "x" , 2 ]} `, replace(`"x"`, `{"y":3}`), ` {"a": [ 1, {"y":3} , 2 ]} `},
		{"replace first with a blank before", `[ 1, 2]`, replace("1", "3"), `[ 3, 2]`},
		{"replace the root", ` "x" `, replace(`"x"`, "null"), " null "},
		{"the root is not dropped", `1`, splice.Visitor{Enter: func(*splice.Step, raw) (raw, splice.Action) { return nil, splice.Drop }}, `1`},
		{"broken", `{"a":[1,2}`, dropKey("a"), `{"a":[1,2}`},
		{"unclosed", `{"a":"x`, dropKey("a"), `{"a":"x`},
		{"empty", ``, dropKey("a"), ``},
		{"no functions", `{"a":1}`, splice.Visitor{}, `{"a":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(splice.Walk(raw(tt.in), tt.visit)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestWalkShowsWhere(t *testing.T) {
	var got []string
	splice.Walk(raw(`{"content":[{"type":"image"},[true]],"b":1}`), splice.Visitor{
		Enter: func(at *splice.Step, v raw) (raw, splice.Action) {
			var path []string
			for s := at; s.Parent != nil; s = s.Parent {
				name := s.Key
				if s.Index >= 0 {
					name = string(rune('0' + s.Index))
				}
				path = append([]string{name}, path...)
			}
			got = append(got, strings.Join(path, ".")+"="+string(v.Kind().String()))
			return nil, splice.Into
		},
	})
	want := "=object content=array content.0=object content.0.type=string content.1=array content.1.0=true b=number"
	if s := strings.NewReplacer("{", "object", "[", "array").Replace(strings.Join(got, " ")); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestWalkIntoReplacementAndLeave(t *testing.T) {
	var left []string
	visit := splice.Visitor{
		Enter: func(at *splice.Step, v raw) (raw, splice.Action) {
			switch {
			case at.Key == "swap":
				return raw(`{"old":1,"z":[2]}`), splice.Into
			case string(v) == "1":
				return raw("9"), splice.Keep
			case at.Key == "kept":
				return nil, splice.Keep
			}
			return nil, splice.Into
		},
		Leave: func(at *splice.Step, old, v raw) raw {
			left = append(left, at.Key+":"+string(old)+">"+string(v))
			if at.Key == "in" {
				return splice.Set(v, "n", raw("0"))
			}
			return nil
		},
	}
	got := string(splice.Walk(raw(`{"swap":5,"kept":[1],"in":{"n":1,"m":2},"same":[2]}`), visit))
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
	out := splice.Walk(deep, splice.Visitor{Enter: func(at *splice.Step, v raw) (raw, splice.Action) {
		deepest = max(deepest, at.Depth)
		if string(v) == "7" {
			return raw("8"), splice.Keep
		}
		return nil, splice.Into
	}})
	if deepest != splice.MaxDepth || string(out) != string(deep) {
		t.Errorf("went %d deep, changed %v", deepest, string(out) != string(deep))
	}
	if got, ok := splice.Get(raw(`{"a":`+string(deep)+`,"b":1}`), "b"); !ok || string(got) != "1" {
		t.Errorf("Get beside deep nesting = %q, %v", got, ok)
	}
}
