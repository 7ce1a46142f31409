package tree_test

import (
	"fmt"
	"log"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/tree"
)

// Entries are a tree: a branch is the path to one of them.
func Example() {
	line := func(id, parent string) []byte {
		return fmt.Appendf(nil, `{"type":"message","id":%q,"parentId":%q,"message":{"role":"user","content":""}}`, id, parent)
	}
	list, err := entry.NewList([][]byte{line("a", ""), line("b", "a"), line("c", "a")})
	if err != nil {
		log.Fatal(err)
	}
	t := tree.New(list, nil)
	fmt.Println(t.Path(t.Leaf(), tree.Strict), t.Children(0, tree.Strict))
	// Output: [0 2] [1 2]
}
