package work

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/cambium-dev/cambium/internal/offline"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/serverstatus"
	"github.com/cambium-dev/cambium/storage"
)

// ErrNoSweep says that there is nothing to sweep in this kind of store.
var ErrNoSweep = errors.New("there is nothing to do in this kind of store")

// A StoreStatus says what a shared store is and how it is.
type StoreStatus struct {
	// Kind is the scheme of its URL, Where the URL without a password.
	Kind, Where string
	// Away says that it does not answer: what is told is what this machine knows.
	Away bool
	// Old says that it has to be upgraded first: nothing else is known then.
	Old *serverstatus.Old
	// Postgres or JetStream is what the store says of itself.
	Postgres  *serverstatus.Postgres
	JetStream *serverstatus.JetStream
	// Leases are the sessions that somebody has open, by path.
	Leases []Lease
	// Waiting is what waits on this machine, by path.
	Waiting []offline.Waiting
	// Copies counts the sessions that are kept on this machine, CopiedBytes their bytes.
	Copies      int
	CopiedBytes int64
}

// A Lease is a session that somebody has open.
type Lease struct {
	Path   string
	Holder storage.Holder
}

// InitStore makes what the store that is named needs, if it is not there.
func InitStore(ctx context.Context, l *Library) error {
	l.Makes = true
	return reached(ctx, l, Openers()[l.Scheme])
}

// UpgradeStore brings the store that is named up to date.
func UpgradeStore(ctx context.Context, l *Library) error {
	return reached(ctx, l, Upgrading()[l.Scheme])
}

// reached opens the store that is named, which must answer.
func reached(ctx context.Context, l *Library, open Opener) error {
	s, err := l.Reach(ctx, open, l.Store)
	if err != nil {
		return &Error{Reaching, "", err}
	}
	return s.Close()
}

// SweepStore takes out of the store that is named what nobody can read any more, and
// returns how many contents that were. The error may be [ErrNoSweep].
func SweepStore(ctx context.Context, l *Library) (int, error) {
	s, err := l.Reach(ctx, Openers()[l.Scheme], l.Store)
	if err != nil {
		return 0, &Error{Reaching, "", err}
	}
	defer func() { _ = s.Close() }() // all was acknowledged
	sweeper, ok := s.Store.(interface {
		Sweep(context.Context) (int, error)
	})
	if !ok {
		return 0, ErrNoSweep
	}
	n, err := sweeper.Sweep(ctx)
	if err != nil {
		return n, &Error{Reaching, "", err}
	}
	return n, nil
}

// Status says what the store that is named is and how it is, and sends what waits for
// it. With an error that it has to be upgraded the status says what is known.
func Status(ctx context.Context, l *Library) (StoreStatus, error) {
	st := StoreStatus{Kind: l.Scheme, Where: PlainURL(l.Store)}
	s, err := l.ReachStore(ctx)
	if err != nil {
		errors.As(err, &st.Old)
		return st, err
	}
	l.Attach(ctx, s) // closed in the end
	l.SendWaiting(ctx)
	if s.Offline != nil {
		st.Away = s.Offline.Away() != nil
		if st.Waiting, err = s.Offline.Wait(); err != nil {
			return st, err
		}
		slices.SortFunc(st.Waiting, func(x, y offline.Waiting) int { return cmp.Compare(x.Name, y.Name) })
		st.Copies, st.CopiedBytes = s.Offline.Copies()
	}
	if st.Away {
		return st, nil
	}
	if err := st.ask(ctx, l); err != nil {
		return st, &Error{Reaching, "", err}
	}
	if err := st.survey(ctx, s.Store); err != nil {
		return st, &Error{Reaching, "", err}
	}
	return st, nil
}

// ask asks the store itself.
func (st *StoreStatus) ask(ctx context.Context, l *Library) error {
	far, err := l.Reach(ctx, Openers()[l.Scheme], l.Store)
	if err != nil {
		return err
	}
	defer func() { _ = far.Close() }() // nothing was written
	switch s := far.Store.(type) {
	case interface {
		Status(ctx context.Context) (serverstatus.Postgres, error)
	}:
		is, err := s.Status(ctx)
		st.Postgres = &is
		return err
	case interface {
		Status(ctx context.Context) (serverstatus.JetStream, error)
	}:
		is, err := s.Status(ctx)
		st.JetStream = &is
		return err
	}
	return nil
}

// survey finds out who has which session open.
func (st *StoreStatus) survey(ctx context.Context, store storage.Store) error {
	all, err := powers.Survey(ctx, store)
	for path, holders := range all {
		for _, h := range holders {
			st.Leases = append(st.Leases, Lease{path, h})
		}
	}
	slices.SortFunc(st.Leases, func(x, y Lease) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), x.Holder.Since.Compare(y.Holder.Since))
	})
	return err
}
