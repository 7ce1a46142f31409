package storage

import (
	"context"
	"time"
)

// Holder says who has a log open, for people to read.
type Holder struct {
	// ID tells holders apart: unique for each opening.
	ID string
	// Host, PID and Terminal say where.
	Host     string
	PID      int
	Terminal string
	// Since is when it was opened. Who takes a lease leaves it zero to have the
	// store say it, by the store's own clock, which is one for all machines.
	Since time.Time
}

// Leaser is the power of a Store that knows who has a log open. A lease is
// advice: it never stops anybody from appending.
type Leaser interface {
	// Lease says that who has the log open, until the lease is released or
	// its process is no more.
	Lease(ctx context.Context, name string, who Holder) (Lease, error)
	// Holders returns who has the log open now, longest first.
	Holders(ctx context.Context, name string) ([]Holder, error)
}

// Surveyor is the power of a Leaser that knows at once who has which log open.
type Surveyor interface {
	// Survey returns the holders of all logs that have any, by name, longest
	// first.
	Survey(ctx context.Context) (map[string][]Holder, error)
}

// Survey returns who has which log open; nothing from a store without the power.
func Survey(ctx context.Context, store Store) (map[string][]Holder, error) {
	if s, ok := store.(Surveyor); ok {
		return s.Survey(ctx)
	}
	return nil, nil
}

// Lease is one holder's.
type Lease interface {
	// Lost is closed when the store no longer takes the holder to be there.
	Lost() <-chan struct{}
	// Release ends it. It may be called more than once.
	Release(ctx context.Context) error
}

// Hold tells store that who has the log open. A store without the power is
// told nothing, and its lease is never lost.
func Hold(ctx context.Context, store Store, name string, who Holder) (Lease, error) {
	if l, ok := store.(Leaser); ok {
		return l.Lease(ctx, name, who)
	}
	return noLease{}, nil
}

// Holders returns who has the log open as far as store knows; known is false
// for a store that cannot know.
func Holders(ctx context.Context, store Store, name string) (list []Holder, known bool, err error) {
	if l, ok := store.(Leaser); ok {
		list, err = l.Holders(ctx, name)
		return list, true, err
	}
	return nil, false, nil
}

type noLease struct{}

// Lost returns a channel that is never closed: nil.
func (noLease) Lost() <-chan struct{} { return nil }

func (noLease) Release(context.Context) error { return nil }
