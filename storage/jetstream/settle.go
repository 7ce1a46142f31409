package jetstream

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"slices"

	"github.com/cambium-dev/cambium/internal/lease"
	"github.com/cambium-dev/cambium/storage"
	"github.com/nats-io/nats.go"
)

// An attempt is an append that was sent, and may have taken place: where it was to
// begin and what its lines are.
//
// For a while a cluster can have two servers that answer for its leader: one that
// was frozen knows of no other when it wakes. It has all messages up to some
// number, can store none, and yet refuses, by what it knows. So no refusal says
// that an append did not take place, and no message that is missing does: only
// another message in its place. Where nothing is there yet it may still come, and
// may be sent again, since only one can be taken there.
type attempt struct {
	ref   ref
	at    storage.Mark // that it was to follow
	end   seen         // but for its last message
	after uint64       // the message that it was to follow
	place place        // where it was to begin a log
	over  uint64       // the last message of that name before
	token uint64
	n     int
	sum   [sha256.Size]byte
}

func attemptOf(g group, r ref, at storage.Mark, after uint64) attempt {
	return attempt{
		ref: r, at: at, end: g.end(r, seenOf(at)), after: after, token: g.token, n: len(g.lines), sum: lease.Sum(g.lines),
	}
}

// A whereabout is what became of an attempt.
type whereabout int

const (
	coming whereabout = iota // nothing is seen in its place: it may still come
	taken                    // it took place
	lost                     // it did not, and never will
)

// mayHave reports whether a publication may have taken place in spite of its
// error.
func mayHave(err error) bool {
	for _, sure := range []error{
		nats.ErrNoResponders, nats.ErrReconnectBufExceeded, nats.ErrPermissionViolation, nats.ErrMaxPayload, fs.ErrClosed,
		errUncommitted,
	} {
		if errors.Is(err, sure) {
			return false
		}
	}
	return true
}

// doubt keeps an attempt until it is known what became of it.
func (l *streamLog) doubt(a attempt) {
	same := func(b attempt) bool { return b.ref == a.ref && b.token == a.token && b.after == a.after }
	l.open = append(slices.DeleteFunc(l.open, same), a)
}

// reckon looks what became of the attempts. It returns how many of the lines one
// of them put behind a mark, and the mark behind them; 0 and the mark for none.
func (l *streamLog) reckon(ctx context.Context, after storage.Mark, lines [][]byte) (int, storage.Mark, error) {
	var still []attempt
	for i, a := range l.open {
		mark, what, err := l.took(ctx, a)
		if err != nil {
			l.open = append(still, l.open[i:]...)
			return 0, after, err
		}
		if what == taken && a.at == after && a.n <= len(lines) && a.sum == lease.Sum(lines[:a.n]) {
			l.open = nil
			return a.n, mark, nil
		}
		if what == coming {
			still = append(still, a)
		}
	}
	l.open = still
	return 0, after, nil
}

// answers tells why nothing was added: an attempt took place, which is returned as
// by reckon, or others changed the log. Neither is a reason that is there no more.
func (l *streamLog) answers(ctx context.Context, after storage.Mark, lines [][]byte) (int, storage.Mark, error) {
	if n, mark, err := l.reckon(ctx, after, lines); err != nil || n > 0 {
		return n, mark, err
	}
	h, err := l.compare(ctx, after)
	var changed *storage.Changed
	if !errors.As(err, &changed) {
		return 0, after, err
	}
	// The caller goes on from here, and must not leave an own line behind.
	n, mark, serr := l.settled(ctx, h, after, lines)
	if serr == nil && n == 0 {
		return 0, after, changed
	}
	if changed.Name != "" {
		l.mu.Lock()
		l.moved = true // the caller was not told
		l.mu.Unlock()
	}
	return n, mark, serr
}

// settled is reckon when a log is known to have gone on to a head, or to be gone
// if that is nil: it waits until what became of each attempt before it is seen.
func (l *streamLog) settled(ctx context.Context, h *head, after storage.Mark, lines [][]byte) (int, storage.Mark, error) {
	if h == nil {
		l.open = nil
		return 0, after, nil
	}
	patient := l.store.patient()
	passed := func(a attempt) bool { return a.ref != h.ref || a.after < h.seq }
	for slices.ContainsFunc(l.open, passed) {
		n, mark, err := l.reckon(ctx, after, lines)
		if err != nil || n > 0 {
			return n, mark, err
		}
		if err := l.forget(ctx, h.ref); err != nil {
			return 0, after, err
		}
		if slices.ContainsFunc(l.open, passed) && !patient.Wait(ctx) {
			return 0, after, l.store.settle(ctx, errStale)
		}
	}
	return 0, after, nil
}

// forget gives up attempts in contents that are purged.
func (l *streamLog) forget(ctx context.Context, now ref) error {
	for i := 0; i < len(l.open); i++ {
		r := l.open[i].ref
		if r == now {
			continue
		}
		h, err := l.store.surely(ctx, r)
		if err != nil {
			return err
		}
		if h == nil {
			l.open = slices.Delete(l.open, i, i+1)
			i--
		}
	}
	return nil
}

// took returns what became of an attempt, and the mark behind it if it took
// place. One that began a log did so only if the log has its name.
func (l *streamLog) took(ctx context.Context, a attempt) (storage.Mark, whereabout, error) {
	if a.at.IsZero() {
		n, err := l.store.naming(ctx, a.place)
		switch {
		case err != nil || n.ref != a.ref && n.seq <= a.over:
			return storage.Mark{}, coming, err
		case n.ref != a.ref:
			return storage.Mark{}, lost, nil
		}
	}
	from := a.after + 1
	for {
		m, err := l.store.get(ctx, query{Seq: from, Next: l.store.subject(a.ref)})
		if err != nil || m == nil {
			return storage.Mark{}, coming, err
		}
		h, err := parseHead(a.ref, m)
		if err != nil {
			return storage.Mark{}, coming, err
		}
		switch {
		case h.kind == data && h.token == a.token:
			if a.at.IsZero() {
				l.note(h)
			} else {
				l.noteTip(tip{a.ref, h.last, h.seq, false})
			}
			end := a.end
			end.last = h.last
			return end.mark(), taken, nil
		case h.kind != part:
			return storage.Mark{}, lost, nil
		}
		from = m.seq + 1
	}
}
