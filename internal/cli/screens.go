package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/browse"
	"github.com/cambium-dev/cambium/internal/chat"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/editor"
	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
)

// A choice is a session to go on with, and the entry to go on from; "" for
// where it stands.
type choice struct{ path, leaf string }

// browse shows the session browser and goes on with what is chosen in it.
func browseSessions(ctx context.Context, a *app) error {
	chosen, end, err := pickFrom(ctx, a, "Sessions", nil)
	if err != nil || end != browse.Chose {
		return err
	}
	a.lib.GoesOn = true
	return resume(ctx, a, chosen.path, resumeOptions{leaf: chosen.leaf})
}

// pickOne lets a person choose among the sessions of this project, or of all.
func pickOne(ctx context.Context, a *app, all []catalog.Info) (choice, bool, error) {
	chosen, end, err := pickFrom(ctx, a, "Resume", all)
	if err == nil && end == browse.Stopped {
		err = problem.Problem{Exit: problem.ExitDone, Printed: true} // published: it ends the process
	}
	return chosen, end == browse.Chose, err
}

// pickFrom shows the browser until it is left. all are sessions of this project
// that are known already.
func pickFrom(ctx context.Context, a *app, title string, all []catalog.Info) (choice, browse.End, error) {
	release := a.Hold() // the screen is not to be written on
	defer release()     // what went wrong beside is said at last
	o := browseOptions(a, picker.Options{Title: title, Accept: "resume", Project: a.lib.Dir})
	o.Known = all
	chosen, end, err := browse.Run(ctx, o, browseTerminal(a))
	if err != nil && !errors.Is(err, context.Canceled) {
		err = problem.Problem{Exit: problem.ExitFailed, Text: "show sessions: " + err.Error(), Err: err}
	}
	return choice{chosen.Path, chosen.Leaf}, end, err
}

// browseOptions are those of the screens with sessions.
func browseOptions(a *app, how picker.Options) browse.Options {
	return browse.Options{
		Library: a.lib, How: how, Prices: pricesLater(a), Editor: editorOf(a), Theme: theme.New(theme.DepthOf(a.Getenv, a.NoColor), true), ASCII: !term.UTF8(a.Getenv),
		Explain: func(err error) browse.Explanation {
			p := problem.Of(err)
			return browse.Explanation{Text: p.Text, Todo: p.Todo}
		},
	}
}

// editorOf is the editor that the person has chosen.
func editorOf(a *app) editor.Editor {
	return editor.Editor{Command: cmp.Or(a.Getenv("VISUAL"), a.Getenv("EDITOR")), Environ: a.ScreenEnv(), Dir: a.lib.Dir}
}

// browseTerminal is the terminal of a screen.
func browseTerminal(a *app) browse.Terminal {
	return browse.Terminal{In: a.Stdin, Out: a.Stdout, Env: a.ScreenEnv(), ASCII: !term.UTF8(a.Getenv)}
}

// browseTree shows the tree of a session on the terminal and, when an entry was
// chosen, goes on with the session from there (D22: the move of the leaf is made
// durable before). The paths of sessions that were made are printed.
func browseTree(ctx context.Context, a *app, arg string) error {
	if !a.TTY || !a.Asks() || a.Dumb() {
		p := problem.Usage("tree --interactive needs a terminal")
		p.Todo = "without it the branches are drawn"
		return p
	}
	path, err := a.lib.Resolve(ctx, arg)
	if err != nil {
		return err
	}
	end, err := browse.RunTree(ctx, browseOptions(a, picker.Options{}), path, browseTerminal(a))
	if err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("show tree: %w", err)
	}
	if err != nil {
		return err
	}
	for _, path := range end.Made {
		a.Path(path)
	}
	if end.End != browse.Chose {
		return nil
	}
	a.lib.GoesOn = true
	return resume(ctx, a, path, resumeOptions{leaf: end.Leaf})
}

// readSession shows a session that is open on the terminal and closes it. Where an entry
// was chosen, it goes on with the session from there.
func readSession(ctx context.Context, a *app, s *session.Session, what browse.Reading) error {
	path := s.Path()
	what.Strict = a.strict
	release := a.Hold() // the screen is not to be written on
	end, err := browse.RunReader(ctx, browseOptions(a, picker.Options{}), s, what, browseTerminal(a))
	release()
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		return fmt.Errorf("show session: %w", err)
	case err != nil || end.End != browse.Chose:
		return err
	}
	a.lib.GoesOn = true
	return resume(ctx, a, path, resumeOptions{leaf: end.Leaf})
}

// A chatHost does for a chat what only the command can do.
type chatHost struct {
	a      *app
	o      runOptions
	stderr io.Writer // that of the command
}

var _ chat.Host = (*chatHost)(nil)

// chatTerminal is the terminal of a chat.
func chatTerminal(a *app) chat.Terminal {
	return chat.Terminal{
		In: a.Stdin, Out: a.Stdout, Env: a.ScreenEnv(), Depth: theme.DepthOf(a.Getenv, a.NoColor),
		ASCII: !term.UTF8(a.Getenv), Lapse: a.lapse, Wrap: a.wrapScreen,
	}
}

// Make makes the runner of a chat. From then on what is noted is seen on the screen;
// questions are put on the terminal until it is there.
func (h *chatHost) Make(ears chat.Ears) (chat.Agent, error) {
	a := h.a
	r, err := newRunner(a, h.o, func(_ *runner, o *coder.Options) { ears.Furnish(o) })
	if err != nil {
		return chat.Agent{}, err
	}
	r.makes, r.hears = true, ears.Heard
	r.asks = r.usual != nil
	a.Tells = func(path, text string) { ears.Note(work.Note{Path: path, Text: text}) }
	nobody := problem.Of(r.noModel())
	return chat.Agent{
		Coder: r.coder, Models: r.reg, Environ: a.ChildEnv(), NoModel: chat.Explanation{Text: noModelText, Todo: nobody.Todo},
		Start: func(ctx context.Context) error {
			if err := r.start(ctx); err != nil {
				return err
			}
			a.Stderr = lineNotes{ears.Note} // the screen is not to be written on
			return nil
		},
	}, nil
}

// end has notes on stderr again.
func (h *chatHost) end() { h.a.Tells, h.a.Stderr = nil, h.stderr }

// lineNotes makes a note of each line that is written.
type lineNotes struct{ note func(work.Note) }

// Write notes lines.
func (n lineNotes) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		n.note(work.Note{Text: line})
	}
	return len(p), nil
}

// Find finds the session that a person names.
func (h *chatHost) Find(ctx context.Context, name string) (string, error) {
	path, err := h.a.lib.Resolve(ctx, name)
	if err == nil {
		_, err = h.a.lib.Present(ctx, path)
	}
	return path, err
}

// Explain says what the command would say of an error.
func (h *chatHost) Explain(err error) chat.Explanation {
	p := problem.Of(problem.In(h.a.lib.Dir, err))
	return chat.Explanation{Text: p.Text, Todo: p.Todo, Choices: print.Candidates(h.a.Console, err)}
}

// Pictures reads pictures.
func (h *chatHost) Pictures(all []chat.Picture) ([]*message.Image, error) { return work.Pictures(all) }

// Again says how to go on with a session.
func (h *chatHost) Again(s *session.Session) string {
	l := h.a.lib
	again := problem.Hint{Run: []string{problem.Program, "chat"}, Of: []string{called(h.a, s)}}
	if l.AgentDir != "" {
		again.Run = append(again.Run, "--agent", h.a.agent, "--agent-dir", l.AgentDir)
	}
	if l.SessionDir != "" {
		again.Run = append(again.Run, "--session-dir", l.SessionDir)
	}
	if l.Store != "" && l.Env.Getenv("CAMBIUM_STORE") != l.Store {
		again.Run = append(again.Run, "--store", work.PlainURL(l.Store))
	}
	line, ok := again.Line()
	if !ok {
		return "" // what it is called cannot be written
	}
	return "to go on: `" + line + "`, here also --continue"
}

// called is what names a session on the command line: its id, or its path where it
// is in nobody's home, or where the id cannot be written.
func called(a *app, s *session.Session) string {
	inside := func(dir string) bool {
		return strings.HasPrefix(s.Path(), filepath.Clean(dir)+string(filepath.Separator))
	}
	known := a.lib.Store != "" || slices.ContainsFunc(work.Places(a.lib), inside)
	if known && problem.Writable(s.ID()) {
		return s.ID()
	}
	return s.Path()
}

// Browser returns the session browser.
func (h *chatHost) Browser(ctx context.Context, how picker.Options, send func(tea.Msg)) chat.Browser {
	return browse.New(ctx, browseOptions(h.a, how), send)
}

// Tree returns the tree of a session, and reads it.
func (h *chatHost) Tree(ctx context.Context, path, at string, th theme.Theme) (chat.Screen, tea.Msg) {
	o := browseOptions(h.a, picker.Options{})
	o.Theme = th
	tree := browse.NewTree(ctx, o, path, at)
	return tree, tree.Open()
}
