package work

import (
	"context"
	"fmt"
	"sync"

	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/undo"
)

// Whereabouts say which session is where now. Parent is the session that it was made
// of, "" for none.
type Whereabouts struct{ ID, Path, Parent string }

func whereabouts(s *session.Session) Whereabouts {
	return Whereabouts{ID: s.ID(), Path: s.Path(), Parent: s.Header().ParentSession}
}

// change opens the session that arg names and has f change it. When it returns all of
// that is on disk. undo are the operations that can be taken back, done even if
// something failed after them.
func (l *Library) change(ctx context.Context, arg string, f func(s *session.Session) error) (undo []string, err error) {
	path, err := l.Resolve(ctx, arg)
	if err != nil {
		return nil, err
	}
	release, err := l.hold(path)
	if err != nil {
		return nil, opening(path, fmt.Errorf("open session %q: %w", path, Cause(err)))
	}
	defer release()
	if path, err = l.existing(ctx, path); err != nil {
		return nil, err
	}
	var r recorder
	s, err := l.OpenWith(ctx, path, func(o *session.Options) {
		if o.Undo != nil {
			r.Recorder, o.Undo = o.Undo, &r
		}
	})
	if err != nil {
		return r.done(), err
	}
	path = s.Path()
	err = f(s)
	if closed := s.Close(); err == nil {
		err = closed
	}
	if err != nil {
		err = saving(path, err)
	}
	return r.done(), err
}

// A recorder keeps in mind which renames and moves it put on record.
type recorder struct {
	session.Recorder
	mu     sync.Mutex
	begun  map[string]bool // guarded by mu
	undone []string        // those that are done, not taken back; guarded by mu
}

// Begin records a change.
func (r *recorder) Begin(ctx context.Context, c undo.Change) (string, error) {
	id, err := r.Recorder.Begin(ctx, c)
	if err == nil && (c.Op == state.Rename || c.Op == state.Move) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.begun == nil {
			r.begun = map[string]bool{}
		}
		r.begun[id] = true
	}
	return id, err
}

// End records how a change ended.
func (r *recorder) End(ctx context.Context, id string, failed error) error {
	err := r.Recorder.End(ctx, id, failed)
	if err == nil && failed == nil {
		r.end(id)
	}
	return err
}

// EndAt records that a change is done.
func (r *recorder) EndAt(ctx context.Context, id string, size int64) error {
	err := r.Recorder.EndAt(ctx, id, size)
	if err == nil {
		r.end(id)
	}
	return err
}

func (r *recorder) end(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun[id] {
		r.undone = append(r.undone, id)
	}
}

func (r *recorder) done() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.undone
}

// A Migrated says what a migration did.
type Migrated struct {
	Whereabouts
	From, To float64 // versions
	// Done says that something was to be done.
	Done    bool
	Entries int
}

// Current reports whether the session was of the version that is written now: nothing
// was opened to write.
func (m Migrated) Current() bool { return !spelling.Old(m.From) && m.From <= session.CurrentVersion }

// Migrate looks which version the session that arg names has, and opens it to write if
// that is to be changed: opening migrates.
func (l *Library) Migrate(ctx context.Context, arg string) (m Migrated, err error) {
	s, err := l.OpenSource(ctx, arg)
	if err != nil {
		return m, err
	}
	was := s.Header().Version
	m = Migrated{Whereabouts: whereabouts(s), From: was, To: was, Entries: s.Len()}
	if err := s.Close(); err != nil {
		return m, saving(m.Path, err)
	}
	if m.Current() {
		return m, nil
	}
	if s, err = l.OpenWrite(ctx, m.Path); err != nil {
		return m, err
	}
	m.To, m.Done, m.Entries = s.Header().Version, spelling.Old(was), s.Len()
	if err := s.Close(); err != nil {
		return m, saving(m.Path, err)
	}
	return m, nil
}
