package jsonedit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"pgregory.net/rapid"
)

// TestStepGet: what a step tells of its object is what the text of the object tells.
func TestStepGet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := raw(document(4).Draw(t, "doc"))
		asked := []string{"", "a", "type", "nobody"}
		var last string
		jsonedit.Walk(doc, jsonedit.Visitor{Enter: func(at *jsonedit.Step, v raw) (raw, jsonedit.Action) {
			last = at.Key
			for key := range jsonedit.Members(v) {
				asked = append(asked, key)
			}
			for _, key := range append(asked, last) {
				got, ok := at.Get(key)
				want, there := jsonedit.Get(v, key)
				if ok != there || string(got) != string(want) {
					t.Fatalf("%q of %s is %s, %v; want %s, %v", key, v, got, ok, want, there)
				}
			}
			return nil, jsonedit.Into
		}})
	})
}

// TestStepGetLeaps: asking each of ten thousand objects, one inside the other, takes
// what reading them takes.
func TestStepGetLeaps(t *testing.T) {
	deep := raw(strings.Repeat(`{"type":"x","a":`, 4*jsonedit.MaxDepth) + "1" + strings.Repeat("}", 4*jsonedit.MaxDepth))
	start, told := time.Now(), 0
	jsonedit.Walk(deep, jsonedit.Visitor{Enter: func(at *jsonedit.Step, _ raw) (raw, jsonedit.Action) {
		if kind, ok := at.Text("type"); ok && kind == "x" {
			told++
		}
		return nil, jsonedit.Into
	}})
	if took := time.Since(start); told != jsonedit.MaxDepth+1 || took > 5*time.Second {
		t.Errorf("%d told their kind, in %v", told, took)
	}
}
