package tree_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/tree"
)

// turn is a message: of a tool if call is "result of X", with a call if it is "calls X".
func turn(id, parent, call string) string {
	message := `"role":"user","content":"x"`
	if name, ok := strings.CutPrefix(call, "calls "); ok {
		message = fmt.Sprintf(`"role":"assistant","content":[{"type":"toolCall","id":%q}]`, name)
	} else if name, ok := strings.CutPrefix(call, "result of "); ok {
		message = fmt.Sprintf(`"role":"toolResult","toolCallId":%q`, name)
	}
	return fmt.Sprintf(`{"type":"message","id":%q,%s"message":{%s}}`, id, parent, message)
}

func up(id string) string { return fmt.Sprintf(`"parentId":%q,`, id) }

// TestHealing: the parent of an orphan is the one that it most likely had.
func TestHealing(t *testing.T) {
	const root = `"parentId":null,`
	for _, tt := range []struct {
		name  string
		lines []string
		gaps  []tree.Gap
		entry int
		want  int
	}{
		{"siblings hang where the first does", []string{
			turn("a", root, ""), turn("b", up("lost"), ""), turn("c", up("a"), ""), turn("d", up("lost"), ""),
		}, nil, 3, 0},
		{"a damaged line says that it is a beginning", []string{
			turn("a", root, ""), turn("b", up("lost"), ""),
		}, []tree.Gap{{ID: "lost", Root: true, At: 1}}, 1, tree.None},
		{"a damaged line without an id says what it followed", []string{
			turn("a", root, ""), turn("b", up("a"), ""), turn("c", up("lost"), ""),
		}, []tree.Gap{{ParentID: "a", HasParent: true, At: 2}}, 2, 0},
		{"the one damaged line is where it was lost", []string{
			turn("a", root, ""), turn("b", up("a"), ""), turn("x", root, ""), turn("c", up("lost"), ""),
		}, []tree.Gap{{At: 2}}, 3, 1},
		{"there is room for one in that line", []string{
			turn("a", root, ""), turn("b", up("a"), ""), turn("x", up("lost 1"), ""), turn("y", root, ""), turn("c", up("lost"), ""),
		}, []tree.Gap{{At: 2}}, 4, 3},
		{"there is room for two in those lines", []string{
			turn("a", root, ""), turn("b", up("a"), ""), turn("x", up("lost 1"), ""), turn("y", root, ""), turn("c", up("lost"), ""),
		}, []tree.Gap{{ID: "lost 1", At: 2}, {At: 2}}, 4, 1},
		{"a bit of the parent's id", []string{
			turn("4f5a8c21", root, ""), turn("77b10e93", root, ""), turn("c", up("4f5a8c20"), ""),
		}, nil, 2, 0},
		{"numbers are a bit apart anyway", []string{
			turn("00000001", root, ""), turn("00000003", root, ""), turn("x", root, ""), turn("c", up("00000002"), ""),
		}, nil, 3, 2},
		{"a result belongs to its call", []string{
			turn("a", root, "calls k"), turn("b", root, ""), turn("c", up("lost"), "result of k"),
		}, nil, 2, 0},
		{"a result further on", []string{
			turn("a", root, "calls k"), turn("b", up("a"), ""), turn("x", root, ""), turn("c", up("lost"), ""), turn("d", up("c"), "result of k"),
		}, nil, 3, 1},
		{"the call came later", []string{
			turn("a", root, "calls k"), turn("x", root, ""), turn("c", up("lost"), "calls k"), turn("d", up("c"), "result of k"),
		}, nil, 2, 1},
		{"no parentId", []string{turn("a", root, ""), turn("b", "", "")}, nil, 1, 0},
		{"no parentId, and the call", []string{
			turn("a", root, "calls k"), turn("b", root, ""), turn("c", "", "result of k"),
		}, nil, 2, 0},
		{"a letter of the key", []string{
			turn("a", root, ""), turn("b", root, ""), turn("c", `"pqrentId":"a",`, ""),
		}, nil, 2, 0},
		{"a letter of the key of a beginning", []string{
			turn("a", root, ""), turn("b", `"parentIe":null,`, ""),
		}, nil, 1, tree.None},
		{"null", []string{turn("a", root, ""), turn("b", root, "")}, nil, 1, tree.None},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := list(t, tt.lines...)
			if got := tree.New(l, tt.gaps).Parent(tt.entry, tree.Healed); got != tt.want {
				t.Errorf("entry %d is below %d, want %d", tt.entry, got, tt.want)
			}
		})
	}
}
