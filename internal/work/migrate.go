package work

import (
	"context"

	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/session"
)

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
