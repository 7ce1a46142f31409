package arch

import (
	"go/ast"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Check returns every place of the module's source where the house is broken, in
// the order of folders; an error when the source cannot be read.
func Check(root fs.FS, module string, rooms []Room, grants []Grant) ([]Problem, error) {
	h, err := load(root, module)
	if err != nil {
		return nil, err
	}
	table := h.table(rooms)
	reach := h.reach()
	for _, f := range h.folders {
		h.names(f)
		h.comments(f)
		for _, file := range f.files {
			h.style(file)
		}
		room, ok := table[f.path]
		if !ok {
			h.report(f.path, "a room without a row in the table of internal/arch")
			continue
		}
		h.imports(f, room, table)
		h.undecoded(f, room)
		if room.Wing == Meaning {
			h.pure(f, grants)
		}
		if room.Blind {
			h.blind(f)
		}
		if room.Light {
			h.light(f, reach)
		}
	}
	h.reached(table, grants)
	h.bounded(table)
	return h.problems, nil
}

// table checks the table itself and returns it by path.
func (h *house) table(rooms []Room) map[string]Room {
	above := map[string]Room{}
	for _, room := range rooms {
		if _, twice := above[room.Path]; twice {
			h.report("row "+room.Path, "stands twice in the table")
		}
		for _, may := range room.May {
			if _, ok := above[may]; !ok {
				h.report("row "+room.Path, "names %s, which does not stand above it", may)
			}
		}
		above[room.Path] = room
	}
	return above
}

// imports checks what a room imports of this module. Test files may import any
// room, code may not import a room for tests.
func (h *house) imports(f folder, room Room, table map[string]Room) {
	for _, file := range f.code() {
		for _, spec := range file.ast.Imports {
			target, ok := h.room(importPath(spec))
			if !ok {
				continue
			}
			switch {
			case !slices.Contains(room.May, target):
				h.at(spec.Pos(), "%s may not import %s", f.path, target)
			case table[target].Wing == Testing && room.Wing != Testing:
				h.at(spec.Pos(), "%s imports %s, which is for tests", f.path, target)
			}
		}
	}
}

// undecoded checks that no room but those of tests decodes pictures: a few bytes
// of one unpack to gigabytes, and nothing here needs to see one.
func (h *house) undecoded(f folder, room Room) {
	if room.Wing == Testing {
		return
	}
	for _, file := range f.code() {
		for _, spec := range file.ast.Imports {
			if p := importPath(spec); p == "image" || strings.HasPrefix(p, "image/") || strings.HasPrefix(p, "golang.org/x/image") {
				h.at(spec.Pos(), "%s imports %s: pictures are passed on as bytes, and not decoded", f.path, p)
			}
		}
	}
}

// pure checks that a meaning room has no way to the world, but in a file with a grant.
func (h *house) pure(f folder, grants []Grant) {
	banned := []string{
		"os", "net", "path/filepath", "math/rand", "crypto/rand", "io/ioutil", "syscall", "runtime", "plugin",
		"database/sql", "golang.org/x/sys", "golang.org/x/term",
	}
	for _, file := range f.code() {
		if slices.ContainsFunc(grants, func(g Grant) bool { return g.Path == file.path }) {
			continue
		}
		for _, spec := range file.ast.Imports {
			p := importPath(spec)
			for _, b := range banned {
				if p == b || strings.HasPrefix(p, b+"/") {
					h.at(spec.Pos(), "a meaning room imports %s: let the caller give it as a value", p)
				}
			}
		}
		clock := file.localName("time")
		ast.Inspect(file.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || clock == "" {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); !ok || x.Name != clock {
				return true
			}
			switch sel.Sel.Name {
			case "Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Local":
				h.at(sel.Pos(), "a meaning room uses time.%s: let the caller give it as a value", sel.Sel.Name)
			}
			return true
		})
	}
}

// blind checks that no code tells dialects apart by their names.
func (h *house) blind(f folder) {
	for _, file := range f.code() {
		ast.Inspect(file.ast, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok {
				return true
			}
			switch s, _ := stringOf(lit); s {
			case "pi", "omp", "xcsh", "cambium":
				h.at(lit.Pos(), "%s names the dialect %q: take a rule as a value", f.path, s)
			}
			return true
		})
	}
}

// light checks that a room reaches no heavy package, and names the way to it.
func (h *house) light(f folder, reach func(from string) map[string][]string) {
	heavy := []string{
		"database/sql", "net/http", "modernc.org/sqlite", "zombiezen.com/go/sqlite", "crawshaw.io/sqlite",
		"github.com/mattn/go-sqlite3", "github.com/ncruces/go-sqlite3", "charm.land/bubbletea", "charm.land/bubbles",
		"github.com/charmbracelet/bubbletea", "github.com/charmbracelet/bubbles",
		"github.com/jackc/pgx", "github.com/pressly/goose", "github.com/nats-io/nats.go",
	}
	found := reach(f.path)
	for _, p := range slices.Sorted(maps.Keys(found)) {
		for _, b := range heavy {
			if p == b || strings.HasPrefix(p, b+"/") {
				h.report(f.path, "reaches %s through %s", p, strings.Join(found[p], " → "))
			}
		}
	}
}

// reach returns a function that lists every import from outside the module that
// a folder has, itself or through rooms, with the rooms on the way.
func (h *house) reach() func(from string) map[string][]string {
	imports := map[string][]string{}
	for _, f := range h.folders {
		for _, file := range f.code() {
			for _, spec := range file.ast.Imports {
				imports[f.path] = append(imports[f.path], importPath(spec))
			}
		}
	}
	return func(from string) map[string][]string {
		found := map[string][]string{}
		seen := map[string]bool{from: true}
		for queue := [][]string{{from}}; len(queue) > 0; queue = queue[1:] {
			way := queue[0]
			for _, p := range imports[way[len(way)-1]] {
				target, ours := h.room(p)
				switch {
				case !ours:
					if found[p] == nil {
						found[p] = way
					}
				case !seen[target]:
					seen[target] = true
					queue = append(queue, append(way[:len(way):len(way)], target))
				}
			}
		}
		return found
	}
}

// names checks the name of a package: that of its folder, and one that says
// something.
func (h *house) names(f folder) {
	want := path.Base(f.path)
	if f.path == "." {
		want = path.Base(h.module)
	}
	for _, word := range []string{
		"util", "utils", "common", "helper", "helpers", "types", "base", "misc", "manager", "service", "impl",
	} {
		if want == word {
			h.report(f.path, "a package named %s says nothing: name what it is about", word)
		}
	}
	for _, file := range f.files {
		name := strings.TrimSuffix(file.ast.Name.Name, "_test")
		if name != want && name != "main" {
			h.at(file.ast.Name.Pos(), "package %s lies in a folder named %s", name, want)
		}
	}
}
