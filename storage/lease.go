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

// Lease is one holder's.
type Lease interface {
	// Lost is closed when the store no longer takes the holder to be there.
	Lost() <-chan struct{}
	// Release ends it. It may be called more than once.
	Release(ctx context.Context) error
}
