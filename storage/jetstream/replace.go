package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cambium-dev/cambium/storage"
)

// Replace puts a new content in place of the log's: it is stored as it is made,
// seen by nobody until it is whole. What others append meanwhile is copied behind
// it, and the last step is taken only if nobody has appended since.
func (l *streamLog) Replace(ctx context.Context, at storage.Mark, rewrite storage.Rewrite) (storage.Mark, error) {
	if err := l.take(ctx); err != nil {
		return at, l.fail("replace", err)
	}
	defer l.turn.Give()
	h, err := l.compare(ctx, at)
	if err != nil {
		return at, l.fail("replace", err)
	}
	r := &replacement{streamLog: l, old: h, ref: ref{h.ref.project, newToken()}}
	mark, err := r.run(ctx, rewrite)
	if err != nil {
		// What is stored already is purged, now or by Sweep.
		_ = l.store.drop(context.WithoutCancel(ctx), r.ref)
		return at, l.fail("replace", l.store.settle(ctx, err))
	}
	// What is left for later is purged then.
	_, _ = l.store.sweepAll(ctx)
	return mark, nil
}

// A replacement is a new content on its way.
type replacement struct {
	*streamLog
	old *head
	ref ref
	end seen // of what is stored
}

func (r *replacement) run(ctx context.Context, rewrite storage.Rewrite) (storage.Mark, error) {
	s := r.store
	// If this program dies, the new content is known to be nobody's.
	err := s.again(ctx, func(ctx context.Context) error {
		_, err := s.publish(ctx, draft(s.deads+r.ref.String(), string(dead), nil, -1))
		return err
	})
	if err != nil {
		return storage.Mark{}, err
	}
	var g group
	for line, err := range rewrite(s.each(ctx, span{r.old.ref, 0, r.old.last})) {
		if err == nil && bytes.IndexByte(line, '\n') >= 0 {
			err = errors.New("rewritten line has a line feed in it")
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && g.size > 0 && g.size+len(line)+1 > usualGroup {
			err, g = r.add(ctx, g), group{}
		}
		if err != nil {
			return storage.Mark{}, err
		}
		g.lines, g.size = append(g.lines, bytes.Clone(line)), g.size+len(line)+1
	}
	if len(g.lines) > 0 || r.end.last == 0 {
		if err := r.add(ctx, g); err != nil {
			return storage.Mark{}, err
		}
	}
	mark := r.end.mark()
	return mark, r.swap(ctx)
}

// add adds a group to the new content, where nobody else writes.
func (r *replacement) add(ctx context.Context, g group) error {
	s := r.store
	g.token = newToken()
	if err := s.tooLong(g); err != nil {
		return err
	}
	patient := s.patient()
	for {
		seq, err := s.publish(ctx, s.drafts(g, r.ref, r.end, r.end.last, 0)...)
		if conflict(err) {
			// It took place, and the answer was lost; or who refuses knows less.
			h, herr := s.surely(ctx, r.ref)
			switch {
			case herr != nil:
				return herr
			case h != nil && h.token == g.token && h.last > r.end.last:
				seq, err = h.last, nil
			case patient.Wait(ctx):
				continue
			}
		}
		if err == nil {
			r.end = g.end(r.ref, r.end)
			r.end.last = seq
			return nil
		}
		if fateOf(err) == final || ctx.Err() != nil || !patient.Wait(ctx) {
			return err
		}
	}
}

// swap seals the old content and gives its name to the new one, after copying
// what others appended.
func (r *replacement) swap(ctx context.Context) error {
	s := r.store
	copied := r.old.last
	for turn := 0; ; turn++ {
		now, err := s.head(ctx, r.old.ref)
		switch {
		case err != nil:
			return err
		case now == nil || now.kind == sealed:
			return r.sealedBy(ctx, now)
		}
		if now.last < copied {
			// Who says so has less than there is, or has lost it.
			if now, err = s.surely(ctx, r.old.ref); err != nil {
				return err
			}
			if now != nil && now.last < copied {
				return &storage.Changed{Kind: storage.Truncated, Now: now.mark()}
			}
			continue
		}
		if turn > 2 && now.kind != held {
			// Who writes all the time is asked to wait.
			if err := r.hold(ctx, now); err != nil && !conflict(err) && fateOf(err) == final || ctx.Err() != nil {
				return firstOf(ctx.Err(), err)
			}
			if turn < 10*maxSteps {
				continue
			}
		}
		if err := r.carry(ctx, copied, now.last); err != nil {
			return err
		}
		copied = now.last
		if err := r.called(ctx, now); err != nil {
			return err
		}
		p, _, err := r.known()
		if err != nil {
			return err
		}
		n, err := s.naming(ctx, p)
		if err != nil {
			return err
		}
		if n.ref == r.old.ref {
			err = r.seal(ctx, p, n, now)
		} else {
			err = errMeanwhile // it is being renamed
		}
		switch {
		case err == nil:
			r.note(&head{ref: r.ref, seq: r.end.last, last: r.end.last})
			return nil
		case !conflict(err) && !errors.Is(err, errMeanwhile) && fateOf(err) == final || ctx.Err() != nil:
			return err
		case fateOf(err) == unknown && !errors.Is(err, errMeanwhile) && turn > 20:
			return err
		case turn > 10*maxSteps:
			return fmt.Errorf("%w: others append all the time", storage.ErrLocked)
		case turn > 20 && !s.pause(ctx, time.Duration(turn%7)*time.Millisecond):
			return ctx.Err()
		}
	}
}

// carry copies what others appended between two messages of the old content.
func (r *replacement) carry(ctx context.Context, from, to uint64) error {
	if from >= to {
		return nil
	}
	var g group
	for line, err := range r.store.each(ctx, span{r.old.ref, from, to}) {
		if err == nil && g.size > 0 && g.size+len(line.Bytes)+1 > usualGroup {
			err, g = r.add(ctx, g), group{}
		}
		if err != nil {
			return err
		}
		g.lines, g.size = append(g.lines, line.Bytes), g.size+len(line.Bytes)+1
	}
	return r.add(ctx, g)
}

// hold asks others not to append for a while. Who has not seen it yet is refused
// once, and sees it then.
func (r *replacement) hold(ctx context.Context, now *head) error {
	h := *now
	h.kind, h.extra = held, r.ref.String()
	_, err := r.store.publish(ctx, draft(r.store.subject(r.old.ref), h.record(), nil, int64(now.seq)))
	return err
}

// seal takes the last step.
func (r *replacement) seal(ctx context.Context, p place, n naming, now *head) error {
	s := r.store
	last := *now
	last.kind, last.extra = sealed, r.ref.String()
	seal := draft(s.subject(r.old.ref), last.record(), []byte(p.name), int64(now.seq))
	seal.Header[ttlHeader] = []string{sealFor}
	// Only if all of it is there: a sweep may have taken it for dead.
	used := draft(s.deads+r.ref.String(), string(free), nil, int64(r.end.last))
	used.Header[expectSubjectHeader] = []string{s.subject(r.ref)}
	used.Header[ttlHeader] = []string{freeFor}
	_, err := s.publish(ctx, seal,
		draft(p.subject, namingRecord(r.ref, n.id), []byte(p.name), int64(n.seq)), used,
		draft(s.deads+r.old.ref.String(), string(dead), nil, -1))
	return err
}

// sealedBy is the result if the old content ended: this replacement did it, or
// another one was first.
func (r *replacement) sealedBy(ctx context.Context, now *head) error {
	if now != nil {
		if next, ok := now.next(); ok && next == r.ref {
			r.note(&head{ref: r.ref, seq: r.end.last, last: r.end.last})
			return nil
		}
	}
	h, err := r.look(ctx)
	switch {
	case errors.Is(err, storage.ErrNotExist):
		return &storage.Changed{Kind: storage.Gone}
	case err != nil:
		return err
	}
	return &storage.Changed{Kind: storage.Replaced, Now: h.mark()}
}
