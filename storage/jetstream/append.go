package jetstream

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/cambium-dev/cambium/storage"
)

// errMeanwhile is why only the first part of an append is in place.
var errMeanwhile = errors.New("others appended meanwhile")

// An attempt is an append that was sent: where it was to begin and what its lines
// are.
type attempt struct {
	ref   ref
	at    storage.Mark // that it was to follow
	end   seen         // but for its last message
	after uint64       // the message that it was to follow
	place place        // where it was to begin a log
	token uint64
	n     int
	sum   [sha256.Size]byte
}

func attemptOf(g group, r ref, at storage.Mark, after uint64) attempt {
	return attempt{
		ref: r, at: at, end: g.end(r, seenOf(at)), after: after, token: g.token, n: len(g.lines), sum: sumOf(g.lines),
	}
}

// Append adds the lines. Those of more than 4 MiB go in steps, each of which
// takes place as a whole or not.
func (l *Log) Append(ctx context.Context, after storage.Mark, lines [][]byte) (storage.Mark, error) {
	if err := checkLines(lines); err != nil {
		return after, l.fail("append to", err)
	}
	if err := l.take(ctx); err != nil {
		return after, l.fail("append to", err)
	}
	defer func() { <-l.turn }()
	mark, err := l.append(ctx, after, lines)
	if err != nil {
		return mark, l.fail("append to", err)
	}
	return mark, nil
}

func (l *Log) append(ctx context.Context, after storage.Mark, lines [][]byte) (storage.Mark, error) {
	if len(l.open) > 0 {
		// An answer is owed: it decides where these lines begin.
		done, mark, err := l.owed(ctx, after, lines)
		if err != nil {
			return after, err
		}
		if done != nil {
			return l.rest(ctx, mark, lines, done.n)
		}
	}
	l.mu.Lock()
	moved, r := l.moved, l.ref
	l.mu.Unlock()
	// What was written before the connection was made anew may be lost.
	epoch := l.store.epoch.Load()
	switch {
	case len(lines) == 0 || moved || after.IsZero() && r != (ref{}) || !after.IsZero() && epoch != l.epoch:
		_, err := l.compare(ctx, after)
		if errors.Is(err, storage.ErrNotExist) {
			break
		}
		if err != nil || len(lines) == 0 {
			return after, err
		}
		l.epoch = epoch
	}
	if after.IsZero() {
		return l.beginWith(ctx, lines)
	}
	first, rest := nextGroup(lines)
	mark, err := l.extend(ctx, after, first)
	if err != nil {
		return after, err
	}
	return l.rest(ctx, mark, lines, len(lines)-len(rest))
}

// rest goes on behind the first n lines, which are in place.
func (l *Log) rest(ctx context.Context, mark storage.Mark, lines [][]byte, n int) (storage.Mark, error) {
	for n < len(lines) {
		g, rest := nextGroup(lines[n:])
		next, err := l.extend(ctx, mark, g)
		var changed *storage.Changed
		if errors.As(err, &changed) {
			err = errMeanwhile // the mark to go on with is not that of the change
		}
		if err != nil {
			return mark, &storage.Partial{Lines: n, Err: err}
		}
		mark, n = next, len(lines)-len(rest)
	}
	return mark, nil
}

// extend adds lines to a log that is there.
func (l *Log) extend(ctx context.Context, after storage.Mark, g group) (storage.Mark, error) {
	if err := l.store.tooLong(g); err != nil {
		return after, err
	}
	at := seenOf(after)
	patient := l.store.patient()
	var tries []attempt // of this call, that may have taken place
	for turn := range maxSteps {
		if err := l.giveWay(ctx); err != nil {
			return after, err
		}
		r, expect, naming := l.target(at)
		if r.content != at.content {
			if _, err := l.compare(ctx, after); err != nil {
				return after, err
			}
			continue
		}
		seq, err := l.store.publish(ctx, l.store.drafts(g, r, at, expect, naming)...)
		switch {
		case err == nil:
			l.open = nil
			l.noteTip(tip{r, seq, seq, false})
			end := g.end(r, at)
			end.last = seq
			return end.mark(), nil
		case conflict(err):
			all := append(l.open[:len(l.open):len(l.open)], tries...)
			done, mark, err := l.answers(ctx, after, g, all)
			if done || err != nil {
				return mark, err
			}
			tries = nil
			if turn > 2 && !l.store.pause(ctx, time.Duration(min(turn, 20))*time.Millisecond) {
				return after, l.store.settle(ctx, errClosing)
			}
			continue
		}
		fate := fateOf(err)
		if fate == unknown {
			tries = append(tries, attemptOf(g, r, after, expect))
		}
		if fate == final || ctx.Err() != nil || !patient.wait(ctx) {
			l.open = append(l.open, tries...)
			return after, l.store.settle(ctx, err)
		}
		if done, mark, err := l.check(ctx, after, tries); done || err != nil {
			if err != nil {
				l.open = append(l.open, tries...)
			}
			return mark, err
		}
	}
	l.open = append(l.open, tries...)
	return after, fmt.Errorf("the log changed at each of %d tries", maxSteps)
}

// errClosing is why a call ended that waited while the store was closed.
var errClosing = errors.New("the store was closed")

// check looks for the attempts of one call after the server was away.
func (l *Log) check(ctx context.Context, after storage.Mark, tries []attempt) (bool, storage.Mark, error) {
	for _, a := range tries {
		mark, err := l.took(ctx, a)
		if err != nil {
			return false, after, err
		}
		if !mark.IsZero() {
			l.open = nil
			return true, mark, nil
		}
	}
	return false, after, nil
}

// holdFor is how long writers wait for a replacement that asks them to.
const holdFor = 2 * time.Second

// giveWay waits while a replacement takes its last step, which writers would
// never let it take that write all the time.
func (l *Log) giveWay(ctx context.Context) error {
	began := time.Now()
	for {
		l.mu.Lock()
		t := l.tip
		l.mu.Unlock()
		if !t.held || t.seq == l.passed {
			return nil
		}
		if time.Since(began) > holdFor {
			l.passed = t.seq // whoever asked has ended
			return nil
		}
		if !l.store.pause(ctx, 2*time.Millisecond) {
			return firstOf(ctx.Err(), errClosing)
		}
		if _, err := l.look(ctx); err != nil && !errors.Is(err, storage.ErrNotExist) {
			return err
		} else if err != nil {
			return nil // who compares says so
		}
	}
}

// target is where lines behind a mark go: which content, behind which message.
func (l *Log) target(at seen) (r ref, expect, naming uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	expect = at.last
	if l.tip.ref == l.ref && l.tip.last == at.last {
		expect = l.tip.seq
	}
	return l.ref, expect, l.naming
}

func (l *Log) noteTip(t tip) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tip = t
}

// answers tells why nothing was added: an attempt before took place, or others
// changed the log. Neither is a reason that is there no more.
func (l *Log) answers(ctx context.Context, after storage.Mark, g group, tries []attempt) (bool, storage.Mark, error) {
	sum := sumOf(g.lines)
	for _, a := range tries {
		mark, err := l.took(ctx, a)
		if err != nil {
			l.open = tries
			return false, after, err
		}
		if !mark.IsZero() && a.at == after && a.n == len(g.lines) && a.sum == sum {
			l.open = nil
			return true, mark, nil
		}
	}
	_, err := l.compare(ctx, after)
	var changed *storage.Changed
	if errors.As(err, &changed) {
		l.open = nil // the log has gone on, so that none of them can still take place
	} else if err != nil {
		l.open = tries
	}
	return false, after, err
}

// owed finds out whether an append that got no answer took place, and returns
// it with its mark if the lines begin with its own.
func (l *Log) owed(ctx context.Context, after storage.Mark, lines [][]byte) (*attempt, storage.Mark, error) {
	for i := range l.open {
		a := &l.open[i]
		mark, err := l.took(ctx, *a)
		if err != nil {
			return nil, after, err
		}
		if mark.IsZero() {
			continue
		}
		done := *a
		l.open = nil
		if done.at != after || done.n > len(lines) || done.sum != sumOf(lines[:done.n]) {
			return nil, after, nil
		}
		return &done, mark, nil
	}
	return nil, after, nil
}

// took returns the mark behind an attempt; zero if it did not take place. One
// that began a log has taken place only if the log has its name.
func (l *Log) took(ctx context.Context, a attempt) (storage.Mark, error) {
	if a.at.IsZero() {
		n, err := l.store.naming(ctx, a.place)
		if err != nil || !n.has || n.ref != a.ref {
			return storage.Mark{}, err
		}
	}
	from := a.after + 1
	for {
		m, err := l.store.get(ctx, query{Seq: from, Next: l.store.subject(a.ref)})
		if err != nil || m == nil {
			return storage.Mark{}, err
		}
		h, err := parseHead(a.ref, m)
		if err != nil {
			return storage.Mark{}, err
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
			return end.mark(), nil
		case h.kind != part:
			return storage.Mark{}, nil
		}
		from = m.seq + 1
	}
}
