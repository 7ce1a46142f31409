package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
	"github.com/cambium-dev/cambium/session"
)

// A treeStore reads one session for its tree. It opens it to look only; its
// commands run beside each other.
type treeStore struct {
	ctx  context.Context
	a    *app
	path string

	stop context.CancelFunc // ends the search that runs; for the screen's goroutine only

	mu sync.Mutex
	s  *session.Session // guarded by mu, as are its list and its tree; nil until open
}

// A treeAnswer is a message for the tree of one session, and not for the one
// that took its place.
type treeAnswer struct {
	store *treeStore
	msg   tea.Msg
}

func (t *treeStore) answer(msg tea.Msg) tea.Msg { return treeAnswer{t, msg} }

// open reads the session, or what was added to it, and brings its outline.
func (t *treeStore) open() tea.Msg {
	t.mu.Lock()
	defer t.mu.Unlock()
	var err error
	if t.s == nil {
		t.s, err = t.a.openReadAt(t.ctx, t.path, nil)
	} else {
		_, err = t.s.Refresh(t.ctx)
	}
	if err != nil {
		return t.answer(treeview.Opened{Err: err})
	}
	tr := t.s.Tree()
	o, err := treeview.NewOutline(t.s.List(), tr, tr.Leaf(), treeFacts(t.s))
	return t.answer(treeview.Opened{Outline: o, Err: err})
}

// close lets go of the session.
func (t *treeStore) close() error {
	if t.stop != nil {
		t.stop()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.a.lib.CloseIndex()
	if t.s == nil {
		return nil
	}
	err := t.s.Close()
	t.s = nil
	return err
}

// treeFacts are what a tree shows of a session as a whole.
func treeFacts(s *session.Session) treeview.Facts {
	f := treeview.Facts{Marks: map[int]string{}}
	f.Name, _ = s.Title()
	if f.Name == "" {
		f.Name = firstPrompt(s)
	}
	d := s.Damage()
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
	list := s.List()
	for _, h := range s.Tree().Heals() {
		f.Marks[h.Entry] = "its parent is missing: it hangs on the readable entry before it"
		if h.Gap >= 0 {
			f.Marks[h.Entry] = "its parent is damaged: it hangs on what is legible of it"
		}
	}
	for _, i := range s.Tree().Cycles() {
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

// firstPrompt returns what the user said first, else the session's id.
func firstPrompt(s *session.Session) string {
	list := s.List()
	for i := range list.Len() {
		if list.Role(i) == entry.RoleUser {
			return first(treeGist(list, i).Text, s.ID())
		}
	}
	return s.ID()
}

// gists reads what rows say.
func (t *treeStore) gists(entries []int) tea.Cmd {
	return func() tea.Msg {
		var g treeview.Gists
		for _, i := range entries {
			t.mu.Lock()
			if t.s != nil && t.ctx.Err() == nil && i < t.s.Len() {
				g.All = append(g.All, treeGist(t.s.List(), i))
			}
			t.mu.Unlock()
		}
		return t.answer(g)
	}
}

// body reads all that an entry says.
func (t *treeStore) body(i int) tea.Cmd {
	return func() tea.Msg {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.s == nil || i >= t.s.Len() {
			return nil
		}
		return t.answer(t.a.treeBody(t.ctx, t.s, i))
	}
}

// How much is searched before what was found is shown.
const (
	searchEntries = 4000
	searchBytes   = 16 << 20
	searchTime    = 80 * time.Millisecond
)

// search ends the search before it and returns the command that begins this one.
// The leaf's end of the file comes first.
func (t *treeStore) search(s treeview.Search) tea.Cmd {
	if t.stop != nil {
		t.stop()
	}
	ctx, stop := context.WithCancel(t.ctx)
	t.stop = stop
	var from func(at int) tea.Cmd
	from = func(at int) tea.Cmd {
		return func() tea.Msg {
			m := treeview.Matches{Seq: s.Seq}
			begun, read := time.Now(), int64(0)
			for n := 0; n < searchEntries && read < searchBytes && time.Since(begun) < searchTime; n++ {
				found, size, more := t.searchEntry(&at, s.Words)
				if ctx.Err() != nil {
					return nil
				}
				if !more {
					m.Done = true
					return t.answer(m)
				}
				if found {
					m.Found = append(m.Found, at)
				}
				read += size
			}
			m.Next = from(at)
			return t.answer(m)
		}
	}
	return from(-1)
}

// searchEntry looks into the entry before at, into the last one for -1, and
// makes it at; more is false when there is none.
func (t *treeStore) searchEntry(at *int, words []string) (found bool, size int64, more bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.s == nil {
		return false, 0, false
	}
	if *at < 0 {
		*at = t.s.Len()
	}
	if *at--; *at < 0 {
		return false, 0, false
	}
	list := t.s.List()
	size = list.At(*at).Len
	line, err := list.Load(*at)
	if err != nil {
		return false, size, true
	}
	id, _ := list.ID(*at)
	label, _, _ := t.s.Label(id) // what cannot be read is not found
	return treeMatch(list, *at, line, strings.ToLower(id+" "+label), words), size, true
}
