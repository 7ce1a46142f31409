package browse

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
	"github.com/cambium-dev/cambium/session"
)

// factsOf are what a tree shows of a session as a whole.
func factsOf(s *session.Session) treeview.Facts {
	f, d := briefly(s)
	f.Marks = map[int]string{}
	list := s.List()
	for _, h := range tree.Of(s.Tree()).Heals() {
		f.Marks[h.Entry] = "its parent is missing: it hangs on the readable entry before it"
		if h.Gap >= 0 {
			f.Marks[h.Entry] = "its parent is damaged: it hangs on what is legible of it"
		}
	}
	for _, i := range tree.Of(s.Tree()).Cycles() {
		f.Marks[i] = "its parents lead back to it"
	}
	for _, flag := range slices.Concat(d.Flagged, d.DanglingFirstKept) {
		if i := list.Find(flag.ID); i >= 0 {
			f.Marks[i] = flag.Detail
		}
	}
	for _, twin := range d.Duplicates {
		for i := list.Find(twin.ID); i >= 0; i = list.Twin(i) {
			f.Marks[i] = "several entries have its id"
		}
	}
	return f
}

// briefly are the facts without the marks of single entries, and what was found wrong.
func briefly(s *session.Session) (f treeview.Facts, d *defects.Report) {
	f.Name = nameOf(s)
	d = defects.Of(s.Damage())
	if d.Any() {
		f.Notes = append(f.Notes, d.String())
	}
	switch {
	case s.Header().Version > session.CurrentVersion:
		f.ReadOnly = fmt.Sprintf("its version %v is newer than %d: it can be read, not appended to", s.Header().Version, session.CurrentVersion)
		f.Notes = append(f.Notes, f.ReadOnly)
	case d.HeaderRebuilt:
		f.ReadOnly = "it has no valid header: run `cambium doctor` on it"
	}
	return f, d
}

// nameOf is a session's name, or what stands for it.
func nameOf(s *session.Session) string {
	name, _ := s.Title()
	if name == "" {
		name = firstPrompt(s)
	}
	return name
}

// firstPrompt returns what the user said first, else the session's id.
func firstPrompt(s *session.Session) string {
	list := s.List()
	for i := range list.Len() {
		if list.Role(i) == entry.RoleUser {
			return cmp.Or(gistOf(list, i).Text, s.ID())
		}
	}
	return s.ID()
}
