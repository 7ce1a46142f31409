package browse

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/work"
)

// Wishes carries out what a person wants on the screen, as the commands do, one
// thing after the other. What came of each is a [Result].
type wishes struct {
	ctx     context.Context
	lib     *work.Library
	explain func(error) Explanation

	last <-chan struct{} // closed when what was wished last is done; nil for nothing

	mu     sync.Mutex
	undone [][]string // what was done and can be taken back, the last last; guarded by mu
}

// do returns the command that carries out one wish: f says what was done, and what of
// it can be taken back, which is kept. What is worth knowing besides is kept, too. Wishes are
// carried out in the order in which do was called, whenever their commands are run.
func (w *wishes) do(f func(l *work.Library, r *Result) error) tea.Cmd {
	before, done := w.last, make(chan struct{})
	w.last = done
	return func() tea.Msg {
		defer close(done)
		if before != nil {
			select {
			case <-before:
			case <-w.ctx.Done():
			}
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		var notes noteList
		l := w.lib.Beside(work.Front{Note: notes.keep})
		defer l.CloseIndex()
		var r Result
		r.Err = f(l, &r)
		r.Notes = notes.all()
		if len(r.Undo) > 0 {
			w.undone = append(w.undone, r.Undo)
		}
		return r
	}
}

// undo takes back what was done last on this screen.
func (w *wishes) undo() tea.Cmd {
	return w.do(func(l *work.Library, r *Result) error {
		r.Did = Undid
		if len(w.undone) == 0 {
			return &Refusal{Why: NothingDone}
		}
		last := w.undone[len(w.undone)-1]
		for n, id := range slices.Backward(last) {
			if _, err := l.Undo(w.ctx, id); err != nil {
				w.undone[len(w.undone)-1] = last[:n+1]
				return err
			}
		}
		w.undone = w.undone[:len(w.undone)-1]
		return nil
	})
}

// remove moves sessions to the trash.
func (w *wishes) remove(paths []string) tea.Cmd {
	return w.do(func(l *work.Library, r *Result) error {
		r.Did = Removed
		goesOnAnyway(l)
		for _, path := range paths {
			o, err := l.Remove(w.ctx, path, "")
			if err != nil {
				return err
			}
			r.Undo = append(r.Undo, o.ID)
			r.Count++
		}
		return nil
	})
}

// goesOnAnyway has a session taken from its place whoever has it open: the screen shows
// that beside the session, and what is done can be taken back there.
func goesOnAnyway(l *work.Library) {
	if l.IfBusy == work.Ask {
		l.IfBusy = work.Go
	}
}

// rename names a session; "" takes the name away.
func (w *wishes) rename(path, name string) tea.Cmd {
	return w.do(func(l *work.Library, r *Result) error {
		renamed, err := l.Rename(w.ctx, path, work.RenameOptions{Name: name})
		r.Did, r.Text, r.Undo = Named, name, renamed.Undo
		return err
	})
}

// label names the last entry of the conversation on the branch on which a
// session goes on; "" takes the label away.
func (w *wishes) label(path, text string) tea.Cmd {
	return w.do(func(l *work.Library, r *Result) error {
		r.Did, r.Text = Labelled, text
		_, err := l.LabelLast(w.ctx, path, text)
		return err
	})
}

// fork copies a session beside it.
func (w *wishes) fork(path string) tea.Cmd {
	return w.do(func(l *work.Library, r *Result) error {
		r.Did = Forked
		l.Agent = "" // that of the session
		_, err := l.Fork(w.ctx, path, work.ForkOptions{})
		return err
	})
}

// move makes a session one of another directory.
func (w *wishes) move(path, dir string) tea.Cmd {
	return w.do(func(l *work.Library, r *Result) error {
		goesOnAnyway(l)
		if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || rest[0] == '/') {
			dir = l.Env.Home + rest
		}
		dir = filepath.Clean(l.Absolute(dir))
		if !work.IsDir(dir) {
			return &Refusal{Why: NoDirectory, Dir: dir}
		}
		m, err := l.Move(w.ctx, path, dir)
		r.Did, r.Text, r.Undo = Moved, dir, m.Undo
		return err
	})
}

// pin has sessions on top, or no longer.
func (w *wishes) pin(ids []string, on bool) tea.Cmd {
	return w.do(func(l *work.Library, r *Result) error {
		r.Did, r.Count = Unpinned, len(ids)
		if on {
			r.Did = Pinned
		}
		refused, err := l.Pin(ids, on)
		switch {
		case err != nil:
			return &work.Error{Step: work.Saving, Path: l.PinsFile(), Err: err}
		case len(refused) > 0:
			return &Refusal{Why: PinnedElsewhere}
		}
		return nil
	})
}

// A noteList keeps notes, to be told on a screen.
type noteList struct {
	mu   sync.Mutex
	kept []work.Note // guarded by mu
}

func (n *noteList) keep(note work.Note) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.kept = append(n.kept, note)
}

func (n *noteList) all() []work.Note {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.kept
}
