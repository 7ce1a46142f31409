package cli

import (
	"bytes"
	"context"
	"errors"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A departure is how a person left the browser.
type departure uint8

const (
	left    departure = iota // cancelled: nothing was chosen
	chose                    // a session was chosen
	stopped                  // the program is to end
)

// A browser routes between the screens and carries out what a person wants on
// them.
type browser struct {
	a      *app
	picker picker.Model
	feed   *feed
	find   *finder
	wishes *wishes
	ids    map[string]string // of sessions, by path
	depth  theme.Depth

	ending departure
	chosen string
}

// browses reports whether there is a terminal for the browser.
func (a *app) browses() bool {
	return a.tty && a.asks() && a.env.Getenv("TERM") != "dumb"
}

// browse shows the session browser and goes on with what is chosen in it.
func (a *app) browse(ctx context.Context) error {
	how := picker.Options{Title: "Sessions", Accept: "resume", Project: a.Dir}
	path, end, err := a.pickFrom(ctx, how, nil)
	if err != nil || end != chose {
		return err
	}
	a.goesOn()
	return a.resume(ctx, path, resumeOptions{})
}

// pickOne lets a person choose among the sessions of this project, or of all.
func (a *app) pickOne(ctx context.Context, all []catalog.Info) (catalog.Info, bool, error) {
	how := picker.Options{Title: "Resume", Accept: "resume", Project: a.Dir}
	path, end, err := a.pickFrom(ctx, how, all)
	if err == nil && end == stopped {
		err = problem{exit: exitDone, printed: true} // published: it ends the process
	}
	return catalog.Info{Path: path}, end == chose, err
}

// pickFrom shows the browser until it is left. all are sessions of this project
// that are known already. Whatever happens, the terminal is as it was then.
func (a *app) pickFrom(ctx context.Context, how picker.Options, all []catalog.Info) (path string, end departure, err error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	var notes held
	stderr := a.Stderr
	a.Stderr = &notes // the screen is not to be written on
	defer func() {
		a.Stderr = stderr
		_, _ = stderr.Write(notes.bytes()) // what went wrong beside, at last
	}()
	b, program := a.newBrowser(ctx, how)
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		if len(all) > 0 {
			b.feed.begin(all)
		}
		b.feed.run(ctx)
	})
	model, err := program.Run()
	cancel()
	group.Wait()
	b.find.stop()
	switch {
	case ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrProgramPanic):
		return "", stopped, context.Canceled
	case err != nil:
		return "", stopped, problem{exit: exitFailed, text: "show sessions: " + err.Error(), err: err}
	}
	b = model.(*browser)
	return b.chosen, b.ending, nil
}

// newBrowser returns the browser and the program that runs it.
func (a *app) newBrowser(ctx context.Context, how picker.Options) (*browser, *tea.Program) {
	opt := a.catalogOptions()
	a.presence() // before several ask for it at once
	if a.flags.sessionDir != "" {
		how.Project = "" // all that lie there
	}
	b := &browser{a: a, depth: theme.DepthOf(a.env.Getenv, a.flags.noColor), ids: map[string]string{}}
	b.wishes = &wishes{a: a, ctx: ctx}
	b.find = newFinder(ctx, opt, a.Now)
	peek := &previewer{a: a, ctx: ctx, stop: func() {}}
	how.Theme, how.Home, how.Now = theme.New(b.depth, true), a.env.Home, a.Now
	how.Preview, how.Texts = peek.preview, b.find.search
	b.picker = picker.New(how)
	env := a.Env
	if a.flags.noColor {
		env = append(env[:len(env):len(env)], "NO_COLOR=1")
	}
	program := tea.NewProgram(b, tea.WithContext(ctx), tea.WithInput(a.Stdin), tea.WithOutput(a.Stdout),
		tea.WithEnvironment(env), tea.WithoutSignalHandler())
	b.feed = a.newFeed(opt, how.Project, program.Send)
	b.find.opt.Index = b.feed.opt.Index
	return b, program
}

// Init asks the terminal whether its background is dark.
func (b *browser) Init() tea.Cmd {
	if b.depth < theme.Indexed {
		return nil // its own colours are right on its own background
	}
	return tea.RequestBackgroundColor
}

// Update takes a message: what leaves a screen is carried out, the rest is for
// the screen.
func (b *browser) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		b.picker = b.picker.SetTheme(theme.New(b.depth, msg.IsDark()))
		return b, nil
	case picker.Chosen:
		b.ending, b.chosen = chose, msg.Path
		return b, tea.Quit
	case picker.Cancelled:
		b.ending = left
		return b, tea.Quit
	case picker.Exit:
		b.ending = stopped
		return b, tea.Quit
	case carriedOut:
		b.feed.look()
		return b, b.show(msg.told)
	case picker.Found:
		for i := range msg.Items {
			b.ids[msg.Items[i].Info.Path] = msg.Items[i].Info.ID
		}
		return b, b.show(msg)
	}
	if cmd := b.wish(msg); cmd != nil {
		return b, cmd
	}
	return b, b.show(msg)
}

// show gives a message to the screen.
func (b *browser) show(msg tea.Msg) (cmd tea.Cmd) {
	b.picker, cmd = b.picker.Update(msg)
	return cmd
}

// wish returns the command that carries out a wish, nil if msg is none.
func (b *browser) wish(msg tea.Msg) tea.Cmd {
	w := b.wishes
	switch msg := msg.(type) {
	case picker.Rename:
		return w.rename(msg.Path, msg.Name)
	case picker.Label:
		return w.label(msg.Path, msg.Text)
	case picker.Delete:
		return w.remove(msg.Paths)
	case picker.Undo:
		return w.undo()
	case picker.Fork:
		return w.fork(msg.Path)
	case picker.Move:
		return w.move(msg.Path, msg.Dir)
	case picker.Pin:
		ids := make([]string, len(msg.Paths))
		for i, path := range msg.Paths {
			ids[i] = b.ids[path]
		}
		return w.pin(ids, msg.On)
	case picker.Copy:
		// Bubble Tea's renderer writes it for the terminal (OSC 52).
		text := "copied " + theme.Plural(len(msg.Paths), "path")
		return tea.Batch(tea.SetClipboard(strings.Join(msg.Paths, "\n")), func() tea.Msg { return picker.Told{Text: text} })
	}
	return nil
}

// View draws the screen.
func (b *browser) View() tea.View { return b.picker.View() }

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
