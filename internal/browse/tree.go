package browse

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tui/readview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
)

// A Tree is the tree of one session as a screen. It carries out what changes or
// copies something; what ends it (treeview.Resume, Back and Exit) is for whoever
// shows it, who also closes it.
type Tree struct {
	model treeview.Model
	store *treeStore

	o      Options
	size   tea.WindowSizeMsg
	reader *Reader // nil while the session is not read
}

// NewTree returns the tree of the session at a path, with the cursor on the entry at,
// or the leaf for "". It shows nothing before the message of Open came.
func NewTree(ctx context.Context, o Options, path, at string) *Tree {
	store := &treeStore{ctx: ctx, lib: o.Library.Beside(work.Front{}), path: path, explain: o.Explain}
	return &Tree{store: store, o: o, model: treeview.New(treeview.Options{
		Theme: o.Theme, Now: o.Library.Now(), Name: work.Tilde(o.Library.Env.Home, path), At: at,
		Gists: store.gists, Body: store.body, Search: store.search,
	})}
}

// Open reads the session; looking at it writes nothing.
func (t *Tree) Open() tea.Msg { return t.store.open() }

// Update takes a message.
func (t *Tree) Update(msg tea.Msg) (cmd tea.Cmd) {
	if answer, ok := msg.(treeAnswer); ok {
		if answer.store != t.store {
			return nil // of a tree that was left meanwhile
		}
		msg = answer.msg
	}
	if _, ofReader := msg.(readAnswer); ofReader || t.reader != nil && !t.both(msg) {
		return t.read(msg)
	}
	switch msg := msg.(type) {
	case treeview.Read:
		return t.openReader(msg.ID)
	case tea.WindowSizeMsg:
		t.size = msg
	case tea.BackgroundColorMsg:
		t.o.Theme = theme.New(t.o.Theme.Depth(), msg.IsDark())
	case treeview.Label:
		return t.label(msg)
	case treeview.Fork:
		return t.fork(msg)
	case treeview.Copy:
		return tea.Batch(tea.SetClipboard(msg.ID), func() tea.Msg { return treeview.Told{Text: "copied " + msg.ID} })
	}
	if t.model, cmd = t.model.Update(msg); t.reader != nil {
		return tea.Batch(cmd, t.reader.Update(msg))
	}
	return cmd
}

// both reports whether a message is for the tree and for the reader over it: what the
// screen is like, and what the tree asked for before.
func (t *Tree) both(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.WindowSizeMsg, tea.BackgroundColorMsg, treeview.Opened, treeview.Gists, treeview.Body, treeview.Matches, treeview.Told:
		return true
	}
	return false
}

// openReader has the session be read over the tree, from an entry on.
func (t *Tree) openReader(at string) tea.Cmd {
	closed := t.closeReader()
	t.reader = NewReader(t.store.ctx, t.o, t.store.path, Reading{At: at})
	return tea.Batch(closed, t.reader.Open, t.reader.Update(t.size))
}

// read gives a message to the reader, or leaves it.
func (t *Tree) read(msg tea.Msg) tea.Cmd {
	if t.reader == nil {
		return nil
	}
	switch msg.(type) {
	case readview.Back:
		return t.closeReader()
	case readview.Exit:
		return func() tea.Msg { return treeview.Exit{} }
	}
	return t.reader.Update(msg)
}

// closeReader goes back to the tree. The command lets go of what was read.
func (t *Tree) closeReader() tea.Cmd {
	reader := t.reader
	if reader == nil {
		return nil
	}
	t.reader = nil
	return reader.Close()
}

// View draws the screen.
func (t *Tree) View() tea.View {
	if t.reader != nil {
		return t.reader.View()
	}
	v := tea.NewView(t.model.View())
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	return v
}

// Close lets go of the session, by the command.
func (t *Tree) Close() tea.Cmd {
	reading := t.closeReader()
	return func() tea.Msg {
		if reading != nil {
			reading()
		}
		_ = t.store.close() // nothing was written through it
		return nil
	}
}

// label gives an entry a name, or takes it away.
func (t *Tree) label(w treeview.Label) tea.Cmd {
	return func() tea.Msg {
		notes, err := t.store.change(func(ctx context.Context, s *session.Session) error {
			_, err := s.Append(ctx, &entry.LabelBody{TargetID: w.ID, Label: w.Text})
			return err
		})
		if err != nil {
			return t.store.refused(err)
		}
		told := treeview.Told{Text: withNotes(fmt.Sprintf("labelled %q", w.Text), notes)}
		if w.Text == "" {
			told.Text = withNotes("took the label away", notes)
		}
		return tea.Sequence(t.Open, func() tea.Msg { return t.store.answer(told) })()
	}
}

// fork makes a session of the way to an entry.
func (t *Tree) fork(w treeview.Fork) tea.Cmd {
	return func() tea.Msg {
		path := ""
		notes, err := t.store.change(func(ctx context.Context, s *session.Session) (err error) {
			path, err = s.SaveBranch(ctx, w.ID)
			return err
		})
		if err != nil {
			return t.store.refused(err)
		}
		t.store.noteMade(path)
		return t.store.answer(treeview.Told{Text: withNotes("new session "+work.Tilde(t.store.lib.Env.Home, path), notes)})
	}
}

// withNotes is what was done, with what is worth knowing besides.
func withNotes(text string, notes []work.Note) string {
	all := make([]string, len(notes))
	for i, n := range notes {
		all[i] = term.Line(n.String())
	}
	return transcript.Join(text, strings.Join(all, "; "))
}
