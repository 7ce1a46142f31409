package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/work"
)

// Wishes carries out what a person wants on the screen, as the commands do, one
// thing after the other. What is worth knowing is for the person, too: it is told on
// the screen.
type wishes struct {
	a   *app
	ctx context.Context

	mu     sync.Mutex
	undone [][]string // what was done and can be taken back, the last last; guarded by mu
}

// do returns the command that carries out one wish: f says what was done, and what of
// it can be taken back, which is kept. What is worth knowing besides is told with it.
func (w *wishes) do(f func(l *work.Library) (text string, undo []string, err error)) tea.Cmd {
	return func() tea.Msg {
		w.mu.Lock()
		defer w.mu.Unlock()
		var notes noteList
		l := w.a.lib.Beside(work.Front{Note: notes.keep})
		defer l.CloseIndex()
		text, undo, err := f(l)
		told := picker.Told{Text: text}
		if said := notes.texts(); len(said) > 0 && err == nil {
			told.Text += " (" + said[0] + ")"
		}
		if len(undo) > 0 {
			w.undone = append(w.undone, undo)
			told.Undo = true
		}
		if err != nil {
			p := classify(err)
			told.Bad, told.Text = true, p.text
			if p.todo != "" {
				told.Text += "; " + p.todo
			}
		}
		return carriedOut{told}
	}
}

// carriedOut is what a wish ends with: the list is looked at anew.
type carriedOut struct{ told picker.Told }

// A noteList keeps notes, to be told on a screen.
type noteList struct {
	mu  sync.Mutex
	all []string // guarded by mu
}

func (n *noteList) keep(note work.Note) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, term.Line(noteText(note)))
}

// texts returns the notes, a line each.
func (n *noteList) texts() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.all
}

// undo takes back what was done last on this screen.
func (w *wishes) undo() tea.Cmd {
	return w.do(func(l *work.Library) (string, []string, error) {
		if len(w.undone) == 0 {
			return "", nil, problem{exit: exitNotFound, text: "nothing was done here that can be taken back", todo: "`cambium undo` takes back what was done before"}
		}
		last := w.undone[len(w.undone)-1]
		for n, id := range slices.Backward(last) {
			if _, err := l.Undo(w.ctx, id); err != nil {
				w.undone[len(w.undone)-1] = last[:n+1]
				return "", nil, err
			}
		}
		w.undone = w.undone[:len(w.undone)-1]
		return "taken back", nil, nil
	})
}

// remove moves sessions to the trash.
func (w *wishes) remove(paths []string) tea.Cmd {
	return w.do(func(l *work.Library) (string, []string, error) {
		goesOnAnyway(l)
		var undo []string
		for n, path := range paths {
			o, err := l.Remove(w.ctx, path, "")
			if err != nil && n > 0 {
				p := classify(err)
				p.text = fmt.Sprintf("moved %s to the trash, then: %s", theme.Plural(n, "session"), p.text)
				err = p
			}
			if err != nil {
				return "", undo, err
			}
			undo = append(undo, o.ID)
		}
		return "moved " + theme.Plural(len(paths), "session") + " to the trash", undo, nil
	})
}

// goesOnAnyway has a session taken from its place whoever has it open: the screen shows
// that beside the session, and what is done can be taken back there.
func goesOnAnyway(l *work.Library) {
	if l.IfBusy == work.Ask {
		l.IfBusy = work.Go
	}
}

// rename names a session.
func (w *wishes) rename(path, name string) tea.Cmd {
	return w.do(func(l *work.Library) (string, []string, error) {
		r, err := l.Rename(w.ctx, path, work.RenameOptions{Name: name})
		if name == "" {
			return "the name was taken away", r.Undo, err
		}
		return fmt.Sprintf("renamed to “%s”", name), r.Undo, err
	})
}

// label names the last entry of the conversation on the branch on which a
// session goes on.
func (w *wishes) label(path, text string) tea.Cmd {
	return w.do(func(l *work.Library) (string, []string, error) {
		_, err := l.LabelLast(w.ctx, path, text)
		if text == "" {
			return "the label was taken away", nil, err
		}
		return fmt.Sprintf("labelled “%s”", text), nil, err
	})
}

// fork copies a session beside it.
func (w *wishes) fork(path string) tea.Cmd {
	return w.do(func(l *work.Library) (string, []string, error) {
		l.Agent = "" // that of the session
		_, err := l.Fork(w.ctx, path, work.ForkOptions{})
		return "forked", nil, err
	})
}

// move makes a session one of another directory.
func (w *wishes) move(path, dir string) tea.Cmd {
	return w.do(func(l *work.Library) (string, []string, error) {
		goesOnAnyway(l)
		if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || rest[0] == '/') {
			dir = l.Env.Home + rest
		}
		dir = filepath.Clean(l.Absolute(dir))
		if !work.IsDir(dir) {
			return "", nil, problem{exit: exitNotFound, path: dir, text: fmt.Sprintf("move session to %q: there is no such directory", dir)}
		}
		m, err := l.Move(w.ctx, path, dir)
		return "moved to " + w.a.tilde(dir), m.Undo, err
	})
}

// pin has sessions on top, or no longer.
func (w *wishes) pin(ids []string, on bool) tea.Cmd {
	return w.do(func(l *work.Library) (string, []string, error) {
		refused, err := l.Pin(ids, on)
		switch {
		case err != nil:
			return "", nil, failed(l.PinsFile(), err)
		case len(refused) > 0:
			return "", nil, problem{exit: exitRefused, text: "omp has it pinned", todo: "take the pin away there"}
		case on:
			return "pinned " + theme.Plural(len(ids), "session"), nil, nil
		}
		return "no longer pinned: " + theme.Plural(len(ids), "session"), nil, nil
	})
}
