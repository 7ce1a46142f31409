package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/internal/lease"
	"github.com/cambium-dev/cambium/internal/loglines"
	"github.com/cambium-dev/cambium/storage"
)

// maxTries is how often an append that should have succeeded is sent again
// when what it was compared with moves back and forth.
const maxTries = 100

// errMeanwhile is why only the first part of an append is in place.
var errMeanwhile = errors.New("others appended meanwhile")

// An attempt is an append that was sent: what its lines are, where they are if
// it took place.
type attempt struct {
	at      seen // where it was to begin
	end     seen // where it ends; id and gen are 0 in a log that it began
	project int64
	n       int
	sum     [sha256.Size]byte // of the lines, if it was given up
}

// Append adds the lines, all or none.
func (l *rowLog) Append(ctx context.Context, after storage.Mark, lines [][]byte) (storage.Mark, error) {
	size, err := loglines.CheckLines(lines)
	if err != nil {
		return after, l.fail("append to", err)
	}
	if err := l.take(ctx); err != nil {
		return after, l.fail("append to", err)
	}
	defer l.turn.Give()
	mark, err := l.append(ctx, after, lines, size)
	if err != nil {
		return mark, l.fail("append to", err)
	}
	return mark, nil
}

func (l *rowLog) append(ctx context.Context, after storage.Mark, lines [][]byte, size int64) (storage.Mark, error) {
	if len(l.open) > 0 {
		// An answer is owed: it decides where these lines begin.
		done, err := l.owed(ctx, after, lines)
		if err != nil {
			return after, err
		}
		if done != nil {
			return l.rest(ctx, done, lines)
		}
	}
	p, id, _ := l.known()
	l.mu.Lock()
	moved := l.moved
	l.mu.Unlock()
	switch {
	case len(lines) == 0 || moved:
		_, err := l.compare(ctx, after)
		if errors.Is(err, storage.ErrNotExist) {
			return l.beginWith(ctx, p, id, lines, size)
		}
		if err != nil || len(lines) == 0 {
			return after, err
		}
	case after.IsZero():
		if id != 0 {
			_, err := l.compare(ctx, after)
			if !errors.Is(err, storage.ErrNotExist) {
				return after, err
			}
			p, _, _ = l.known()
		}
		return l.beginWith(ctx, p, id, lines, size)
	}
	return l.extend(ctx, after, lines, size)
}

// rest goes on behind an append that took place after all.
func (l *rowLog) rest(ctx context.Context, done *attempt, lines [][]byte) (storage.Mark, error) {
	mark := done.end.mark()
	if len(lines) == done.n {
		return mark, nil
	}
	size, err := loglines.CheckLines(lines[done.n:])
	if err != nil {
		return mark, err
	}
	next, err := l.extend(ctx, mark, lines[done.n:], size)
	var changed *storage.Changed
	if errors.As(err, &changed) {
		err = errMeanwhile // the mark to go on with is not that of the change
	}
	if err != nil {
		return mark, &storage.Partial{Lines: done.n, Err: err}
	}
	return next, nil
}

// extend adds lines to a log that is there.
func (l *rowLog) extend(ctx context.Context, after storage.Mark, lines [][]byte, size int64) (storage.Mark, error) {
	at := seenOf(after)
	w := l.newWrite(lines, size, at, seen{at.id, at.gen, at.lines + int64(len(lines)), newToken()})
	patient := l.store.patient()
	unsure := false
	for range maxTries {
		w.place, _, _ = l.known()
		took, err := w.extend(ctx)
		if err == nil && took {
			l.open = nil
			l.store.tell(at.id, w.place)
			return w.end.mark(), nil
		}
		if err == nil {
			if done, err := l.answers(ctx, after, lines, w, unsure); done != nil || err != nil {
				if err != nil {
					return after, err
				}
				return l.rest(ctx, done, lines)
			}
			unsure = false
			continue
		}
		fate := fateOf(err, l.store.several)
		unsure = unsure || fate == unknown
		if fate == final || ctx.Err() != nil || !patient.Wait(ctx) {
			if unsure {
				l.open = append(l.open, w.attempt())
			}
			return after, l.store.settle(ctx, err)
		}
	}
	return after, fmt.Errorf("the log changed at each of %d tries", maxTries)
}

// beginWith makes the log with its first lines. id is that of the log before, if
// there was one.
func (l *rowLog) beginWith(ctx context.Context, p place, id int64, lines [][]byte, size int64) (storage.Mark, error) {
	v, err := l.store.find(ctx, p, 0, seen{})
	switch {
	case err != nil:
		return storage.Mark{}, l.store.settle(ctx, err)
	case v != nil && id == 0:
		return storage.Mark{}, storage.ErrExist
	case len(lines) == 0:
		return storage.Mark{}, nil
	}
	l.mu.Lock()
	l.spread = p.project()
	l.mu.Unlock()
	w := l.newWrite(lines, size, seen{}, seen{0, 0, int64(len(lines)), newToken()})
	w.place = p
	patient := l.store.patient()
	unsure := false
	for {
		took, err := w.begin(ctx)
		if err == nil && !took && (unsure || len(l.open) > 0) {
			tries := append(l.open[:len(l.open):len(l.open)], w.attempt())
			done, err := l.took(ctx, tries)
			if err != nil {
				return storage.Mark{}, err
			}
			l.open = nil
			if done != nil && done.n <= len(lines) && done.sum == lease.Sum(lines[:done.n]) {
				l.adopt(done.end.id)
				return l.rest(ctx, done, lines)
			}
		}
		if err == nil && !took {
			return storage.Mark{}, storage.ErrExist
		}
		if err == nil {
			l.open = nil
			l.adopt(w.end.id)
			l.store.tell(w.end.id, p)
			return w.end.mark(), nil
		}
		fate := fateOf(err, l.store.several)
		unsure = unsure || fate == unknown
		if fate == final || ctx.Err() != nil || !patient.Wait(ctx) {
			if unsure {
				l.open = append(l.open, w.attempt())
			}
			return storage.Mark{}, l.store.settle(ctx, err)
		}
	}
}

// answers tells why nothing was added: an attempt before took place, or others
// changed the log. Both nil is a reason that is there no more.
func (l *rowLog) answers(ctx context.Context, after storage.Mark, lines [][]byte, w *write, unsure bool) (*attempt, error) {
	tries := l.open
	if unsure {
		tries = append(tries[:len(tries):len(tries)], w.attempt())
	}
	done, err := l.took(ctx, tries)
	if err != nil {
		return nil, err
	}
	l.open = nil // the log has gone on, so that none of them can still take place
	if done != nil && done.at.mark() == after && done.n <= len(lines) && done.sum == lease.Sum(lines[:done.n]) {
		return done, nil
	}
	_, err = l.compare(ctx, after)
	return nil, err
}

// owed finds out whether an append that got no answer took place, and returns
// it if the lines begin with its own.
func (l *rowLog) owed(ctx context.Context, after storage.Mark, lines [][]byte) (*attempt, error) {
	done, err := l.took(ctx, l.open)
	if err != nil || done == nil {
		return nil, err
	}
	l.open = nil
	if done.at.mark() != after || done.n > len(lines) || done.sum != lease.Sum(lines[:done.n]) {
		return nil, nil
	}
	l.adopt(done.end.id)
	return done, nil
}

// adopt notes the log that this one began.
func (l *rowLog) adopt(id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.id = id
}

// took returns the attempt that took place, if one did. All of them were to
// begin at the same place, so that it is at most one.
func (l *rowLog) took(ctx context.Context, tries []attempt) (*attempt, error) {
	p, _, _ := l.known()
	for _, a := range tries {
		begun := a.at == seen{} // it was to begin the log
		var id, gen int64
		found, err := l.store.one(ctx, `
			select coalesce(h.id, 0), l.gen from @.lines l left join @.heads h on h.gen = l.gen and h.dir = $5 and h.base = $6
			where l.project = $1 and l.seq = $3 and l.token = $4
				and (l.gen = $2 or $2 = 0 and l.gen = h.gen)`,
			[]any{a.project, a.end.gen, a.end.lines, a.end.token, p.dir, p.base}, &id, &gen)
		if err != nil {
			return nil, err
		}
		if found {
			if begun {
				a.end.id, a.end.gen = id, gen
			}
			return &a, nil
		}
	}
	return nil, nil
}
