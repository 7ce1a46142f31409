package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
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
// cambium: the title in the header replaced, for cambium with a member beside it
// that tells when (spelling.NamedAt). A replaced header goes through the
// safe rewrite; a session without a log keeps it in memory and its draft.
//
// An error of true means that the name is in memory and not saved
// ([ErrUnsaved]): later appends, Flush and Close try again.
func (s *Session) Rename(ctx context.Context, name string, t Title) (bool, error) {
	ctx = s.ahead(ctx)
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
	want := title{text: text, source: t.Source, at: s.namedAt(b)}
	done, err := s.recordRename(ctx, b, want)
	if err != nil {
		return false, err
	}
	s.called.own = true
	err = s.rename(ctx, want, t.Trigger)
	if n := s.cur.naming; n != nil {
		n.done = done
	}
	return err == nil || errors.Is(err, ErrUnsaved), done(-1, err)
}

// rename gives the session a title that its dialect takes.
func (s *Session) rename(ctx context.Context, t title, trigger string) error {
	b := s.cur
	b.naming = nil // this one is newer
	body := b.rules.TitleBody(t.text, t.source, b.title.text, trigger)
	// Where the header is what counts the entry follows it: of a name that
	// never came into the header nothing is left.
	after := body != nil && !b.rules.NameByEntry && b.log.OnDisk() && b.log.Header().Slot == nil
	if body != nil && !after {
		if _, err := s.append(ctx, body); err != nil {
			return err
		}
		body, b = nil, s.cur
	}
	was := b.title
	b.title = t
	if t.text == "" {
		b.title = title{}
	}
	if b.rules.NameByEntry {
		return s.lasting(ctx)
	}
	header := b.header
	err := s.retitle(ctx)
	switch b = s.cur; {
	case err == nil && after:
		if _, err = s.append(ctx, body); err != nil {
			return err
		}
		fallthrough
	case err == nil:
		return s.lasting(ctx)
	case ctx.Err() == nil && b.log.OnDisk() && !errors.Is(err, ErrReadOnly):
		return s.postpone(naming{title: t, header: header, body: body, line: t.into, err: err})
	}
	b.title = was
	return fmt.Errorf("rename session: %w", err)
}

// lasting makes durable what is worth it, unless nothing is to be.
func (s *Session) lasting(ctx context.Context) error {
	if s.opt.Sync == SyncNone || !s.cur.log.OnDisk() {
		return nil
	}
	return s.flush(ctx)
}

// retitle brings the title into the slot or the header.
func (s *Session) retitle(ctx context.Context) error { return s.retitleAs(ctx, s.cur.title.into) }

// retitleAs is retitle with the header line that is to be.
func (s *Session) retitleAs(ctx context.Context, header func(line []byte) []byte) error {
	b := s.cur
	t := b.title
	if !b.log.OnDisk() {
		h := b.log.Header()
		h.Title, h.TitleSource = t.text, t.source
		h.Raw = header(h.Raw)
		return s.rehold(ctx, b.log.Name(), h)
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	slot := spelling.FormatSlot(t.text, t.source, jsonedit.FormatTime(s.opt.Now().UnixMilli()))
	err := b.log.OverwriteSlot(ctx, slot[:])
	if err == nil || !errors.Is(err, errors.ErrUnsupported) {
		s.followed()
		s.cur.title = t
		return err
	}
	err = s.rewriteHeader(ctx, header, slot[:len(slot)-1])
	s.followed()
	if err == nil {
		s.cur.title = t
	}
	return err
}

// into returns a header line with the title in it.
func (t title) into(line []byte) []byte {
	out := jsonedit.Set(line, "title", jsonedit.Quoted(t.text))
	out = jsonedit.SetAfter(out, "title", "titleSource", jsonedit.Quoted(t.source))
	if t.at != 0 {
		out = spelling.WithNamedAt(out, t.text, t.at)
	}
	return out
}

// namedAt is the time to write beside a new name, 0 where there is another place
// for it, or a name is no change yet. It is later than that of the name before:
// clocks of several machines differ.
func (s *Session) namedAt(b *book) int64 {
	h := b.log.Header()
	if !b.rules.NameTime || h.Slot != nil || !b.log.OnDisk() {
		return 0
	}
	now := s.opt.Now().UnixMilli()
	if was, ok := spelling.NamedAt(h.Raw, h.Title); ok {
		now = max(now, was+1)
	}
	return now
}
