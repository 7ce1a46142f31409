package jsonl_test

import (
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/google/go-cmp/cmp"
)

func TestElement(t *testing.T) {
	q := jsonl.Query{Keys: []string{"a"}, Inside: 0, Inner: []string{"b"}}
	tests := map[string][]string{
		`[]`:                                  nil,
		` [ ] `:                               nil,
		`{"a":1}`:                             nil,
		`"a"`:                                 nil,
		``:                                    nil,
		`[1, {"a":2} ,{"b":3},[{"a":4}],"a"]`: {"", "2", "", "", ""},
		"[{\"a\":\"]\"},\n {\"a\":5,\"a\":null}]": {`"]"`, "null"},
		`[{"a":{"b":6}},{"a":7}]`:                 {`{"b":6}/6`, "7"},
		`[{"a":8},{"a":}]`:                        {"8"},
		`[{"a":9}{"a":10}]`:                       {"9"},
		`[{"a":11},`:                              {"11"},
	}
	for arr, want := range tests {
		var got []string
		var found [2]jsonl.Span
		i, more := q.Element([]byte(arr), 0, found[:])
		for ; more; i, more = q.Element([]byte(arr), i, found[:]) {
			text := string(found[0].In([]byte(arr)))
			if found[1].Present() {
				text += "/" + string(found[1].In([]byte(arr)))
			}
			got = append(got, text)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("elements of %s (-want +got):\n%s", arr, d)
		}
	}
}
