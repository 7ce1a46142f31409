package tree_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/tree"
)

// TestFlat: the tree as a list is as deep as an entry, however long it is.
func TestFlat(t *testing.T) {
	var lines [][]byte
	parent := "null"
	for i := range 2000 {
		id := fmt.Sprintf("e%d", i)
		lines = append(lines, fmt.Appendf(nil, `{"type":"custom","id":%q,"parentId":%s}`, id, parent))
		parent = `"` + id + `"`
	}
	lines = append(lines, []byte(`{"type":"label","id":"l","parentId":"e0","timestamp":"2026-01-02T03:04:05.000Z","targetId":"e1","label":"here"}`))
	list, err := entry.NewList(lines)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tree.New(list, nil).AppendForm(nil, tree.Strict, tree.Form{Flat: true, Times: true})
	if err != nil {
		t.Fatal(err)
	}
	text := string(got)
	for _, want := range []string{
		`[{"entry":{"type":"custom","id":"e0","parentId":null},"depth":0},`,
		`,{"entry":{"type":"custom","id":"e1","parentId":"e0"},"label":"here","labelTimestamp":"2026-01-02T03:04:05.000Z","depth":1},`,
		`,{"entry":{"type":"custom","id":"e1999","parentId":"e1998"},"depth":1999}`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not there", want)
		}
	}
	if strings.Contains(text, "children") || strings.Count(text, `"depth"`) != len(lines) {
		t.Errorf("%.200s", text)
	}
}
