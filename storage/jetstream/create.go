package jetstream

import (
	"context"

	"github.com/cambium-dev/cambium/storage"
)

// beginWith makes the log with its first lines: the content and the name, as
// one.
func (l *Log) beginWith(ctx context.Context, lines [][]byte) (storage.Mark, error) {
	s := l.store
	p, old, err := l.known()
	if err != nil {
		return storage.Mark{}, err
	}
	h, n, err := s.find(ctx, p)
	switch {
	case err != nil:
		return storage.Mark{}, err
	case h != nil && old == (ref{}):
		return storage.Mark{}, storage.ErrExist
	case h != nil: // another log took the name of one that is gone
		return storage.Mark{}, &storage.Changed{Kind: storage.Replaced, Now: h.mark()}
	case len(lines) == 0:
		return storage.Mark{}, nil
	}
	g, rest := nextGroup(lines)
	if err := s.tooLong(g); err != nil {
		return storage.Mark{}, err
	}
	r := ref{p.project(), newToken()}
	try := attemptOf(g, r, storage.Mark{}, 0)
	try.place = p
	patient, unsure := s.patient(), false
	for range maxSteps {
		drafts := append(s.drafts(g, r, seen{}, 0, 0),
			draft(p.subject, namingRecord(r, r.content), []byte(p.name), int64(n.seq)))
		_, err := s.publish(ctx, drafts...)
		if err == nil || unsure || conflict(err) {
			mark, took := l.took(ctx, try)
			switch {
			case took != nil && err == nil:
				// It is in place; only where is not known.
				l.open = append(l.open, try)
				return storage.Mark{}, took
			case took != nil:
				err = took
			case err == nil && mark.IsZero():
				return storage.Mark{}, &storage.Changed{Kind: storage.Gone} // removed at once
			case !mark.IsZero():
				l.open = nil
				return l.rest(ctx, mark, lines, len(lines)-len(rest))
			}
		}
		if conflict(err) {
			h, now, err := s.find(ctx, p)
			if err != nil || h != nil {
				return storage.Mark{}, firstOf(err, storage.ErrExist)
			}
			n = now
			continue
		}
		fate := fateOf(err)
		unsure = unsure || fate == unknown
		if fate == final || ctx.Err() != nil || !patient.wait(ctx) {
			if unsure {
				l.open = append(l.open, try)
			}
			return storage.Mark{}, s.settle(ctx, err)
		}
	}
	return storage.Mark{}, storage.ErrLocked
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
