package jetstream

import (
	"context"
	"slices"
	"time"

	"github.com/cambium-dev/cambium/storage"
)

// beginWith makes the log with its first lines: the content and the name, as
// one.
func (l *streamLog) beginWith(ctx context.Context, lines [][]byte) (storage.Mark, error) {
	s := l.store
	p, old, err := l.known()
	if err != nil {
		return storage.Mark{}, err
	}
	h, n, err := s.find(ctx, p)
	switch {
	case err != nil:
		return storage.Mark{}, err
	case h != nil && l.mine(h.ref):
		// It was not there a moment ago: an attempt took place.
		n, mark, _, err := l.begun(ctx, p, lines, nil)
		return l.proceed(ctx, mark, lines, n, err)
	case h != nil && old == (ref{}):
		return storage.Mark{}, storage.ErrExist
	case h != nil: // another log took the name of one that is gone
		return storage.Mark{}, &storage.Changed{Kind: storage.Replaced, Now: h.mark()}
	case len(lines) == 0:
		return storage.Mark{}, nil
	}
	g, _ := nextGroup(lines)
	if err := s.tooLong(g); err != nil {
		return storage.Mark{}, err
	}
	r := ref{p.project(), newToken()}
	try := attemptOf(g, r, storage.Mark{}, 0)
	try.place = p
	patient := s.patient()
	for turn := range maxSteps {
		try.over = n.seq
		drafts := append(s.drafts(g, r, seen{}, 0, 0),
			draft(p.subject, namingRecord(r, r.content), []byte(p.name), int64(n.seq)))
		_, err := s.publish(ctx, drafts...)
		if err == nil || mayHave(err) {
			l.doubt(try)
		}
		if err == nil || conflict(err) {
			var over *uint64
			if err == nil {
				over = &try.over
			}
			done, mark, now, serr := l.begun(ctx, p, lines, over)
			if serr != nil || done > 0 {
				return l.proceed(ctx, mark, lines, done, serr)
			}
			n = now
			if !s.pause(ctx, time.Duration(min(2*turn, 100))*time.Millisecond) {
				return storage.Mark{}, s.settle(ctx, errClosing)
			}
			continue
		}
		if fateOf(err) == final || ctx.Err() != nil || !patient.Wait(ctx) {
			return storage.Mark{}, s.settle(ctx, err)
		}
		if done, mark, err := l.reckon(ctx, storage.Mark{}, lines); err != nil || done > 0 {
			return l.proceed(ctx, mark, lines, done, err)
		}
	}
	return storage.Mark{}, storage.ErrLocked
}

// begun tells why a log was not begun, or that it was: as reckon, and with what
// its name has. over is the name's last message before an attempt of which the
// server said that it took place; nil if it did not say so.
func (l *streamLog) begun(ctx context.Context, p place, lines [][]byte, over *uint64) (int, storage.Mark, naming, error) {
	patient := l.store.patient()
	for {
		done, mark, err := l.reckon(ctx, storage.Mark{}, lines)
		if err != nil || done > 0 {
			return done, mark, naming{}, err
		}
		h, n, err := l.store.find(ctx, p)
		switch {
		case err != nil:
			return 0, storage.Mark{}, n, err
		case h != nil && !l.mine(h.ref):
			return 0, storage.Mark{}, n, storage.ErrExist
		case h == nil && over == nil:
			return 0, storage.Mark{}, n, nil
		case h == nil && n.seq > *over:
			l.open = nil
			return 0, storage.Mark{}, n, &storage.Changed{Kind: storage.Gone} // removed at once
		}
		// Who answered a moment ago had less than there is.
		if !patient.Wait(ctx) {
			return 0, storage.Mark{}, n, l.store.settle(ctx, errStale)
		}
	}
}

// mine reports whether a content is that of an attempt.
func (l *streamLog) mine(r ref) bool {
	return slices.ContainsFunc(l.open, func(a attempt) bool { return a.ref == r })
}

// firstOf returns the first error that is one.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
