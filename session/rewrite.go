package session

import (
	"bytes"
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/undo"
)

// Rewrite replaces entries where they stand (published rewriteEntries): edit is
// given each entry as it is in memory and returns its new line, or nil to leave
// it. The new line must be one JSON object with the same id; one that says nothing to
// any program is refused ([entry.BodyError]), unless the old one did neither. The log is
// replaced as a whole, by the safe rewrite: what others appended meanwhile is
// kept, damaged lines stay where they are. Where changes are recorded, the bytes
// of before are kept, so that it can be taken back.
//
// Appending is to be preferred where it can say the same; see
// [Session.EditContext]. edit must not call the session.
func (s *Session) Rewrite(ctx context.Context, edit func(entry.Entry) ([]byte, error)) error {
	ctx = s.ahead(ctx)
	s.mu.Lock()
	defer s.unlock()
	if err := s.writable(); err != nil {
		return err
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	b := s.cur
	if !b.log.OnDisk() {
		return s.rewriteHeld(ctx, edit)
	}
	done, err := s.record(ctx, b, undo.Change{Op: state.Rewrite, Path: b.log.Name()})
	if err != nil {
		return err
	}
	size, err := b.log.Rewrite(ctx, func(r journal.Record) ([][]byte, error) {
		same := [][]byte{r.Line}
		if r.Pos < 0 {
			return same, nil
		}
		line, err := b.edited(r.Line, edit)
		if err != nil || line == nil {
			return same, err
		}
		line, err = b.prepare(s, line)
		return [][]byte{line}, err
	})
	s.followed()
	if err := done(size, err); err != nil {
		return err
	}
	s.tell(Event{Kind: Replaced})
	return nil
}

// edited asks edit about an entry as stored, and checks what it says; nil when
// the entry stays as it is.
func (b *book) edited(stored []byte, edit func(entry.Entry) ([]byte, error)) ([]byte, error) {
	whole, err := b.remembered(stored)
	if err != nil {
		return nil, err
	}
	e, err := entry.Parse(bytes.Clone(whole))
	if err != nil {
		return nil, err
	}
	line, err := edit(e)
	if err != nil || line == nil || bytes.Equal(line, whole) {
		return nil, err
	}
	now, err := entry.Parse(line)
	switch {
	case err != nil:
		return nil, fmt.Errorf("rewrite entry %q: %w", e.ID, err)
	case now.ID != e.ID:
		return nil, fmt.Errorf("rewrite entry %q: its id would be %q", e.ID, now.ID)
	case bytes.IndexByte(line, '\n') >= 0:
		return nil, fmt.Errorf("rewrite entry %q: more than one line", e.ID)
	}
	if err := entry.Usable(line); err != nil && entry.Usable(whole) == nil {
		return nil, fmt.Errorf("rewrite entry %q: %w", e.ID, err)
	}
	return line, nil
}

// rewriteHeld rewrites a session that has no log: its entries are held anew.
func (s *Session) rewriteHeld(ctx context.Context, edit func(entry.Entry) ([]byte, error)) error {
	was := s.cur
	lines := make([][]byte, was.log.List().Len())
	for i := range lines {
		line, err := was.whole(i)
		if err != nil {
			return err
		}
		lines[i] = line
		now, err := was.edited(line, edit)
		if err != nil {
			return err
		}
		if now != nil {
			lines[i] = now
		}
	}
	if err := s.reholdLines(ctx, was.log.Name(), was.log.Header(), lines); err != nil {
		return fmt.Errorf("rewrite session: %w", err)
	}
	s.tell(Event{Kind: Replaced})
	return nil
}
