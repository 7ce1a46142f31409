package jsonl_test

import (
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/google/go-cmp/cmp"
)

func TestObjects(t *testing.T) {
	for arr, want := range map[string][]string{
		``:                                nil,
		`7`:                               nil,
		`]`:                               nil,
		`{"a":1}`:                         {`{"a":1}`},
		`{"a":1},`:                        {`{"a":1}`},
		`,{"a":1}]`:                       {`{"a":1}`},
		",\n{\"a\":\n1}\r\n,{}]":          {"{\"a\":\n1}", `{}`},
		`[]`:                              nil,
		`[ ]`:                             nil,
		`[[{"a":1}]]`:                     nil,
		` [ {"a":[{}]} , {"b":"]}"}, {}]`: {`{"a":[{}]}`, `{"b":"]}"}`, `{}`},
		`[{"a":1},{"b":`:                  {`{"a":1}`},
		`[{"a":1}{"b":2}]`:                {`{"a":1}`},
		`[{"a":1}[{"b":2}]`:               {`{"a":1}`},
		`[{"a":1},7,{"b":2}]`:             {`{"a":1}`},
		`[{"a":1},`:                       {`{"a":1}`},
	} {
		var got []string
		for _, s := range jsonl.Objects([]byte(arr), "") {
			got = append(got, string(s.In([]byte(arr))))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("objects of %s (-want +got):\n%s", arr, d)
		}
	}
}

func TestObjectsBehindDamage(t *testing.T) {
	for arr, want := range map[string][]string{
		`[{"t":1},{"t":"x},{"t":{}},{"t":3}]`:          {`{"t":1}`, `{"t":{}}`, `{"t":3}`},
		`[{"t":1},7,{"t":2},[{"t":3}]]`:                {`{"t":1}`, `{"t":2}`, `{"t":3}`},
		`[{"t":1},{"t":2,"x":[{"t":3},{"t":4}]`:        {`{"t":1}`},
		`[{"t":1},{"t":[{"u":3}` + "\x00" + `{"t":5}]`: {`{"t":1}`, `{"t":5}`},
	} {
		var got []string
		for _, s := range jsonl.Objects([]byte(arr), `{"t":`) {
			got = append(got, string(s.In([]byte(arr))))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("objects of %s (-want +got):\n%s", arr, d)
		}
	}
}
