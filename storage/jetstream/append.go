package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cambium-dev/cambium/internal/loglines"
	"github.com/cambium-dev/cambium/storage"
)

// errMeanwhile is why only the first part of an append is in place.
var errMeanwhile = errors.New("others appended meanwhile")

// Append adds the lines. Those of more than 4 MiB go in steps, each of which
// takes place as a whole or not.
func (l *streamLog) Append(ctx context.Context, after storage.Mark, lines [][]byte) (storage.Mark, error) {
	if _, err := loglines.CheckLines(lines); err != nil {
		return after, l.fail("append to", err)
	}
	if err := l.take(ctx); err != nil {
		return after, l.fail("append to", err)
	}
	defer l.turn.Give()
	mark, err := l.append(ctx, after, lines)
	if err != nil {
		return mark, l.fail("append to", err)
	}
	return mark, nil
}

func (l *streamLog) append(ctx context.Context, after storage.Mark, lines [][]byte) (storage.Mark, error) {
	// An answer may be owed: it decides where these lines begin.
	if n, mark, err := l.reckon(ctx, after, lines); err != nil || n > 0 {
		return l.proceed(ctx, mark, lines, n, err)
	}
	l.mu.Lock()
	moved, r := l.moved, l.ref
	l.mu.Unlock()
	// What was written before the connection was made anew may be lost.
	epoch := l.store.epoch.Load()
	switch {
	case len(lines) == 0 || moved || after.IsZero() && r != (ref{}) || !after.IsZero() && epoch != l.epoch:
		n, mark, err := l.answers(ctx, after, lines)
		if errors.Is(err, storage.ErrNotExist) {
			break
		}
		if err != nil || len(lines) == 0 || n > 0 {
			return l.proceed(ctx, mark, lines, n, err)
		}
		l.epoch = epoch
	}
	if after.IsZero() {
		return l.beginWith(ctx, lines)
	}
	first, _ := nextGroup(lines)
	n, mark, err := l.extend(ctx, after, first)
	return l.proceed(ctx, mark, lines, n, err)
}

// proceed goes on behind the first n lines, unless there was an error.
func (l *streamLog) proceed(ctx context.Context, mark storage.Mark, lines [][]byte, n int, err error) (storage.Mark, error) {
	if err != nil {
		return mark, err
	}
	return l.rest(ctx, mark, lines, n)
}

// rest goes on behind the first n lines, which are in place.
func (l *streamLog) rest(ctx context.Context, mark storage.Mark, lines [][]byte, n int) (storage.Mark, error) {
	for n < len(lines) {
		g, _ := nextGroup(lines[n:])
		added, next, err := l.extend(ctx, mark, g)
		var changed *storage.Changed
		if errors.As(err, &changed) {
			err = errMeanwhile // the mark to go on with is not that of the change
		}
		if err != nil {
			return mark, &storage.Partial{Lines: n, Err: err}
		}
		mark, n = next, n+added
	}
	return mark, nil
}

// extend adds lines to a log that is there. It returns how many of them are in
// place: all, or those of an attempt before.
func (l *streamLog) extend(ctx context.Context, after storage.Mark, g group) (int, storage.Mark, error) {
	if err := l.store.tooLong(g); err != nil {
		return 0, after, err
	}
	at := seenOf(after)
	patient := l.store.patient()
	for turn := range maxSteps {
		if err := l.giveWay(ctx); err != nil {
			return 0, after, err
		}
		r, expect, naming := l.target(at)
		if r.content != at.content {
			if n, mark, err := l.answers(ctx, after, g.lines); err != nil || n > 0 {
				return n, mark, err
			}
			continue
		}
		seq, err := l.store.publish(ctx, l.store.drafts(g, r, at, expect, naming)...)
		if err == nil {
			l.open = nil
			l.noteTip(tip{r, seq, seq, false})
			end := g.end(r, at)
			end.last = seq
			return len(g.lines), end.mark(), nil
		}
		if mayHave(err) {
			l.doubt(attemptOf(g, r, after, expect))
		}
		if conflict(err) {
			if n, mark, err := l.answers(ctx, after, g.lines); err != nil || n > 0 {
				return n, mark, err
			}
			if turn > 2 && !l.store.pause(ctx, time.Duration(min(2*turn, 100))*time.Millisecond) {
				return 0, after, l.store.settle(ctx, errClosing)
			}
			continue
		}
		if fateOf(err) == final || ctx.Err() != nil || !patient.Wait(ctx) {
			return 0, after, l.store.settle(ctx, err)
		}
		if n, mark, err := l.reckon(ctx, after, g.lines); err != nil || n > 0 {
			return n, mark, err
		}
	}
	return 0, after, fmt.Errorf("the log changed at each of %d tries", maxSteps)
}

// errClosing is why a call ended that waited while the store was closed.
var errClosing = errors.New("the store was closed")

// holdFor is how long writers wait for a replacement that asks them to.
const holdFor = 2 * time.Second

// giveWay waits while a replacement takes its last step, which writers would
// never let it take that write all the time.
func (l *streamLog) giveWay(ctx context.Context) error {
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
func (l *streamLog) target(at seen) (r ref, expect, naming uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	expect = at.last
	if l.tip.ref == l.ref && l.tip.last == at.last {
		expect = l.tip.seq
	}
	return l.ref, expect, l.naming
}

func (l *streamLog) noteTip(t tip) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tip = t
}
