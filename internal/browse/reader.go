package browse

import (
	"context"
	"fmt"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/editor"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/tui/readview"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
)

// Reading says what of a session is read, and from where on.
type Reading struct {
	// Leaf is the last entry of the branch; "" for that on which the session goes on.
	Leaf string
	// At is the entry to begin at; "" for the end. It may be on any branch.
	At string
	// Line is the line of the entry to begin at instead, 0 for none.
	Line int
	// Words are what is marked at first, as a person spells it, and Marks what matches
	// it; none for nothing.
	Words string
	Marks []readview.Pattern
	// Full has everything open at first, and shows the records of programs.
	Full bool
	// Strict takes links between entries as they are written.
	Strict bool
}

// A Reader is one session to read, as a screen. It carries out what copies something;
// what ends it (readview.Back and Exit, treeview.Resume) is for whoever shows it, who
// also closes it.
type Reader struct {
	model  readview.Model
	store  *readStore
	editor editor.Editor
}

// NewReader returns the reader of the session at a path. It shows nothing before the
// message of Open came.
func NewReader(ctx context.Context, o Options, path string, r Reading) *Reader {
	store := &readStore{ctx: ctx, lib: o.Library.Beside(work.Front{}), path: path, explain: o.Explain, what: r, links: tree.Healed}
	if r.Strict {
		store.links = tree.Strict
	}
	return &Reader{store: store, editor: o.Editor, model: readview.New(readview.Options{
		Theme: o.Theme, Name: work.Tilde(o.Library.Env.Home, path), ASCII: o.ASCII, Full: r.Full, Now: o.Library.Now,
		Words: r.Words, Marks: r.Marks,
		Read: store.read, Search: store.search, Seek: store.seek, Turn: store.turn,
	})}
}

// of has the reader read a session that is open. It closes the session.
func (r *Reader) of(s *session.Session) { r.store.s = s }

// Open reads the session; looking at it writes nothing.
func (r *Reader) Open() tea.Msg { return r.store.open() }

// Update takes a message.
func (r *Reader) Update(msg tea.Msg) (cmd tea.Cmd) {
	if answer, ok := msg.(readAnswer); ok {
		if answer.store != r.store {
			return nil // of a session that was left meanwhile
		}
		msg = answer.msg
	}
	switch msg := msg.(type) {
	case readview.Resume:
		return r.resume(msg.Entry)
	case readview.Edit:
		return r.editor.Edit("message.md", plainly(msg.Text), func(_ string, err error) tea.Msg {
			if err != nil {
				return r.store.answer(readview.Told{Text: r.editor.Wrong(err), Bad: true})
			}
			return nil
		})
	case readview.Copy:
		told := readview.Told{Text: "copied " + msg.What}
		return tea.Batch(tea.SetClipboard(msg.Text), func() tea.Msg { return r.store.answer(told) })
	}
	r.model, cmd = r.model.Update(msg)
	return cmd
}

// plainly puts a text that somebody else may have written where no editor obeys what it says to
// editors: Vim looks at the first five lines and the last five, Emacs at the first and at the
// last page.
func plainly(text string) string {
	const lines = "\n\n\n\n\n"
	return lines + text + "\n\f" + lines
}

// resume goes on from an entry, as the tree does.
func (r *Reader) resume(i int) tea.Cmd {
	return func() tea.Msg {
		id, leaf, refused := r.store.named(i)
		if refused != "" {
			return r.store.answer(readview.Told{Text: refused, Bad: true})
		}
		return treeview.Resume{ID: id, Leaf: leaf}
	}
}

// View draws the screen.
func (r *Reader) View() tea.View {
	v := tea.NewView(r.model.View())
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	return v
}

// Close lets go of the session, by the command.
func (r *Reader) Close() tea.Cmd {
	return func() tea.Msg {
		_ = r.store.close() // nothing was written through it
		return nil
	}
}

// named returns the id by which an entry is gone on from and whether it is the leaf, or
// why that cannot be.
func (t *readStore) named(i int) (id string, leaf bool, refused string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.s == nil || i < 0 || i >= t.s.Len() {
		return "", false, "the session is closed"
	}
	list := t.s.List()
	id, ok := list.ID(i)
	switch f, _ := briefly(t.s); {
	case !ok:
		return "", false, "this entry has no id: nothing can name it"
	case list.Find(id) != i:
		return "", false, "a later entry has the same id: nothing can name this one"
	case f.ReadOnly != "":
		return "", false, f.ReadOnly
	}
	return id, i == t.s.LeafPosition(), ""
}

// RunReader shows an open session until it is left, and closes it. An error that is
// [context.Canceled] says that ctx, or the end of the terminal, ended it.
func RunReader(ctx context.Context, o Options, s *session.Session, what Reading, t Terminal) (TreeEnd, error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	o.ASCII = t.ASCII
	r := NewReader(ctx, o, s.Path(), what)
	r.of(s)
	screen := &oneReader{Reader: r, term: t, depth: o.Theme.Depth()}
	_, err := t.program(ctx, screen).Run()
	if closed := r.store.close(); err == nil && closed != nil {
		err = fmt.Errorf("close session %q: %w", s.Path(), closed)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return TreeEnd{End: screen.end, Leaf: screen.leaf}, err
}
