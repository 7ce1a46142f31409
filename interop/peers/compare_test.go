package peers_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/go-json-experiment/json/jsontext"
)

func TestCompare(t *testing.T) {
	for _, tt := range []struct{ want, got, at string }{
		{`{"a":1,"b":[true,null,"x"]}`, ` { "b" : [ true , null , "x" ] , "a" : 1.0e0 } `, ""},
		{`{}`, `{}`, ""},
		{`[]`, `[ ]`, ""},
		{`"\u00e9\ud83d\ude00\n\/"`, `"é😀\u000a/"`, ""},
		{`9007199254740993`, `9007199254740992`, ""},
		{`[1e400,-0]`, `[null,0]`, ""},
		{`{"a":1,"a":2}`, `{"a":2}`, ""},
		{`{"":{"\ud800":1}}`, `{"":{"\uD800":1}}`, ""},
		{`"\ud800"`, `"\ufffd"`, "$"},
		{`{"a":[0,{"b":"x"}]}`, `{"a":[0,{"b":"y"}]}`, "$.a[1].b"},
		{`{"a":null}`, `{}`, "$.a"},
		{`{}`, `{"a":null}`, "$.a"},
		{`[1,2]`, `[1]`, "$"},
		{`[1]`, `{"0":1}`, "$"},
		{`1`, `"1"`, "$"},
		{`null`, `false`, "$"},
		{`"a"`, `["a"]`, "$"},
	} {
		err := peers.Compare(jsontext.Value(tt.want), jsontext.Value(tt.got))
		switch {
		case tt.at == "" && err != nil:
			t.Errorf("%s and %s: %v", tt.want, tt.got, err)
		case tt.at != "" && (err == nil || !strings.Contains(err.Error(), "at "+tt.at+":")):
			t.Errorf("%s and %s: got %v, want a difference at %s", tt.want, tt.got, err, tt.at)
		}
	}
}

func TestCompareRefusesWhatIsNotJSON(t *testing.T) {
	for _, bad := range []string{``, `{`, `{"a":1}}`, `[1,]`, `nul`} {
		if err := peers.Compare(jsontext.Value(`{}`), jsontext.Value(bad)); err == nil {
			t.Errorf("%q was compared", bad)
		}
	}
}
