package memory

import (
	"context"
	"slices"
	"time"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

var (
	_ storage.Leaser  = (*memStore)(nil)
	_ powers.Taker    = (*memStore)(nil)
	_ powers.Surveyor = (*memStore)(nil)
)

// heldLease is one holder's, until it is released or taken.
type lease struct {
	store *memStore
	name  string
	who   storage.Holder
	lost  chan struct{}
}

// Lease says that who has the log open until it is released or taken over.
func (s *memStore) Lease(ctx context.Context, name string, who storage.Holder) (storage.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if who.Since.IsZero() {
		who.Since = time.Now()
	}
	l := &lease{store: s, name: name, who: who, lost: make(chan struct{})}
	s.leases = append(s.leases, l)
	return l, nil
}

// TakeOver is Lease for the only holder.
func (s *memStore) TakeOver(ctx context.Context, name string, who storage.Holder) (storage.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.leases = slices.DeleteFunc(s.leases, func(l *lease) bool {
		if l.name == name {
			close(l.lost)
		}
		return l.name == name
	})
	s.mu.Unlock()
	return s.Lease(ctx, name, who)
}

// Holders returns who has the log open.
func (s *memStore) Holders(ctx context.Context, name string) ([]storage.Holder, error) {
	all, err := s.Survey(ctx)
	return all[name], err
}

// Survey returns who has which log open.
func (s *memStore) Survey(ctx context.Context) (map[string][]storage.Holder, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string][]storage.Holder{}
	for _, l := range s.leases {
		all[l.name] = append(all[l.name], l.who)
	}
	return all, ctx.Err()
}

// Lost is closed when the lease was taken over.
func (l *lease) Lost() <-chan struct{} { return l.lost }

// Release ends the lease.
func (l *lease) Release(context.Context) error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	l.store.leases = slices.DeleteFunc(l.store.leases, func(o *lease) bool { return o == l })
	return nil
}
