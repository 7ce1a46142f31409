package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
)

// A treeScreen is the tree of one session on the terminal. It carries out what
// changes or copies something; what ends it (treeview.Resume, Back and Exit) is
// for whoever runs it, who also closes it.
type treeScreen struct {
	model treeview.Model
	store *treeStore
	forks *[]string // paths of the sessions that were made
}

// newTreeScreen returns the tree of the session at a path, with the cursor on
// the entry at, or the leaf for "". The command reads the session; looking at it
// writes nothing.
func (a *app) newTreeScreen(ctx context.Context, path, at string, th theme.Theme) (treeScreen, tea.Cmd) {
	store := &treeStore{ctx: ctx, a: a.aside(), path: path}
	s := treeScreen{store: store, forks: &[]string{}}
	s.model = treeview.New(treeview.Options{
		Theme: th, Now: a.Now(), Name: a.tilde(path), At: at, Gists: store.gists, Body: store.body, Search: store.search,
	})
	return s, store.open
}

// aside returns an app for what a screen reads: it has no terminal, and says nothing.
// Its index is to be closed.
func (a *app) aside() *app {
	sys := a.System
	sys.Stdin, sys.Stdout, sys.Stderr = strings.NewReader(""), io.Discard, io.Discard
	sub := newApp(sys)
	sub.flags, sub.lib = a.flags, a.lib.Beside(work.Front{})
	sub.flags.zero, sub.flags.json = false, false
	return sub
}

// update gives the tree a message and carries out what it wants.
func (t treeScreen) update(msg tea.Msg) (treeScreen, tea.Cmd) {
	if answer, ok := msg.(treeAnswer); ok {
		if answer.store != t.store {
			return t, nil // of a tree that was left meanwhile
		}
		msg = answer.msg
	}
	switch msg := msg.(type) {
	case treeview.Label:
		return t, t.label(msg)
	case treeview.Fork:
		return t, t.fork(msg)
	case treeview.Copy:
		return t, tea.Batch(tea.SetClipboard(msg.ID), func() tea.Msg { return treeview.Told{Text: "copied " + msg.ID} })
	}
	var cmd tea.Cmd
	t.model, cmd = t.model.Update(msg)
	return t, cmd
}

// close lets go of the session.
func (t treeScreen) close() error { return t.store.close() }

// label gives an entry a name, or takes it away.
func (t treeScreen) label(w treeview.Label) tea.Cmd {
	return func() tea.Msg {
		said, err := t.change(func(ctx context.Context, s *session.Session) error {
			_, err := s.Append(ctx, &entry.LabelBody{TargetID: w.ID, Label: w.Text})
			return err
		})
		if err != nil {
			return t.store.answer(treeview.Told{Text: err.Error(), Bad: true})
		}
		told := treeview.Told{Text: transcript.Join(fmt.Sprintf("labelled %q", w.Text), said)}
		if w.Text == "" {
			told.Text = transcript.Join("took the label away", said)
		}
		return tea.Sequence(t.store.open, func() tea.Msg { return t.store.answer(told) })()
	}
}

// fork makes a session of the way to an entry.
func (t treeScreen) fork(w treeview.Fork) tea.Cmd {
	return func() tea.Msg {
		path := ""
		said, err := t.change(func(ctx context.Context, s *session.Session) (err error) {
			path, err = s.SaveBranch(ctx, w.ID)
			return err
		})
		if err != nil {
			return t.store.answer(treeview.Told{Text: err.Error(), Bad: true})
		}
		*t.forks = append(*t.forks, path)
		return t.store.answer(treeview.Told{Text: transcript.Join("new session "+t.store.a.tilde(path), said)})
	}
}

// change opens the session to write, has f change it and closes it. said is what
// was noted meanwhile.
func (t treeScreen) change(f func(context.Context, *session.Session) error) (said string, err error) {
	var notes noteList
	l := t.store.a.lib.Beside(work.Front{Note: notes.keep})
	defer l.CloseIndex()
	path, ctx := t.store.path, t.store.ctx
	if _, err := l.Stat(path); err != nil { // it would be begun
		return "", trouble(path, err)
	}
	s, err := l.OpenAny(ctx, path)
	if err != nil {
		return "", told(err)
	}
	err = f(ctx, s)
	if closed := s.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return "", failed(path, err)
	}
	return strings.Join(notes.texts(), "; "), nil
}

// A treeProgram is a tree alone on the terminal.
type treeProgram struct {
	treeScreen
	open   tea.Cmd
	chosen *treeview.Resume
}

// Init reads the session and asks what the terminal's background is.
func (p treeProgram) Init() tea.Cmd { return tea.Batch(p.open, tea.RequestBackgroundColor) }

// Update ends the program when the tree is left.
func (p treeProgram) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case treeview.Resume:
		p.chosen = &msg
		return p, tea.Quit
	case treeview.Back, treeview.Exit:
		return p, tea.Quit
	}
	var cmd tea.Cmd
	p.treeScreen, cmd = p.update(msg)
	return p, cmd
}

// View draws the tree.
func (p treeProgram) View() tea.View {
	v := tea.NewView(p.model.View())
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	return p.store.a.onScreen(v)
}

// browseTree shows the tree of a session on the terminal and, when an entry was
// chosen, goes on with the session from there (D22: the move of the leaf is made
// durable before). The paths of sessions that were made are printed.
func (a *app) browseTree(ctx context.Context, arg string) error {
	if !a.tty || !a.asks() || a.lib.Env.Getenv("TERM") == "dumb" {
		p := usage("tree --interactive needs a terminal")
		p.todo = "without it the branches are drawn"
		return p
	}
	path, err := a.resolve(ctx, arg)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	th := theme.New(theme.DepthOf(a.lib.Env.Getenv, a.flags.noColor), true)
	screen, open := a.newTreeScreen(ctx, path, "", th)
	end, err := tea.NewProgram(treeProgram{treeScreen: screen, open: open}, tea.WithContext(ctx), tea.WithInput(a.Stdin),
		tea.WithOutput(a.Stdout), tea.WithEnvironment(a.Env), tea.WithoutSignalHandler()).Run()
	if closed := screen.close(); err == nil {
		err = closed
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("show tree: %w", err)
	}
	for _, path := range *screen.forks {
		a.printPath(path)
	}
	program, ok := end.(treeProgram)
	if !ok {
		return errors.New("show tree: another model came back")
	}
	if program.chosen == nil {
		return nil
	}
	a.lib.GoesOn = true
	return a.resume(ctx, path, resumeOptions{leaf: program.chosen.ID})
}
