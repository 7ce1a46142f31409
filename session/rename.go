package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/splice"
)

// A Title says who gives a session its name.
type Title struct {
	// Source is "user" or "auto"; "" means "user".
	Source string
	// Trigger is what asked for it, where the dialect records that (omp).
	Trigger string
}

// Rename names the session, in its dialect's way, and reports whether it did: a
// name that is nothing but blanks is refused where it cannot clear the name,
// and a name given by a program does not replace one given by the user.
//
// pi: a session_info entry. omp: a title_change entry, and the title slot
// overwritten where it stands, or else the title in the header replaced. xcsh,
// cambium: the title in the header replaced. A replaced header goes through the
// safe rewrite; a session without a log keeps it in memory and its draft.
func (s *Session) Rename(ctx context.Context, name string, t Title) (bool, error) {
	s.mu.Lock()
	defer s.unlock()
	if err := s.writable(); err != nil {
		return false, err
	}
	if t.Source == "" {
		t.Source = dialect.UserTitle
	}
	b := s.cur
	text, ok := b.rules.Rename(name, t.Source, b.title.source)
	if !ok {
		return false, nil
	}
	if body := b.rules.TitleBody(text, t.Source, b.title.text, t.Trigger); body != nil {
		if _, err := s.append(ctx, body); err != nil {
			return false, err
		}
		b = s.cur
	}
	was := b.title
	b.title = title{text, t.Source}
	if text == "" {
		b.title = title{}
	}
	if b.rules.NameByEntry {
		return true, nil
	}
	if err := s.retitle(ctx); err != nil {
		s.cur.title = was
		return false, fmt.Errorf("rename session: %w", err)
	}
	return true, nil
}

// retitle brings the title into the slot or the header.
func (s *Session) retitle(ctx context.Context) error {
	b := s.cur
	t := b.title
	if !b.log.OnDisk() {
		h := b.log.Header()
		h.Title, h.TitleSource = t.text, t.source
		h.Raw = t.into(h.Raw)
		return s.rehold(ctx, b.log.Name(), h)
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	slot := dialect.FormatSlot(t.text, t.source, splice.FormatTime(s.opt.Now().UnixMilli()))
	err := b.log.OverwriteSlot(ctx, slot[:])
	if err == nil || !errors.Is(err, errors.ErrUnsupported) {
		s.followed()
		s.cur.title = t
		return err
	}
	err = b.log.Rewrite(ctx, func(r journal.Record) ([][]byte, error) {
		switch r.Kind {
		case entry.Session:
			return [][]byte{t.into(r.Line)}, nil
		case entry.Title:
			return [][]byte{slot[:len(slot)-1]}, nil
		}
		return [][]byte{r.Line}, nil
	})
	s.followed()
	if err == nil {
		s.cur.title = t
	}
	return err
}

// into returns a header line with the title in it.
func (t title) into(line []byte) []byte {
	out := splice.Set(line, "title", splice.Quoted(t.text))
	return splice.SetAfter(out, "title", "titleSource", splice.Quoted(t.source))
}
