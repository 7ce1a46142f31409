package cli

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/browse"
	"github.com/cambium-dev/cambium/internal/chat"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
)

// A chatHost does for a chat what only the command can do.
type chatHost struct {
	a      *app
	o      runOptions
	stderr io.Writer // that of the command
}

var _ chat.Host = (*chatHost)(nil)

// chatTerminal is the terminal of a chat.
func chatTerminal(a *app) chat.Terminal {
	env := a.Env
	if a.flags.noColor {
		env = append(env[:len(env):len(env)], "NO_COLOR=1")
	}
	return chat.Terminal{
		In: a.Stdin, Out: a.Stdout, Env: env, Depth: theme.DepthOf(a.lib.Env.Getenv, a.flags.noColor),
		ASCII: !term.UTF8(a.lib.Env.Getenv), Lapse: a.lapse, Wrap: a.wrapScreen,
	}
}

// Make makes the runner of a chat. From then on what is noted is seen on the screen;
// questions are put on the terminal until it is there.
func (h *chatHost) Make(ears chat.Ears) (chat.Agent, error) {
	a := h.a
	r, err := a.newRunner(h.o, func(_ *runner, o *coder.Options) { ears.Furnish(o) })
	if err != nil {
		return chat.Agent{}, err
	}
	r.makes, r.hears = true, ears.Heard
	r.asks = r.usual != nil
	a.tells = ears.Note
	nobody := classify(r.noModel())
	return chat.Agent{
		Coder: r.coder, Models: r.reg, Environ: a.childEnv(), NoModel: chat.Explanation{Text: noModelText, Todo: nobody.todo},
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
func (h *chatHost) end() { h.a.tells, h.a.Stderr = nil, h.stderr }

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
	path, err := h.a.resolve(ctx, name)
	if err == nil {
		_, _, err = present(ctx, h.a, path)
	}
	return path, err
}

// Explain says what the command would say of an error.
func (h *chatHost) Explain(err error) chat.Explanation {
	p := classify(err)
	return chat.Explanation{Text: p.text, Todo: p.todo, Choices: h.a.candidates(err)}
}

// Pictures reads pictures.
func (h *chatHost) Pictures(all []chat.Picture) ([]*message.Image, error) {
	files := make([]pictureFile, len(all))
	for i, p := range all {
		files[i] = pictureFile{p.FS, p.Path, p.Name}
	}
	return readPictures(files)
}

// Again says how to go on with a session.
func (h *chatHost) Again(s *session.Session) string {
	l := h.a.lib
	again := hint{run: []string{ownProgram, "chat"}, of: []string{called(h.a, s)}}
	if l.AgentDir != "" {
		again.run = append(again.run, "--agent", h.a.flags.agent, "--agent-dir", l.AgentDir)
	}
	if l.SessionDir != "" {
		again.run = append(again.run, "--session-dir", l.SessionDir)
	}
	if l.Store != "" && l.Env.Getenv("CAMBIUM_STORE") != l.Store {
		again.run = append(again.run, "--store", work.PlainURL(l.Store))
	}
	line, ok := again.line()
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
	if known && writable(s.ID()) {
		return s.ID()
	}
	return s.Path()
}

// Browser returns the session browser.
func (h *chatHost) Browser(ctx context.Context, how picker.Options, send func(tea.Msg)) chat.Browser {
	return browse.New(ctx, h.a.browseOptions(how), send)
}

// Tree returns the tree of a session, and reads it.
func (h *chatHost) Tree(ctx context.Context, path, at string, th theme.Theme) (chat.Screen, tea.Msg) {
	o := h.a.browseOptions(picker.Options{})
	o.Theme = th
	tree := browse.NewTree(ctx, o, path, at)
	return tree, tree.Open()
}
