package opencode_test

import (
	"testing"

	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/opencode"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/layout"
)

// TestScribe writes the branch of the leaf and says what the others lack.
func TestScribe(t *testing.T) {
	t.Parallel()
	w, err := opencode.New().(foreign.Scribe).Write(t.Context(), foreign.Sheet{
		ID: "x", CWD: "/w", Time: "2026-03-01T09:00:00.000Z", Title: "Beds", Leaf: "c", Env: layout.Env{Cwd: "/here"},
		Lines: []entry.JSON{
			entry.JSON(`{"type":"message","id":"a","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":"What grows?"}}`),
			entry.JSON(`{"type":"message","id":"b","parentId":"a","timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":"Elsewhere."}}`),
			entry.JSON(`{"type":"message","id":"c","parentId":"a","timestamp":"2026-03-01T09:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Kale."}],"provider":"p","model":"m","stopReason":"stop"}}`),
			entry.JSON(`{"type":"label","id":"d","parentId":"c","timestamp":"2026-03-01T09:00:03.000Z","targetId":"a","label":"here"}`),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	messages, _ := jsonedit.Get(w.Text, "messages")
	title, _ := jsonedit.Path(w.Text, "info", "title")
	if jsonedit.Len(messages) != 2 || string(title) != `"Beds"` || w.Name != "/here/"+w.ID+".json" {
		t.Errorf("%s is %s", w.Name, w.Text)
	}
	if w.Left[1] != foreign.Elsewhere || w.Left[3] != foreign.Elsewhere || w.Left[0] == foreign.Elsewhere {
		t.Errorf("left %v", w.Left)
	}
	var _ map[int]convert.Reason = w.Left
}
