package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/tree"
)

// Wishes carries out what a person wants on the screen, as the commands do, one
// thing after the other. What commands print is for the person, too: it is
// gathered and told on the screen.
type wishes struct {
	a   *app
	ctx context.Context

	mu     sync.Mutex
	undone [][]string // what was done and can be taken back, the last last; guarded by mu
}

// aside returns an app that does what commands do without a terminal, and the
// buffer with what it says on stderr. Its index is to be closed.
func (a *app) aside() (sub *app, notes *bytes.Buffer) {
	sys, notes := a.System, &bytes.Buffer{}
	sys.Stdin, sys.Stdout, sys.Stderr = strings.NewReader(""), io.Discard, notes
	sub = newApp(sys)
	sub.flags, sub.agent, sub.here = a.flags, a.agent, a.presence()
	sub.flags.zero, sub.flags.json = false, false
	sub.shared, sub.storeScheme, sub.ctx = a.shared, a.storeScheme, a.ctx
	return sub, notes
}

// do returns the command that carries out one wish about the sessions at paths:
// f says what was done. What it did that can be taken back is kept.
func (w *wishes) do(paths []string, f func(sub *app) (string, error)) tea.Cmd {
	return func() tea.Msg {
		w.mu.Lock()
		defer w.mu.Unlock()
		sub, notes := w.a.aside()
		defer sub.closeIndex()
		before := w.operations(sub)
		text, err := f(sub)
		told := picker.Told{Text: text}
		if said := saidAside(notes); said != "" && err == nil {
			told.Text += " (" + said + ")"
		}
		if ids := w.since(sub, before, paths); len(ids) > 0 {
			w.undone = append(w.undone, ids)
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

// saidAside returns the first thing that a command said on stderr.
func saidAside(notes *bytes.Buffer) string {
	line, _, _ := strings.Cut(notes.String(), "\n")
	return strings.TrimPrefix(line, "cambium: ")
}

// operations returns how many operations are recorded.
func (w *wishes) operations(sub *app) int {
	all, err := sub.journal().List(w.ctx)
	if err != nil {
		return 0
	}
	return len(all)
}

// since returns the ids of what was recorded after the first n about sessions at
// paths, if it is what a person can want to take back.
func (w *wishes) since(sub *app, n int, paths []string) (ids []string) {
	all, err := sub.journal().List(w.ctx)
	if err != nil || n > len(all) {
		return nil
	}
	for _, o := range all[n:] {
		wanted := o.Op == state.Remove || o.Op == state.Rename || o.Op == state.Move
		if wanted && o.Status == state.Done && slices.ContainsFunc(paths, func(p string) bool { return w.sameFile(p, o.Path) }) {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// sameFile reports whether a path, of a link perhaps, is that of a file.
func (w *wishes) sameFile(path, file string) bool {
	if path == file {
		return true
	}
	real, ok := w.a.env.Real(filepath.Dir(path))
	return ok && filepath.Base(path) == filepath.Base(file) && real == filepath.Dir(file)
}

// undo takes back what was done last on this screen.
func (w *wishes) undo() tea.Cmd {
	return w.do(nil, func(sub *app) (string, error) {
		if len(w.undone) == 0 {
			return "", problem{exit: exitNotFound, text: "nothing was done here that can be taken back", todo: "`cambium undo` takes back what was done before"}
		}
		last := w.undone[len(w.undone)-1]
		for n, id := range slices.Backward(last) {
			if err := sub.undo(w.ctx, id); err != nil {
				w.undone[len(w.undone)-1] = last[:n+1]
				return "", err
			}
		}
		w.undone = w.undone[:len(w.undone)-1]
		return "taken back", nil
	})
}

// remove moves sessions to the trash.
func (w *wishes) remove(paths []string) tea.Cmd {
	return w.do(paths, func(sub *app) (string, error) {
		for n, path := range paths {
			if err := sub.remove(w.ctx, path); err != nil {
				if n > 0 {
					p := classify(err)
					p.text = fmt.Sprintf("moved %s to the trash, then: %s", theme.Plural(n, "session"), p.text)
					return "", p
				}
				return "", err
			}
		}
		return "moved " + theme.Plural(len(paths), "session") + " to the trash", nil
	})
}

// rename names a session.
func (w *wishes) rename(path, name string) tea.Cmd {
	return w.do([]string{path}, func(sub *app) (string, error) {
		err := sub.change(w.ctx, path, func(s *session.Session) (result, error) { return sub.rename(w.ctx, s, name, false) })
		if name == "" {
			return "the name was taken away", err
		}
		return fmt.Sprintf("renamed to “%s”", name), err
	})
}

// label names the last entry of the conversation on the branch on which a
// session goes on.
func (w *wishes) label(path, text string) tea.Cmd {
	return w.do([]string{path}, func(sub *app) (string, error) {
		err := sub.change(w.ctx, path, func(s *session.Session) (result, error) {
			i, list := s.LeafPosition(), s.List()
			for i >= 0 && !tree.Conversation(list.Kind(i)) {
				i = s.Tree().Parent(i, tree.Healed)
			}
			if i < 0 {
				return result{}, problem{exit: exitRefused, path: path, text: "label session: nothing was said in it yet"}
			}
			id, ok := list.ID(i)
			if !ok {
				return result{}, problem{exit: exitRefused, path: path, text: "label session: its last entry has no id"}
			}
			_, err := s.Append(w.ctx, &entry.LabelBody{TargetID: id, Label: text})
			return result{}, err
		})
		if text == "" {
			return "the label was taken away", err
		}
		return fmt.Sprintf("labelled “%s”", text), err
	})
}

// fork copies a session beside it.
func (w *wishes) fork(path string) tea.Cmd {
	return w.do([]string{path}, func(sub *app) (string, error) {
		sub.agent = "" // that of the session
		return "forked", sub.fork(w.ctx, path, forkOptions{})
	})
}

// move makes a session one of another directory.
func (w *wishes) move(path, dir string) tea.Cmd {
	return w.do([]string{path}, func(sub *app) (string, error) {
		if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || rest[0] == '/') {
			dir = sub.env.Home + rest
		}
		dir = filepath.Clean(sub.absolute(dir))
		if !isDir(dir) {
			return "", problem{exit: exitNotFound, path: dir, text: fmt.Sprintf("move session to %q: there is no such directory", dir)}
		}
		err := sub.change(w.ctx, path, func(s *session.Session) (result, error) {
			if sub.belongs(s, dir) {
				return result{}, nil
			}
			return result{}, s.Move(w.ctx, dir)
		})
		return "moved to " + sub.tilde(dir), err
	})
}

// pin has sessions on top, or no longer.
func (w *wishes) pin(ids []string, on bool) tea.Cmd {
	return w.do(nil, func(sub *app) (string, error) {
		refused, err := sub.pin(ids, on)
		switch {
		case err != nil:
			return "", sub.failed(sub.pinsFile(), err)
		case len(refused) > 0:
			return "", problem{exit: exitRefused, text: "omp has it pinned", todo: "take the pin away there"}
		case on:
			return "pinned " + theme.Plural(len(ids), "session"), nil
		}
		return "no longer pinned: " + theme.Plural(len(ids), "session"), nil
	})
}
