package arch

import (
	"go/ast"
	"slices"
	"strings"
)

// lockRoom is the room that may take locks of files by the system.
const lockRoom = "internal/vfs"

// bounded checks that locks of files are taken in one place, which waits for none
// without end and names who holds it.
func (h *house) bounded(table map[string]Room) {
	calls := strings.Fields("Flock FcntlFlock FcntlInt LockFile LockFileEx")
	packages := []string{"syscall", "golang.org/x/sys/unix", "golang.org/x/sys/windows"}
	for _, f := range h.folders {
		if table[f.path].Wing == Testing || f.path == lockRoom {
			continue
		}
		for _, file := range f.code() {
			local := map[string]string{}
			for _, p := range packages {
				if name := file.localName(p); name != "" {
					local[name] = p
				}
			}
			ast.Inspect(file.ast, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				x, ok := sel.X.(*ast.Ident)
				if ok && local[x.Name] != "" && slices.Contains(calls, sel.Sel.Name) {
					h.at(sel.Pos(), "%s.%s takes a lock past %s: vfs.File.Lock waits for a few seconds, and says who has it", local[x.Name], sel.Sel.Name, lockRoom)
				}
				return true
			})
		}
	}
}
