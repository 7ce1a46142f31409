package session

import (
	"context"
	"crypto/rand"
	"os"
	"sync"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/presence"
	"github.com/cambium-dev/cambium/storage"
)

// leases is the presence of a store that itself knows who has a log open.
type leases struct {
	store storage.Leaser
	who   storage.Holder // the ID is that of each lease
	alone bool           // take them from whoever has them

	mu   sync.Mutex
	held map[string]storage.Lease // guarded by mu
}

func newLeases(store storage.Leaser, o Options) *leases {
	who := o.Holder
	if who.Host == "" {
		host, _ := os.Hostname() // "" is as good as any
		if o.Env.Getenv != nil && o.Env.Getenv("USER") != "" {
			host = o.Env.Getenv("USER") + "@" + host
		}
		who = storage.Holder{Host: host, PID: os.Getpid(), Terminal: who.Terminal}
	}
	return &leases{store: store, who: who, alone: o.TakeOver, held: map[string]storage.Lease{}}
}

// Enter takes a lease.
func (l *leases) Enter(ctx context.Context, path string) (string, error) {
	who := l.who
	who.ID = rand.Text() // since when is for the store to say: clocks differ
	take := l.store.Lease
	if t, ok := l.store.(powers.Taker); ok && l.alone {
		take = t.TakeOver
	}
	lease, err := take(ctx, path, who)
	if err != nil {
		return "", err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[who.ID] = lease
	return who.ID, nil
}

// Leave releases what Enter took.
func (l *leases) Leave(ctx context.Context, id string) error {
	l.mu.Lock()
	lease := l.held[id]
	delete(l.held, id)
	l.mu.Unlock()
	if lease == nil {
		return nil
	}
	return lease.Release(ctx)
}

// Who returns who else holds the session.
func (l *leases) Who(ctx context.Context, path, own string) ([]presence.Holder, error) {
	all, err := l.store.Holders(ctx, path)
	var list []presence.Holder
	for _, h := range all {
		if h.ID != own {
			list = append(list, HolderOf(h))
		}
	}
	return list, err
}

// HolderOf is how a holder that a shared store knows is told of.
func HolderOf(h storage.Holder) presence.Holder {
	return presence.Holder{
		Program: state.Program, PID: h.PID, Host: h.Host, Terminal: h.Terminal, Leased: true, Since: h.Since,
		Sure: true, Why: "holds it in the store",
	}
}

// lost reports whether the lease of an id is.
func (l *leases) lost(id string) bool {
	l.mu.Lock()
	lease := l.held[id]
	l.mu.Unlock()
	if lease == nil {
		return false
	}
	select {
	case <-lease.Lost():
		return true
	default:
		return false
	}
}

// stillHeld looks whether the lease of the session was lost since it was last
// written: it was taken over, or had run out while this process did not run. The
// session goes on beside who holds it now: what each appends is a branch of its
// own. It is called with the lock held.
func (s *Session) stillHeld(ctx context.Context) {
	l, ok := s.presence.(*leases)
	if !ok || s.cur.present.id == "" || !l.lost(s.cur.present.id) {
		return
	}
	l.alone = false
	was := s.cur.present
	s.exit(was)
	s.cur.present = present{path: was.path}
	others, err := l.Who(ctx, was.path, "")
	if err == nil {
		s.cur.present.id, err = l.Enter(ctx, was.path)
	}
	if err != nil {
		s.opt.Log.Debug("presence", "path", was.path, "error", err)
	}
	text := "the hold on this session was lost: it was taken over, or had run out"
	if len(others) > 0 {
		text = "the hold on this session was lost, it is " + Busily(others)
	}
	s.cur.shared = true
	s.tell(Event{Kind: Busy, Holders: others, Text: text})
}
