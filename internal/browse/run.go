package browse

import (
	"context"
	"errors"
	"io"
	"os/signal"
	"sync"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/editor"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/readview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
	"github.com/cambium-dev/cambium/internal/usage"
	"github.com/cambium-dev/cambium/internal/work"
)

// Options say what is browsed, and how. Library and Explain are needed.
type Options struct {
	// Library is the sessions that a person reaches.
	Library *work.Library
	// Explain says what an error means to a person.
	Explain func(error) Explanation
	// Theme is how the screens look at first.
	Theme theme.Theme
	// How says what the list is for: its title, what choosing is called, and the
	// project.
	How picker.Options
	// Known are sessions of the project that are known already.
	Known []catalog.Info
	// ASCII says that the terminal has no other characters.
	ASCII bool
	// Editor is the person's own.
	Editor editor.Editor
	// Prices are for what has no cost that is stored; nil for none.
	Prices usage.Prices
}

// An Explanation is an error in a person's words.
type Explanation struct {
	// Text says what went wrong, Todo what to do about it, "" for nothing.
	Text, Todo string
}

// A Terminal is what a screen is shown on.
type Terminal struct {
	In  io.Reader
	Out io.Writer
	// Env are the variables that say what the terminal can do.
	Env []string
	// ASCII says that it has no other characters.
	ASCII bool
}

// program returns the program that runs a screen.
func (t Terminal) program(ctx context.Context, m tea.Model) *tea.Program {
	return tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(t.In), tea.WithOutput(t.Out),
		tea.WithEnvironment(t.Env), tea.WithoutSignalHandler())
}

// shown is a screen as the terminal can show it.
func (t Terminal) shown(v tea.View) tea.View {
	if t.ASCII {
		v.Content = term.ASCII(v.Content)
	}
	return v
}

// An End is how a person left a screen.
type End uint8

const (
	// Left: nothing was chosen.
	Left End = iota
	// Chose: a session, or an entry, was chosen.
	Chose
	// Stopped: the program is to end.
	Stopped
)

// A Choice is a session to go on with, and the entry to go on from; "" for where it
// stands.
type Choice struct{ Path, Leaf string }

// Run shows the sessions until they are left. An error that is [context.Canceled]
// says that ctx, or the end of the terminal, ended it.
func Run(ctx context.Context, o Options, t Terminal) (Choice, End, error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	s := &listScreen{term: t}
	var program *tea.Program
	s.Browser = New(ctx, o, func(msg tea.Msg) { program.Send(msg) })
	program = t.program(ctx, s)
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { s.Feed(ctx) })
	_, err := program.Run()
	killed := killed(ctx, err)
	cancel()
	group.Wait()
	if closing := s.Close(); closing != nil {
		closing()
	}
	switch {
	case killed:
		return Choice{}, Stopped, context.Canceled
	case err != nil:
		return Choice{}, Stopped, err
	}
	return s.chosen, s.end, nil
}

// killed reports whether a program ended because ctx did.
func killed(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrProgramPanic)
}

// A listScreen is the sessions alone on the terminal.
type listScreen struct {
	*Browser
	term   Terminal
	end    End
	chosen Choice
}

// Init asks the terminal whether its background is dark.
func (s *listScreen) Init() tea.Cmd {
	if s.theme.Depth() < theme.Indexed {
		return nil // its own colours are right on its own background
	}
	return tea.RequestBackgroundColor
}

// Update ends the program when the list, or its tree, is left.
func (s *listScreen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case picker.Chosen:
		return s.leave(Chose, Choice{Path: msg.Path})
	case picker.Cancelled:
		return s.leave(Left, Choice{})
	case picker.Exit, treeview.Exit:
		return s.leave(Stopped, Choice{})
	case treeview.Resume:
		return s.leave(Chose, Choice{s.At(), msg.ID})
	}
	return s, s.Browser.Update(msg)
}

func (s *listScreen) leave(end End, chosen Choice) (tea.Model, tea.Cmd) {
	s.end, s.chosen = end, chosen
	return s, tea.Quit
}

// View draws the screen.
func (s *listScreen) View() tea.View { return s.term.shown(s.Browser.View()) }

// A TreeEnd is how a tree was left.
type TreeEnd struct {
	End End
	// Leaf is the entry that was chosen.
	Leaf string
	// Made are the paths of the sessions that were made.
	Made []string
}

// RunTree shows the tree of the session at a path until it is left. An error that is
// [context.Canceled] says that ctx, or the end of the terminal, ended it.
func RunTree(ctx context.Context, o Options, path string, t Terminal) (TreeEnd, error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	s := &oneTree{Tree: NewTree(ctx, o, path, ""), term: t}
	_, err := t.program(ctx, s).Run()
	if closed := s.store.close(); err == nil {
		err = closed
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return TreeEnd{s.end, s.leaf, s.store.allMade()}, err
}

// A oneTree is a tree alone on the terminal.
type oneTree struct {
	*Tree
	term Terminal
	end  End
	leaf string
}

// Init reads the session and asks what the terminal's background is.
func (s *oneTree) Init() tea.Cmd { return tea.Batch(s.Open, tea.RequestBackgroundColor) }

// Update ends the program when the tree is left.
func (s *oneTree) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case treeview.Resume:
		s.end, s.leaf = Chose, msg.ID
		return s, tea.Quit
	case treeview.Exit:
		s.end = Stopped
		return s, tea.Quit
	case treeview.Back:
		return s, tea.Quit
	}
	return s, s.Tree.Update(msg)
}

// View draws the tree.
func (s *oneTree) View() tea.View { return s.term.shown(s.Tree.View()) }

// A oneReader is a reader alone on the terminal.
type oneReader struct {
	*Reader
	term  Terminal
	depth theme.Depth
	end   End
	leaf  string
}

// Init reads the session and asks what the terminal's background is.
func (s *oneReader) Init() tea.Cmd {
	if s.depth < theme.Indexed {
		return s.Open // its own colours are right on its own background
	}
	return tea.Batch(s.Open, tea.RequestBackgroundColor)
}

// Update ends the program when the reader is left.
func (s *oneReader) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case treeview.Resume:
		s.end, s.leaf = Chose, msg.ID
		return s, tea.Quit
	case readview.Exit:
		s.end = Stopped
		return s, tea.Quit
	case readview.Back:
		return s, tea.Quit
	}
	return s, s.Reader.Update(msg)
}

// View draws the reader.
func (s *oneReader) View() tea.View { return s.term.shown(s.Reader.View()) }
