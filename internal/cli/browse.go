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
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
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
	theme  theme.Theme
	size   tea.WindowSizeMsg

	tree treeScreen // of the session at path, if there is one
	path string     // "" while no tree is shown

	ending departure
	chosen choice
}

// A choice is a session to go on with, and the entry to go on from; "" for
// where it stands.
type choice struct{ path, leaf string }

// browses reports whether there is a terminal for the browser.
func (a *app) browses() bool {
	return a.tty && term.IsTerminal(a.Stdin) && !a.flags.json && a.lib.Env.Getenv("TERM") != "dumb"
}

// browse shows the session browser and goes on with what is chosen in it.
func (a *app) browse(ctx context.Context) error {
	how := picker.Options{Title: "Sessions", Accept: "resume", Project: a.lib.Dir}
	chosen, end, err := a.pickFrom(ctx, how, nil)
	if err != nil || end != chose {
		return err
	}
	a.lib.GoesOn = true
	return a.resume(ctx, chosen.path, resumeOptions{leaf: chosen.leaf})
}

// pickOne lets a person choose among the sessions of this project, or of all.
func (a *app) pickOne(ctx context.Context, all []catalog.Info) (choice, bool, error) {
	how := picker.Options{Title: "Resume", Accept: "resume", Project: a.lib.Dir}
	chosen, end, err := a.pickFrom(ctx, how, all)
	if err == nil && end == stopped {
		err = problem{exit: exitDone, printed: true} // published: it ends the process
	}
	return chosen, end == chose, err
}

// pickFrom shows the browser until it is left. all are sessions of this project
// that are known already. Whatever happens, the terminal is as it was then.
func (a *app) pickFrom(ctx context.Context, how picker.Options, all []catalog.Info) (chosen choice, end departure, err error) {
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
		return choice{}, stopped, context.Canceled
	case err != nil:
		return choice{}, stopped, problem{exit: exitFailed, text: "show sessions: " + err.Error(), err: err}
	}
	b = model.(*browser)
	if closing := b.closeTree(); closing != nil {
		closing()
	}
	return b.chosen, b.ending, nil
}

// newBrowser returns the browser and the program that runs it.
func (a *app) newBrowser(ctx context.Context, how picker.Options) (*browser, *tea.Program) {
	var program *tea.Program
	b := a.newBrowserIn(ctx, how, func(msg tea.Msg) { program.Send(msg) })
	env := a.Env
	if a.flags.noColor {
		env = append(env[:len(env):len(env)], "NO_COLOR=1")
	}
	program = tea.NewProgram(b, tea.WithContext(ctx), tea.WithInput(a.Stdin), tea.WithOutput(a.Stdout),
		tea.WithEnvironment(env), tea.WithoutSignalHandler())
	return b, program
}

// newBrowserIn returns the browser, to be run in a program to which send sends.
func (a *app) newBrowserIn(ctx context.Context, how picker.Options, send func(tea.Msg)) *browser {
	opt := a.lib.Catalog()
	opt.Unread = nil // the screen is no place for notes
	a.lib.Presence() // before several ask for it at once
	if a.lib.SessionDir != "" {
		how.Project = "" // all that lie there
	}
	b := &browser{a: a, theme: theme.New(theme.DepthOf(a.lib.Env.Getenv, a.flags.noColor), true), ids: map[string]string{}}
	b.wishes = &wishes{a: a, ctx: ctx}
	b.find = newFinder(ctx, opt, a.Now)
	peek := &previewer{a: a, ctx: ctx, stop: func() {}}
	how.Theme, how.Home, how.Now = b.theme, a.lib.Env.Home, a.Now
	how.Preview, how.Texts, how.Tree = peek.preview, b.find.search, true
	b.picker = picker.New(how)
	b.feed = a.newFeed(opt, how.Project, send)
	b.find.opt.Index = b.feed.opt.Index
	return b
}

// Init asks the terminal whether its background is dark.
func (b *browser) Init() tea.Cmd {
	if b.theme.Depth() < theme.Indexed {
		return nil // its own colours are right on its own background
	}
	return tea.RequestBackgroundColor
}

// Update takes a message: what leaves a screen is carried out, the rest is for
// the screen that it concerns.
func (b *browser) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		b.theme = theme.New(b.theme.Depth(), msg.IsDark())
		b.picker = b.picker.SetTheme(b.theme)
		return b, nil
	case tea.WindowSizeMsg:
		b.size = msg
		return b, tea.Batch(b.show(msg), b.showTree(msg))
	case picker.Chosen:
		return b.leave(chose, choice{path: msg.Path})
	case picker.Cancelled:
		return b.leave(left, choice{})
	case picker.Exit, treeview.Exit:
		return b.leave(stopped, choice{})
	case treeview.Resume:
		return b.leave(chose, choice{b.path, msg.ID})
	case treeview.Back:
		b.feed.look()
		return b, b.closeTree()
	case picker.Tree:
		return b, b.openTree(msg.Path)
	case carriedOut:
		b.feed.look()
		return b, b.show(msg.told)
	case picker.Found:
		for i := range msg.Items {
			b.ids[msg.Items[i].Info.Path] = msg.Items[i].Info.ID
		}
		return b, b.show(msg)
	case picker.Gone, picker.Away, picker.Pinned, picker.Progress, picker.Done, picker.Told, picker.Matches, picker.Preview:
		return b, b.show(msg)
	}
	if cmd := b.wish(msg); cmd != nil {
		return b, cmd
	}
	if b.path != "" {
		return b, b.showTree(msg)
	}
	return b, b.show(msg)
}

// leave ends the browser.
func (b *browser) leave(end departure, chosen choice) (tea.Model, tea.Cmd) {
	b.ending, b.chosen = end, chosen
	return b, tea.Quit
}

// show gives a message to the list.
func (b *browser) show(msg tea.Msg) (cmd tea.Cmd) {
	b.picker, cmd = b.picker.Update(msg)
	return cmd
}

// showTree gives a message to the tree, if one is shown.
func (b *browser) showTree(msg tea.Msg) (cmd tea.Cmd) {
	if b.path != "" {
		b.tree, cmd = b.tree.update(msg)
	}
	return cmd
}

// openTree shows the tree of a session.
func (b *browser) openTree(path string) tea.Cmd {
	closed := b.closeTree()
	tree, open := b.a.newTreeScreen(b.wishes.ctx, path, "", b.theme)
	b.tree, b.path = tree, path
	return tea.Batch(closed, open, b.showTree(b.size))
}

// closeTree goes back to the list. The command lets go of what was read, nil where
// there is no tree.
func (b *browser) closeTree() tea.Cmd {
	tree, shown := b.tree, b.path != ""
	b.tree, b.path = treeScreen{}, ""
	if !shown {
		return nil
	}
	return func() tea.Msg {
		_ = tree.close() // nothing was written through it
		return nil
	}
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
func (b *browser) View() tea.View {
	if b.path != "" {
		v := tea.NewView(b.tree.model.View())
		v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
		return b.a.onScreen(v)
	}
	return b.a.onScreen(b.picker.View())
}

// onScreen is a screen as the terminal can show it: in ASCII, if its locale is not
// one of UTF-8.
func (a *app) onScreen(v tea.View) tea.View {
	if !term.UTF8(a.lib.Env.Getenv) {
		v.Content = term.ASCII(v.Content)
	}
	return v
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
