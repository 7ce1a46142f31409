package jetstream

import (
	"context"
	"errors"

	"github.com/cambium-dev/cambium/storage"
)

// fenceFor is how long the message of a fence stays.
const fenceFor = "60s"

// A fence is a message that was stored after something was asked. Only the leader
// can store one; what a server that has it does not have is not there.
type fence struct {
	subject string
	seq     uint64
}

// fence stores a message.
func (s *natsStore) fence(ctx context.Context) (fence, error) {
	f := fence{subject: s.deads + ref{0, newToken()}.String()}
	m := draft(f.subject, string(free), nil, -1)
	m.Header[ttlHeader] = []string{fenceFor}
	err := s.again(ctx, func(ctx context.Context) (err error) {
		f.seq, err = s.publish(ctx, m)
		return err
	})
	if err != nil {
		return f, s.settle(ctx, err)
	}
	return f, nil
}

// behind returns the last message of each of some subjects, from a server that has
// the fence, in one answer with it.
func (s *natsStore) behind(ctx context.Context, f fence, subjects ...string) (list []*message, err error) {
	patient := s.patient()
	for {
		all, err := s.page(ctx, query{Lasts: append([]string{f.subject}, subjects...), MaxBytes: 64 << 20})
		stale := true
		list = list[:0]
		for _, m := range all {
			if m.subject == f.subject {
				stale = m.seq < f.seq
			} else {
				list = append(list, m)
			}
		}
		switch {
		case err == nil && !stale:
			return list, nil
		case err == nil:
			err = errStale
		}
		if fateOf(err) == final || ctx.Err() != nil || !patient.Wait(ctx) {
			return nil, s.settle(ctx, err)
		}
	}
}

// headBehind returns the head of a content, as behind does; nil if there is none.
func (s *natsStore) headBehind(ctx context.Context, f fence, r ref) (*head, error) {
	list, err := s.behind(ctx, f, s.subject(r))
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return parseHead(r, list[0])
}

// surely returns the head of a content as it is, whatever server believes to be
// the leader; nil if there is none.
func (s *natsStore) surely(ctx context.Context, r ref) (*head, error) {
	f, err := s.fence(ctx)
	if err != nil {
		return nil, err
	}
	return s.headBehind(ctx, f, r)
}

// found is what is at a place: the head of a log, a directory, or nothing.
type found struct {
	head   *head
	naming naming
	dir    bool
}

// seek looks what is at a place, and is sure if that is nothing.
func (s *natsStore) seek(ctx context.Context, p place) (f found, err error) {
	if f.head, f.naming, err = s.find(ctx, p); err != nil || f.head != nil {
		return f, err
	}
	if f.dir, err = s.isDir(ctx, p); err != nil || f.dir || s.blunt.Load() {
		return f, err
	}
	after, err := s.fence(ctx)
	if isFull(err) || errors.Is(err, ErrRefused) {
		s.blunt.Store(errors.Is(err, ErrRefused)) // a user who may read only: it is not tried again
		return f, nil                             // it has to be believed
	}
	if err != nil {
		return f, err
	}
	for range maxSteps {
		list, err := s.behind(ctx, after, p.subject, p.subject+".>")
		if errors.Is(err, errMany) { // of names that were there: all of them were looked at
			list, err = s.behind(ctx, after, p.subject)
		}
		if err != nil {
			return f, err
		}
		f = found{}
		for _, m := range list {
			n, err := parseNaming(m)
			switch {
			case err != nil:
			case m.subject == p.subject:
				f.naming = n
			default:
				f.dir = f.dir || n.has
			}
		}
		if !f.naming.has {
			return f, nil
		}
		f.head, err = s.headBehind(ctx, after, f.naming.ref)
		switch {
		case err != nil:
			return f, err
		case f.head == nil, f.head.kind == sealed && f.head.extra == "-":
			f.head = nil // the name is on its way out
			return f, nil
		case f.head.kind != sealed:
			return f, nil
		}
		// Replaced since the name was looked at: its new content is known.
	}
	return f, storage.ErrLocked
}
