package session

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/presence"
)

// A Presence says who has which session open for writing. It is advice: nothing
// is refused because of it, and what it cannot do is only logged. It is called
// by any goroutine, mostly with the session's lock held, and must not call the
// session.
type Presence interface {
	// Enter says that this process has the session at path open, until Leave
	// is called with the id or the process is no more.
	Enter(ctx context.Context, path string) (id string, err error)
	// Leave ends what Enter gave the id for. Twice does no harm.
	Leave(ctx context.Context, id string) error
	// Who returns who else has the session at path open: all but what Enter
	// gave the id own for.
	Who(ctx context.Context, path, own string) ([]presence.Holder, error)
}

// present is what a session told the presence.
type present struct{ path, id string }

// enter says that the session at path is open and asks who else has it open.
// It is called before anything is changed. The error is that of Options.IfBusy.
func (s *Session) enter(ctx context.Context, b *book, path string) error {
	if s.presence == nil {
		return nil
	}
	p := s.say(ctx, path)
	b.others = s.beside(ctx, p)
	if len(b.others) > 0 && s.opt.IfBusy != nil {
		if err := s.opt.IfBusy(b.others); err != nil {
			s.exit(p)
			return err
		}
	}
	b.present = p
	return nil
}

// say says that the session at path is open.
func (s *Session) say(ctx context.Context, path string) present {
	id, err := s.presence.Enter(ctx, path)
	if err != nil {
		s.opt.Log.Debug("presence", "path", path, "error", err)
	}
	return present{path, id}
}

// beside asks who else has open what was entered.
func (s *Session) beside(ctx context.Context, p present) []presence.Holder {
	others, err := s.presence.Who(ctx, p.path, p.id)
	if err != nil {
		s.opt.Log.Debug("presence", "path", p.path, "error", err)
	}
	return others
}

// aMoment is how long enterSoon lets those go first who wait for the session.
const aMoment = 50 * time.Millisecond

// enterSoon is enter for who goes on whoever else has the session open: that is
// asked in the background a moment later, as it may take longer than all the rest
// of opening, and told when it is known. Close gives it up. It is called with the
// lock held.
func (s *Session) enterSoon(ctx context.Context, b *book, path string) {
	if s.presence == nil {
		return
	}
	b.present = s.say(ctx, path)
	p := b.present
	ctx, s.unask = context.WithCancel(context.WithoutCancel(ctx))
	s.asking.Add(1)
	go func() {
		var others []presence.Holder
		select {
		case <-time.After(aMoment):
			others = s.beside(ctx, p)
		case <-ctx.Done():
		}
		s.asking.Done() // who is told may close the session
		s.mu.Lock()
		if s.closed || s.cur != b || b.present != p {
			s.mu.Unlock()
			return
		}
		defer s.unlock()
		b.others = others
		s.busy(b)
	}()
}

// askNoMore ends the asking of enterSoon. It is called without the lock.
func (s *Session) askNoMore() {
	s.mu.Lock()
	stop := s.unask
	s.mu.Unlock()
	if stop != nil {
		stop()
	}
	s.asking.Wait()
}

// exit says that what was entered is no longer open.
func (s *Session) exit(p present) {
	if p.id == "" {
		return
	}
	if err := s.presence.Leave(context.Background(), p.id); err != nil {
		s.opt.Log.Debug("presence", "path", p.path, "error", err)
	}
}

// attend has the presence say what is open now: after a first write, and after
// the session got another name. It is called with the lock held.
func (s *Session) attend() {
	if s.presence == nil || s.cur == nil || s.closed {
		return
	}
	b := s.cur
	path := b.log.Name()
	if b.present.path == path || b.why != "" || !b.log.OnDisk() {
		return
	}
	was := b.present
	b.present = present{path: path}
	var err error
	if b.present.id, err = s.presence.Enter(context.Background(), path); err != nil {
		s.opt.Log.Debug("presence", "path", path, "error", err)
	}
	s.exit(was)
}

// shut closes a book's log and says that it is no longer open. A draft in which
// nothing was said is removed.
func (s *Session) shut(b *book) error {
	var err error
	if b.log.Held() && !b.said() {
		err = b.log.Discard(context.Background())
	}
	err = errors.Join(err, b.log.Close())
	if b.found != nil {
		err = errors.Join(err, b.found.Close())
	}
	s.exit(b.present)
	b.present = present{}
	return err
}

// busy tells of those who have the session open beside this one. It is called
// with the lock held.
func (s *Session) busy(b *book) {
	if len(b.others) == 0 {
		return
	}
	b.shared = true
	s.tell(Event{Kind: Busy, Holders: b.others, Text: Busily(b.others)})
	b.others = nil
}

// Busily says in words who has a session open, one after the other.
func Busily(all []presence.Holder) string {
	var text []string
	for _, h := range all {
		text = append(text, h.String())
	}
	return strings.Join(text, "; ")
}
