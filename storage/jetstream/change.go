package jetstream

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/storage"
)

const (
	// freeFor is how long it is noted that a name has no log any more.
	freeFor = "3600s"
	// sealFor is how long it is noted what took the place of a content: so long
	// may a Log sleep that is open, and still find what it follows.
	sealFor = "2592000s"
	// grace is how long a content that was replaced is kept for who reads it,
	// orphan how long one that was never finished is.
	grace, orphan = 10 * time.Minute, 24 * time.Hour
)

// again runs what may be run twice, each message with a time of its own.
func (s *natsStore) again(ctx context.Context, f func(ctx context.Context) error) error {
	patient := s.patient()
	for {
		err := f(ctx)
		if err == nil || fateOf(err) == final || ctx.Err() != nil || !patient.Wait(ctx) {
			return err
		}
	}
}

// step tries a change of a log until it has taken place or cannot. It is called
// again when the log changed meanwhile, or no answer came.
func (s *natsStore) step(ctx context.Context, try func() error) error {
	patient := s.patient()
	for turn := range maxSteps {
		err := try()
		switch {
		case err == nil:
			return nil
		case conflict(err):
			// Who refuses may know less than there is, for a while.
			if turn > 2 && !s.pause(ctx, time.Duration(min(2*turn, 100))*time.Millisecond) {
				return s.settle(ctx, errClosing)
			}
		case fateOf(err) == final || ctx.Err() != nil || !patient.Wait(ctx):
			return s.settle(ctx, err)
		}
	}
	return storage.ErrLocked
}

// Rename gives a log another name.
func (s *natsStore) Rename(ctx context.Context, old, new string) error {
	if err := s.rename(ctx, old, new); err != nil {
		return fmt.Errorf("rename log %q to %q: %w", old, new, err)
	}
	return nil
}

func (s *natsStore) rename(ctx context.Context, old, new string) error {
	from, err := s.placeOf(old)
	if err != nil {
		return err
	}
	to, err := s.placeOf(new)
	if err != nil {
		return err
	}
	var sent ref // what was given the new name, perhaps
	return s.step(ctx, func() error {
		old, err := s.seek(ctx, from)
		if err != nil {
			return err
		}
		h, was := old.head, old.naming
		there, is, err := s.find(ctx, to)
		if err != nil {
			return err
		}
		switch {
		case h == nil && there != nil && there.ref == sent:
			return nil // the answer to this call was lost
		case h == nil:
			return storage.ErrNotExist
		case there != nil:
			return storage.ErrExist
		}
		if isDir, err := s.isDir(ctx, to); err != nil || isDir {
			return firstOf(err, storage.ErrExist)
		}
		sent = h.ref
		note := *h
		note.kind, note.extra = moved, "-"
		gone := draft(from.subject, string(free), []byte(from.name), int64(was.seq))
		gone.Header[ttlHeader] = []string{freeFor}
		// The name of a moved log comes from its message: the number is the
		// server's to give, and 0 stands for it.
		note.naming = 0
		_, err = s.publish(ctx, draft(s.subject(h.ref), note.record(), []byte(to.name), int64(h.seq)),
			draft(to.subject, namingRecord(h.ref, was.id), []byte(to.name), int64(is.seq)), gone)
		return err
	})
}

// Remove ends a log and takes its lines out of the stream.
func (s *natsStore) Remove(ctx context.Context, name string) error {
	if err := s.remove(ctx, name); err != nil {
		return fmt.Errorf("remove log %q: %w", name, err)
	}
	return nil
}

func (s *natsStore) remove(ctx context.Context, name string) error {
	p, err := s.placeOf(name)
	if err != nil {
		return err
	}
	var sent ref // what was removed, perhaps
	err = s.step(ctx, func() error {
		at, err := s.seek(ctx, p)
		if err != nil {
			return err
		}
		h, n := at.head, at.naming
		if h == nil && sent != (ref{}) && (!n.has || n.ref == sent) {
			return nil // the answer to this call was lost
		}
		if h == nil {
			return storage.ErrNotExist
		}
		sent = h.ref
		last := *h
		last.kind, last.extra = sealed, "-"
		seal := draft(s.subject(h.ref), last.record(), []byte(p.name), int64(h.seq))
		seal.Header[ttlHeader] = []string{sealFor}
		gone := draft(p.subject, string(free), []byte(p.name), int64(n.seq))
		gone.Header[ttlHeader] = []string{freeFor}
		if _, err = s.publish(ctx, seal, gone); isFull(err) {
			// There is no room for a note of it: a name whose content is gone
			// is free, too.
			if err := s.purge(ctx, s.subject(h.ref), 0); err != nil {
				return err
			}
			return s.purgeBut(ctx, p.subject, 0, n.seq+1)
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.purge(ctx, s.subject(sent), 1)
}

// drop purges a content that was never used.
func (s *natsStore) drop(ctx context.Context, r ref) error {
	m, err := s.get(ctx, query{Last: s.deads + r.String()})
	if err != nil || m == nil || m.record != string(dead) {
		return err
	}
	if err := s.purge(ctx, s.subject(r), 0); err != nil {
		return err
	}
	return s.purge(ctx, m.subject, 0)
}

// Sweep takes contents out of the stream that were replaced more than ten
// minutes ago, and those of replacements that were broken off a day ago, and
// returns how many. Each replacement does it, too. A user who may not is refused,
// even if there is nothing to do.
func (s *natsStore) Sweep(ctx context.Context) (contents int, err error) {
	if err := s.purge(ctx, s.deads+"none", 0); err != nil { // there is no such subject
		return 0, fmt.Errorf("sweep store: %w", err)
	}
	return s.sweepAll(ctx)
}

// sweepAll is Sweep without a look at who may.
func (s *natsStore) sweepAll(ctx context.Context) (contents int, err error) {
	_, now, err := s.state(ctx)
	if err != nil {
		return 0, fmt.Errorf("sweep store: %w", err)
	}
	for from := uint64(1); ; {
		list, err := s.someNames(ctx, query{Seq: from, Next: s.deads + ">", MaxBytes: 1 << 20})
		if err != nil {
			return contents, fmt.Errorf("sweep store: %w", err)
		}
		if len(list) == 0 {
			return contents, nil
		}
		for _, m := range list {
			from = m.seq + 1
			done, err := s.sweep(ctx, m, now)
			if err != nil {
				return contents, fmt.Errorf("sweep store: %w", err)
			}
			if done {
				contents++
			}
		}
	}
}

// sweep purges what a message says is dead, if its time has come by the clock of
// the server, and reports whether it did.
func (s *natsStore) sweep(ctx context.Context, m *message, now time.Time) (bool, error) {
	r, err := parseRef(tailOf(m.subject, s.deads))
	if err != nil || m.record != string(dead) || now.Sub(m.time) < grace {
		return false, err
	}
	last, err := s.get(ctx, query{Last: m.subject})
	if err != nil || last == nil || last.seq != m.seq {
		return false, err
	}
	h, err := s.head(ctx, r)
	switch {
	case err != nil:
		return false, err
	case h == nil:
	case h.kind == sealed:
		if err := s.purge(ctx, s.subject(r), 1); err != nil {
			return false, err
		}
	case now.Sub(m.time) < orphan:
		return false, nil
	default:
		if err := s.purge(ctx, s.subject(r), 0); err != nil {
			return false, err
		}
	}
	err = s.purge(ctx, m.subject, 0)
	return err == nil, err
}

// below is what the names in a directory begin with.
func below(dir string) string { return strings.TrimSuffix(path.Clean(dir), "/") + "/" }
