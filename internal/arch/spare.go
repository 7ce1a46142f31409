package arch

import (
	"io/fs"
	"maps"
	"slices"
)

// Spare returns what the table allows and nobody uses, in the order of the table: a
// room that is not there, and an import that no file of a room has but its tests. What
// is allowed and not used is what the next change would lean on unseen.
func Spare(root fs.FS, module string, rooms []Room) ([]Problem, error) {
	h, err := load(root, module)
	if err != nil {
		return nil, err
	}
	used := map[string]map[string]bool{}
	for _, f := range h.folders {
		used[f.path] = h.used(f)
	}
	for _, room := range rooms {
		if used[room.Path] == nil {
			h.report("row "+room.Path, "there is no such room")
			continue
		}
		for _, may := range room.May {
			if !used[room.Path][may] {
				h.report("row "+room.Path, "may import %s, and does not", may)
			}
		}
	}
	return h.problems, nil
}

// used returns the rooms that the code of a folder imports.
func (h *house) used(f folder) map[string]bool {
	all := map[string]bool{}
	for _, file := range f.code() {
		for _, spec := range file.ast.Imports {
			if room, ours := h.room(importPath(spec)); ours {
				all[room] = true
			}
		}
	}
	return all
}

// Chain returns the longest way through imports of the module's code, from the room
// that stands on most others down to the one that stands on none.
func Chain(root fs.FS, module string) ([]string, error) {
	h, err := load(root, module)
	if err != nil {
		return nil, err
	}
	imports := map[string][]string{}
	for _, f := range h.folders {
		imports[f.path] = slices.Sorted(maps.Keys(h.used(f)))
	}
	known := map[string][]string{}
	var from func(room string) []string
	from = func(room string) []string {
		if way := known[room]; way != nil {
			return way
		}
		var longest []string
		for _, next := range imports[room] {
			if way := from(next); len(way) > len(longest) {
				longest = way
			}
		}
		known[room] = append([]string{room}, longest...)
		return known[room]
	}
	var longest []string
	for _, room := range slices.Sorted(maps.Keys(imports)) {
		if way := from(room); len(way) > len(longest) {
			longest = way
		}
	}
	return longest, nil
}
