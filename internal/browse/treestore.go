package browse

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
)

// A treeStore reads one session for its tree. It opens it to look only; its
// commands run beside each other.
type treeStore struct {
	ctx  context.Context
	lib  *work.Library // says nothing; its index is closed with the tree
	path string

	explain func(error) Explanation

	stop context.CancelFunc // ends the search that runs; for the screen's goroutine only

	mu sync.Mutex
	s  *session.Session // guarded by mu, as are its list and its tree; nil until open

	made []string // guarded by mu: paths of the sessions that were made
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
		t.s, err = t.lib.OpenReadAt(t.ctx, t.path, nil)
	} else {
		_, err = t.s.Refresh(t.ctx)
	}
	if err != nil {
		return t.answer(treeview.Opened{Err: t.worded(err)})
	}
	tr := tree.Of(t.s.Tree())
	o, err := treeview.NewOutline(t.s.List(), tr, tr.Leaf(), factsOf(t.s))
	return t.answer(treeview.Opened{Outline: o, Err: err})
}

// worded is an error in a person's words.
func (t *treeStore) worded(err error) error { return errors.New(t.explain(err).Text) }

// close lets go of the session.
func (t *treeStore) close() error {
	if t.stop != nil {
		t.stop()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lib.CloseIndex()
	if t.s == nil {
		return nil
	}
	err := t.s.Close()
	t.s = nil
	return err
}

// change opens the session to write, has f change it and closes it. What is worth
// knowing besides is returned.
func (t *treeStore) change(f func(context.Context, *session.Session) error) ([]work.Note, error) {
	var notes noteList
	l := t.lib.Beside(work.Front{Note: notes.keep})
	defer l.CloseIndex()
	if _, err := l.Stat(t.path); err != nil { // it would be begun
		return nil, &work.Error{Step: work.Opening, Path: t.path, Err: err}
	}
	s, err := l.OpenAny(t.ctx, t.path)
	if err != nil {
		return nil, err
	}
	err = f(t.ctx, s)
	if closed := s.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, &work.Error{Step: work.Saving, Path: t.path, Err: err}
	}
	return notes.all(), nil
}

// refused tells why something was not changed.
func (t *treeStore) refused(err error) tea.Msg {
	return t.answer(treeview.Told{Text: t.explain(err).Text, Bad: true})
}

// noteMade notes a session that was made.
func (t *treeStore) noteMade(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.made = append(t.made, path)
}

// allMade are the sessions that were made.
func (t *treeStore) allMade() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.made
}

// gists reads what rows say.
func (t *treeStore) gists(entries []int) tea.Cmd {
	return func() tea.Msg {
		var g treeview.Gists
		for _, i := range entries {
			t.mu.Lock()
			if t.s != nil && t.ctx.Err() == nil && i < t.s.Len() {
				g.All = append(g.All, gistOf(t.s.List(), i))
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
		return t.answer(t.read(i))
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
	return match(list, *at, line, strings.ToLower(id+" "+label), words), size, true
}
