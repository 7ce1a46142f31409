package work

import (
	"context"
	"fmt"
	"path"
	"path/filepath"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/storefs"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// Journal returns the record of what is done to sessions: those on the disk, or
// those in the shared store, whose trash is in it.
func (l *Library) Journal() *state.Journal { return l.JournalOn(nil) }

// JournalOn is Journal with the sessions on the disk reached through a file system;
// nil means that of the machine.
func (l *Library) JournalOn(fsys vfs.FS) *state.Journal {
	o := state.Options{
		FS:  fsys,
		Dir: layout.Own(l.Env).State, Now: l.Now, Random: l.Random,
		Sidecar: l.sidecar,
		Report:  func(path string, err error) { l.note(path, err.Error()) },
	}
	if l.Shared != nil {
		o.Dir = l.storeState()
		o.Shared = &state.Shared{
			Store: l.Shared.Store, FS: storefs.NewWritable(l.Shared.ctx, l.Shared.Store),
			Trash: path.Join(layout.Own(l.StoreEnv()).State, "trash"),
		}
	}
	return state.New(o)
}

// sidecar returns the lock file that omp wants to see beside its sessions.
func (l *Library) sidecar(path string) string {
	if l.Agent != dialect.Omp && layout.Owner(path, l.Env) != string(dialect.Omp) {
		return ""
	}
	dir, base := filepath.Split(path)
	return dir + "." + base + ".lock"
}

// Settle finishes what an earlier command was killed in, or takes it back, and notes
// that. It returns what became of it.
func (l *Library) Settle(ctx context.Context) []state.Settled {
	all, err := l.Journal().Settle(ctx, l.reverter(), func(ctx context.Context, c state.Change) (bool, error) {
		return session.Finish(ctx, c, l.revertOptions(c))
	})
	if err != nil && ctx.Err() == nil {
		l.note("", err.Error())
	}
	for _, s := range all {
		if s.Err != nil {
			l.note(s.Path, fmt.Sprintf("an interrupted %s is left as it is (`cambium undo %s`): %v", s.Op, s.ID, Cause(s.Err)))
			continue
		}
		l.note(s.Path, SettledText(s))
	}
	return all
}

// SettledText says what became of an operation that was interrupted.
func SettledText(s state.Settled) string {
	text := fmt.Sprintf("an interrupted %s was ", s.Op)
	switch s.Status {
	case state.Undone:
		return text + "taken back"
	case state.Done:
		return text + "finished; `cambium undo " + s.ID + "` takes it back"
	}
	return text + "not made"
}

// reverter takes back a rename or a move.
func (l *Library) reverter() state.Reverter {
	return func(ctx context.Context, c state.Change) (string, string, error) {
		return session.Revert(ctx, c, l.revertOptions(c))
	}
}

// revertOptions are those with which a change that is on record is dealt with.
func (l *Library) revertOptions(c state.Change) session.Options {
	o := l.Session()
	o.Dialect, o.AgentDir, o.Dir = dialect.Name(c.Agent), "", ""
	return o
}
