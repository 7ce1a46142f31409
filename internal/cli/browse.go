package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/browse"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A choice is a session to go on with, and the entry to go on from; "" for
// where it stands.
type choice struct{ path, leaf string }

// browses reports whether there is a terminal for the browser.
func (a *app) browses() bool {
	return a.tty && term.IsTerminal(a.Stdin) && !a.flags.json && a.lib.Env.Getenv("TERM") != "dumb"
}

// browse shows the session browser and goes on with what is chosen in it.
func (a *app) browse(ctx context.Context) error {
	chosen, end, err := a.pickFrom(ctx, "Sessions", nil)
	if err != nil || end != browse.Chose {
		return err
	}
	a.lib.GoesOn = true
	return a.resume(ctx, chosen.path, resumeOptions{leaf: chosen.leaf})
}

// pickOne lets a person choose among the sessions of this project, or of all.
func (a *app) pickOne(ctx context.Context, all []catalog.Info) (choice, bool, error) {
	chosen, end, err := a.pickFrom(ctx, "Resume", all)
	if err == nil && end == browse.Stopped {
		err = problem{exit: exitDone, printed: true} // published: it ends the process
	}
	return chosen, end == browse.Chose, err
}

// pickFrom shows the browser until it is left. all are sessions of this project
// that are known already.
func (a *app) pickFrom(ctx context.Context, title string, all []catalog.Info) (choice, browse.End, error) {
	var notes held
	stderr := a.Stderr
	a.Stderr = &notes // the screen is not to be written on
	defer func() {
		a.Stderr = stderr
		_, _ = stderr.Write(notes.bytes()) // what went wrong beside, at last
	}()
	o := a.browseOptions(picker.Options{Title: title, Accept: "resume", Project: a.lib.Dir})
	o.Known = all
	chosen, end, err := browse.Run(ctx, o, a.browseTerminal())
	if err != nil && !errors.Is(err, context.Canceled) {
		err = problem{exit: exitFailed, text: "show sessions: " + err.Error(), err: err}
	}
	return choice{chosen.Path, chosen.Leaf}, end, err
}

// browseOptions are those of the screens with sessions.
func (a *app) browseOptions(how picker.Options) browse.Options {
	return browse.Options{
		Library: a.lib, How: how, Theme: theme.New(theme.DepthOf(a.lib.Env.Getenv, a.flags.noColor), true),
		Explain: func(err error) browse.Explanation {
			p := classify(err)
			return browse.Explanation{Text: p.text, Todo: p.todo}
		},
	}
}

// browseTerminal is the terminal of a screen.
func (a *app) browseTerminal() browse.Terminal {
	env := a.Env
	if a.flags.noColor {
		env = append(env[:len(env):len(env)], "NO_COLOR=1")
	}
	return browse.Terminal{In: a.Stdin, Out: a.Stdout, Env: env, ASCII: !term.UTF8(a.lib.Env.Getenv)}
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
	end, err := browse.RunTree(ctx, a.browseOptions(picker.Options{}), path, a.browseTerminal())
	if err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("show tree: %w", err)
	}
	if err != nil {
		return err
	}
	for _, path := range end.Made {
		a.printPath(path)
	}
	if end.End != browse.Chose {
		return nil
	}
	a.lib.GoesOn = true
	return a.resume(ctx, path, resumeOptions{leaf: end.Leaf})
}

// held keeps what is written until it can be shown. It is safe for concurrent
// use.
type held struct {
	mu  sync.Mutex
	buf bytes.Buffer // guarded by mu
}

// maxHeld is how much is kept, in bytes.
const maxHeld = 16 << 10

// Write keeps text.
func (h *held) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.buf.Len() < maxHeld {
		h.buf.Write(p)
	}
	return len(p), nil
}

func (h *held) bytes() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.buf.Bytes()
}
