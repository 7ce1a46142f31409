package work

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/tend"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/undo"
)

// Journal returns the record of what is done to sessions: those on the disk, or
// those in the shared store, whose trash is in it.
func (l *Library) Journal() *state.Journal { return l.JournalOn(nil) }

// JournalOn is Journal with the sessions on the disk reached through a file system;
// nil means that of the machine.
func (l *Library) JournalOn(fsys vfs.FS) *state.Journal {
	k := tend.Keep{
		Env: l.Env, Agent: l.Agent, FS: fsys, Now: l.Now, Random: l.Random,
		Report: func(path string, err error) { l.note(path, err.Error()) },
	}
	if l.Shared != nil {
		k.Store, k.Dir, k.Context = l.Shared.Store, l.storeState(), l.Shared.ctx
	}
	return k.Journal()
}

// Settle finishes what an earlier command was killed in, or takes it back, and notes
// that. It returns what became of it.
func (l *Library) Settle(ctx context.Context) []state.Settled {
	all, err := l.Journal().Settle(ctx, l.reverter(), func(ctx context.Context, c state.Change) (bool, error) {
		return session.Finish(ctx, c, tend.Options(l.Session(), c))
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
func (l *Library) reverter() undo.Reverter { return tend.Reverter(l.Session()) }
