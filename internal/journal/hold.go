package journal

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// Hold begins a session that is not at its path yet: its lines live in memory
// and, if draft is given, in a draft from the first append on. See
// [Journal.Materialise]. A journal without a store stays in memory for ever.
func Hold(opt Options, header entry.Header, draft *Draft) *Journal {
	j := &Journal{opt: opt, state: holding, header: header, draft: draft}
	j.opt.Write = true
	j.reset()
	return j
}

// Create writes a new log in one go: the header, then the given lines. It
// fails with [storage.ErrExist] if the name is taken.
func Create(ctx context.Context, opt Options, header entry.Header, lines [][]byte) (*Journal, error) {
	j := Hold(opt, header, nil)
	for _, line := range lines {
		if _, err := j.append(ctx, line); err != nil {
			return nil, err
		}
	}
	if err := j.Materialise(ctx); err != nil {
		return nil, err
	}
	return j, nil
}

// Held reports whether the session is not at its path yet.
func (j *Journal) Held() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state == holding
}

// SetHeader replaces the header of a session that is not at its path yet.
func (j *Journal) SetHeader(h entry.Header) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state == holding {
		j.header = h
	}
}

// Materialise writes a held session whole to its path, in one go, makes it
// durable unless appends need not be, and drops the draft. It fails with
// [storage.ErrExist] if the name is taken; the session is held on then.
func (j *Journal) Materialise(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state != holding {
		return nil
	}
	if j.opt.Store == nil {
		return fmt.Errorf("materialise session: %w", errors.ErrUnsupported)
	}
	log, err := j.opt.Store.Open(ctx, j.opt.Name, storage.Create)
	if err != nil {
		return fmt.Errorf("create %q: %w", j.opt.Name, err)
	}
	raw := j.header.Encode()
	if j.header.Raw != nil {
		raw = j.header.Raw
	}
	lines := [][]byte{raw}
	for i := range j.p.x.Len() {
		lines = append(lines, j.loader.stored(i))
	}
	// Once the log is there it is ours: if it cannot be made what it should be,
	// it is taken back, or the next try would find the name taken.
	undo := func(err error) error {
		return errors.Join(fmt.Errorf("create %q: %w", j.opt.Name, err), log.Close(),
			j.opt.Store.Remove(context.WithoutCancel(ctx), j.opt.Name))
	}
	mark, err := log.Append(ctx, storage.Mark{}, lines)
	switch {
	case err != nil && mark.IsZero():
		return errors.Join(fmt.Errorf("create %q: %w", j.opt.Name, err), log.Close())
	case err != nil:
		return undo(err)
	}
	sec, size, _, err := powers.OpenSection(ctx, log)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return undo(err)
	}
	if j.opt.Sync != SyncNone {
		if err := powers.Sync(ctx, log); err != nil {
			if sec != nil {
				err = errors.Join(err, sec.Close())
			}
			return undo(err)
		}
	}
	drafted := j.log
	j.log, j.mark, j.state, j.found = log, mark, live, Valid
	j.loader.see(sec)
	j.loader.call(j.opt.Name)
	j.header.Raw = raw
	j.p.headers = []record{{kind: entry.Session, raw: raw, at: entry.At{Len: int64(len(raw)), Line: 1}, lf: true}}
	j.p.lines, j.p.open = 1, false
	j.size = 1
	if sec != nil {
		j.size = int64(len(raw)) + 1
	}
	for i := range j.p.x.Len() {
		at := j.place(j.loader.stored(i))
		j.loader.mu.Lock()
		j.p.x.Move(i, at)
		j.loader.mu.Unlock()
	}
	j.seen = max(size, j.size)
	j.queue = j.queue[:0]
	j.relieve()
	if drafted != nil {
		err := errors.Join(drafted.Close(), j.draft.Remove(context.WithoutCancel(ctx)))
		if err != nil && j.opt.Log != nil {
			j.opt.Log.Warn("draft left behind", "path", j.draft.Name, "error", err)
		}
	}
	return nil
}

// writeDraft brings the queue and the given lines into the draft. A draft that
// somebody took away is written anew, whole.
func (j *Journal) writeDraft(ctx context.Context, lines [][]byte) error {
	if j.draft == nil {
		return nil
	}
	for range maxTurns {
		lacking, err := j.openDraft(ctx)
		if err != nil {
			return err
		}
		mark, err := j.log.Append(ctx, j.mark, append(lacking, lines...))
		if err == nil {
			j.mark = mark
			j.queue = j.queue[:0]
			j.relieve()
			return nil
		}
		changed := new(storage.Changed)
		errors.As(err, &changed)
		switch changed.Kind {
		case storage.Grown, storage.Touched, storage.Moved:
			j.mark = changed.Now
			continue
		}
		if changed.Kind == storage.Gone || j.mark.IsZero() {
			_ = j.log.Close() // nothing of ours is in it
			j.log, j.mark = nil, storage.Mark{}
		}
		if changed.Kind != storage.Gone {
			return fmt.Errorf("write draft: %w", err)
		}
	}
	return fmt.Errorf("write draft: others wrote at each of %d tries", maxTurns)
}

// openDraft makes the draft if it is not there, and returns the lines that it
// lacks.
func (j *Journal) openDraft(ctx context.Context) ([][]byte, error) {
	var lines [][]byte
	if j.log != nil {
		for _, i := range j.queue {
			lines = append(lines, j.loader.stored(i))
		}
		return lines, nil
	}
	log, err := j.draft.Store.Open(ctx, j.draft.Name, storage.Create)
	if err != nil {
		return nil, fmt.Errorf("create draft: %w", err)
	}
	j.log = log
	lines = append(lines, j.draft.Header)
	for i := range j.p.x.Len() {
		lines = append(lines, j.loader.stored(i))
	}
	return lines, nil
}

// Discard gives up a held session: its draft is removed.
func (j *Journal) Discard(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state != holding || j.log == nil {
		return nil
	}
	err := errors.Join(j.log.Close(), j.draft.Remove(context.WithoutCancel(ctx)))
	j.log, j.mark = nil, storage.Mark{}
	return err
}
