package browse

import (
	"bytes"
	"context"
	"errors"
	"sort"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/tui/readview"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
)

// A readStore reads one session for its reader. It opens it to look only; its commands
// run beside each other.
type readStore struct {
	ctx     context.Context
	lib     *work.Library // says nothing; its index is closed with the reader
	path    string
	explain func(error) Explanation
	what    Reading
	links   tree.Links

	stop context.CancelFunc // ends the search that runs; for the screen's goroutine only

	mu sync.Mutex
	s  *session.Session // guarded by mu, as are its list and its tree; nil until open
	b  *branch          // guarded by mu: what is read of it
}

// A readAnswer is a message for the reader of one session, and not for the one that took
// its place.
type readAnswer struct {
	store *readStore
	msg   tea.Msg
}

func (t *readStore) answer(msg tea.Msg) tea.Msg { return readAnswer{t, msg} }

// failed brings an error in place of a branch.
func (t *readStore) failed(err error) tea.Msg {
	return t.answer(readview.Opened{Err: errors.New(t.explain(err).Text)})
}

// open reads the session and brings the branch, with what its first screen says.
func (t *readStore) open() tea.Msg {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.s == nil {
		s, err := t.lib.OpenReadAt(t.ctx, t.path, nil)
		if err != nil {
			return t.failed(err)
		}
		t.s = s
	}
	leaf, at := t.s.LeafPosition(), -1
	if t.what.Leaf != "" {
		leaf = t.s.List().Find(t.what.Leaf)
	}
	if t.what.At != "" {
		at = t.s.List().Find(t.what.At)
	}
	if t.what.Line > 0 {
		list := t.s.List()
		at = sort.Search(list.Len(), func(i int) bool { return list.At(i).Line >= t.what.Line })
		if at == list.Len() {
			at = -1
		}
	}
	t.b = branchTo(t.s, leaf, t.links, t.what.Full)
	if at >= 0 && t.b.row(at) < 0 { // it is on another branch
		t.b = branchTo(t.s, newest(tree.Of(t.s.Tree()), t.s.List(), at, t.links), t.links, t.what.Full)
	}
	o := t.opened(t.b.row(at))
	o.Next = t.notes
	return t.answer(o)
}

// notes says what is wrong with the session, which takes longer than its first screen.
func (t *readStore) notes() tea.Msg {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.s == nil {
		return nil
	}
	f, _ := briefly(t.s)
	return t.answer(readview.Noted{Notes: f.Notes})
}

// opened brings the branch, to begin at a row. t.mu is held.
func (t *readStore) opened(at int) readview.Opened {
	o := readview.Opened{Rows: t.b.rows, At: at, Facts: readview.Facts{Name: nameOf(t.s)}}
	if leaf := t.s.LeafPosition(); leaf >= 0 {
		o.Facts.Elsewhere = t.b.place(leaf) < 0
	}
	const first, most = 32, 256 << 10 // rows, bytes
	from, by := at-first/4, 1
	if at < 0 {
		from, by = len(t.b.rows)-1, -1
	}
	for row, n := max(from, 0), 0; row >= 0 && row < len(t.b.rows) && len(o.Bodies) < first && n < most; row += by {
		body := t.body(row)
		o.Bodies = append(o.Bodies, body)
		n += body.Size
	}
	return o
}

// close lets go of the session.
func (t *readStore) close() error {
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

// read reads what rows say.
func (t *readStore) read(first *readview.Row, rows []int) tea.Cmd {
	return func() tea.Msg {
		m := readview.Bodies{Of: first}
		for _, row := range rows {
			t.mu.Lock()
			if t.s != nil && t.ctx.Err() == nil && len(t.b.rows) > row && first == &t.b.rows[0] {
				m.All = append(m.All, t.body(row))
			}
			t.mu.Unlock()
		}
		return t.answer(m)
	}
}

// turn brings another branch from a branch point.
func (t *readStore) turn(w readview.Turn) tea.Cmd {
	if t.stop != nil {
		t.stop()
	}
	return func() tea.Msg {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.s == nil {
			return nil
		}
		tr, list := tree.Of(t.s.Tree()), t.s.List()
		to := w.To
		if to < 0 {
			to = t.b.other(tr, list, w.Behind, t.links)
		}
		if to < 0 || to >= list.Len() {
			return t.answer(readview.Told{Text: "no other branch leaves here", Bad: true})
		}
		t.b = branchTo(t.s, newest(tr, list, to, t.links), t.links, t.what.Full)
		return t.answer(t.opened(t.b.fork(w.Behind)))
	}
}

// search ends the search before it and returns the command that begins this one.
func (t *readStore) search(w readview.Search) tea.Cmd {
	if t.stop != nil {
		t.stop()
	}
	ctx, stop := context.WithCancel(t.ctx)
	t.stop = stop
	var from func(n int) tea.Cmd
	from = func(n int) tea.Cmd {
		return func() tea.Msg {
			m := readview.Hits{Seq: w.Seq}
			begun, read := time.Now(), int64(0)
			for i := 0; i < searchEntries && read < searchBytes && time.Since(begun) < searchTime; i++ {
				row, found, size := t.look(w.From, n, w.All)
				if ctx.Err() != nil {
					return nil
				}
				if row < 0 {
					m.Done = true
					return t.answer(m)
				}
				if found {
					m.Rows = append(m.Rows, row)
				}
				read += size
				n++
			}
			m.Next = from(n)
			return t.answer(m)
		}
	}
	return from(0)
}

// look looks into the n-th row of a search that began at a row; -1 when there are no
// more: those below it come first.
func (t *readStore) look(from, n int, all []readview.Pattern) (row int, found bool, size int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.s == nil || n >= len(t.b.rows) {
		return -1, false, 0
	}
	if row = from + n; row >= len(t.b.rows) {
		row = len(t.b.rows) - 1 - n
	}
	if t.b.rows[row].Sort == readview.Fork {
		return row, false, 0
	}
	i := t.b.rows[row].Entry
	if size = t.s.List().At(i).Len; size > treeFull {
		return row, false, size
	}
	if !t.mayHave(i, all) {
		return row, false, size
	}
	p := t.passage(i, transcript.Options{})
	for _, one := range all {
		if !has(&p, one) {
			return row, false, size
		}
	}
	return row, len(all) > 0, size
}

// mayHave reports whether all of something may stand in an entry: of a message it looks at
// the bytes, which takes a fraction of decoding them.
func (t *readStore) mayHave(i int, all []readview.Pattern) bool {
	if t.s.List().Kind(i) != entry.Message {
		return true // it is shown in words of our own
	}
	line, err := t.s.List().Load(i)
	if err != nil {
		return true
	}
	var lower []byte
	for _, one := range all {
		for _, word := range one.Words() {
			if !plainWord(word) {
				continue
			}
			if lower == nil {
				lower = lowered(line)
			}
			if !bytes.Contains(lower, []byte(word)) {
				return false
			}
		}
	}
	return true
}

// has reports whether something stands in a passage.
func has(p *readview.Passage, what readview.Pattern) bool {
	for text := range p.Words() {
		if what.In(text) {
			return true
		}
	}
	return false
}

// seek looks for the next row with an error.
func (t *readStore) seek(w readview.Seek) tea.Cmd {
	return func() tea.Msg {
		m := readview.Sought{Seq: w.Seq, By: w.By, Row: w.From}
		for {
			m.Row += w.By
			switch errs, there := t.errs(m.Row); {
			case t.ctx.Err() != nil:
				return nil
			case !there:
				m.Row = -1
				return t.answer(m)
			case errs:
				return t.answer(m)
			}
		}
	}
}

// errs reports whether a row tells of an error, and whether there is such a row.
func (t *readStore) errs(row int) (errs, there bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.s == nil || row < 0 || row >= len(t.b.rows) {
		return false, false
	}
	r := t.b.rows[row]
	if r.Sort == readview.Fork || r.Sort == readview.Prompt || t.s.List().At(r.Entry).Len > treeFull {
		return false, true
	}
	if !t.mayErr(r.Entry) {
		return false, true
	}
	p := t.passage(r.Entry, transcript.Options{})
	for _, part := range p.Parts {
		if part.Sort == transcript.Said && part.Message.Errs() {
			return true, true
		}
	}
	return false, true
}

// mayErr reports whether an entry may tell of an error, as far as its bytes say.
func (t *readStore) mayErr(i int) bool {
	line, err := t.s.List().Load(i)
	if err != nil {
		return true
	}
	switch t.s.List().Role(i) {
	case entry.RoleAssistant:
		return bytes.Contains(line, []byte("rror")) // "errorMessage", "error"
	case entry.RoleToolResult:
		return bytes.Contains(line, []byte("true")) || bytes.Contains(line, []byte("exitCode"))
	}
	return true
}
