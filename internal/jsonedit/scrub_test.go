package jsonedit_test

import (
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

func TestScrub(t *testing.T) {
	tests := []struct {
		in, want string
		n        int
	}{
		{`{"a":"b"}`, `{"a":"b"}`, 0},
		{`{"a":"\ud83d\ude00 \n\u0041"}`, `{"a":"\ud83d\ude00 \n\u0041"}`, 0},
		{`["\ud83d","x\ude00\ud83d\ud83d\ude00"]`, "[\"\uFFFD\",\"x\uFFFD\uFFFD\\ud83d\\ude00\"]", 3},
		{`{"\ud800":1}`, "{\"\uFFFD\":1}", 1},
		{`"\\ud83d"`, `"\\ud83d"`, 0},
		{"[\"\uFFFD\xff\xf0\x9f\x98\"]", "[\"\uFFFD\uFFFD\uFFFD\"]", 2},
		{`"\ufffd"`, `"\ufffd"`, 0},
		{`{"a":"\ud83d`, `{"a":"\ud83d`, 0},
	}
	for _, tt := range tests {
		got, n := jsonedit.Scrub(raw(tt.in))
		if string(got) != tt.want || n != tt.n {
			t.Errorf("Scrub(%q) = %q, %d; want %q, %d", tt.in, got, n, tt.want, tt.n)
		}
	}
}

func TestScrubSaysTheSameText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lit := raw(literal(t))
		want, _ := jsonedit.String(lit)
		out, n := jsonedit.Scrub(lit)
		got, _ := jsonedit.String(out)
		if got != want || !jsontext.Value(out).IsValid() {
			t.Fatalf("Scrub(%q) = %q", lit, out)
		}
		if again, m := jsonedit.Scrub(out); m != 0 || (n == 0) != (string(lit) == string(out)) {
			t.Fatalf("scrubbed twice %q is %q, %d", out, again, m)
		}
	})
}
