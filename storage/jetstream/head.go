package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/storage"
)

// A naming is what a name has, by its last message.
type naming struct {
	seq uint64 // of that message; 0 if there is none
	ref ref
	id  uint64 // of the log, whatever content it has
	has bool   // there is a log
}

// parseNaming reads the record of a message of a name.
func parseNaming(m *message) (n naming, err error) {
	n.seq = m.seq
	kind, rest, _ := strings.Cut(m.record, " ")
	switch kind {
	case string(free):
		return n, nil
	case string(named):
		n.has = true
		content, id, _ := strings.Cut(rest, " ")
		if n.ref, err = parseRef(content); err != nil {
			return naming{}, err
		}
		if _, err := fmt.Sscanf(id, "%x", &n.id); err != nil {
			return naming{}, errRecord
		}
		return n, nil
	}
	return naming{}, errRecord
}

// namingRecord is the record of a name that has a log.
func namingRecord(r ref, id uint64) string { return fmt.Sprintf("%c %s %x", named, r, id) }

// naming looks what a name has.
func (s *natsStore) naming(ctx context.Context, p place) (naming, error) {
	m, err := s.get(ctx, query{Last: p.subject})
	if err != nil || m == nil {
		return naming{}, err
	}
	return parseNaming(m)
}

// head returns the last of a content; nil if there is none.
func (s *natsStore) head(ctx context.Context, r ref) (*head, error) {
	m, err := s.get(ctx, query{Last: s.subject(r)})
	if err != nil || m == nil {
		return nil, err
	}
	return parseHead(r, m)
}

// maxSteps bounds how many replacements are followed, and how often something
// is looked at that changes meanwhile.
const maxSteps = 100

// find returns the log at a place; nil if there is none.
func (s *natsStore) find(ctx context.Context, p place) (*head, naming, error) {
	for range maxSteps {
		n, err := s.naming(ctx, p)
		if err != nil || !n.has {
			return nil, n, err
		}
		h, err := s.head(ctx, n.ref)
		switch {
		case err != nil:
			return nil, n, err
		case h == nil, h.kind == sealed && h.extra == "-":
			// The name is on its way out, or the content is gone: look again,
			// and take it for gone if it stays so.
			again, err := s.naming(ctx, p)
			if err != nil {
				return nil, n, err
			}
			if again == n {
				return nil, n, nil
			}
		case h.kind != sealed:
			return h, n, nil
		}
		// Replaced since the name was looked at: its new content is known.
	}
	return nil, naming{}, fmt.Errorf("the log changed at each of %d looks", maxSteps)
}

// verify reports whether the lines that a mark stands for are where it says, in a
// content that goes on behind them.
func (s *natsStore) verify(ctx context.Context, h *head, at seen) (bool, error) {
	patient := s.patient()
	for {
		m, err := s.get(ctx, query{Seq: at.last, Next: s.subject(h.ref)})
		if err != nil {
			return false, err
		}
		if m != nil {
			was, err := parseHead(h.ref, m)
			return err == nil && m.seq == at.last && was.kind == data && uint32(was.token) == at.token, nil
		}
		// Who says so has less than there is.
		if !patient.Wait(ctx) {
			return false, s.settle(ctx, errStale)
		}
	}
}

// since says what became of a log since a mark, 0 for nothing, and returns its
// head, which is another one if the given one was not the newest.
func (s *natsStore) since(ctx context.Context, h *head, at seen) (storage.Change, *head, error) {
	if at.content == h.ref.content && at.last > h.last {
		// Fewer messages than were acknowledged, or a server that lags behind.
		sure, err := s.surely(ctx, h.ref)
		switch {
		case err == nil && sure != nil:
			h = sure
		case err != nil && !isFull(err) && !errors.Is(err, ErrRefused):
			return 0, h, err
		}
	}
	switch {
	case at.content != h.ref.content:
		return storage.Replaced, h, nil
	case at.last == h.last && at.token == uint32(h.token):
		return 0, h, nil
	case at.last < h.last:
		is, err := s.verify(ctx, h, at)
		if err != nil {
			return 0, h, err
		}
		if is {
			return storage.Grown, h, nil
		}
	}
	// Fewer messages than were acknowledged, or others in their place: a server
	// without them came back.
	return storage.Truncated, h, nil
}

// isDir reports whether some log lies in a directory, however deep.
func (s *natsStore) isDir(ctx context.Context, p place) (bool, error) {
	for from := uint64(1); ; {
		m, err := s.get(ctx, query{Last: p.subject + ".>"})
		if err != nil || m == nil {
			return false, err
		}
		if n, err := parseNaming(m); err != nil || n.has {
			return err == nil, err
		}
		// The newest of them is free: look at all.
		list, err := s.someNames(ctx, query{Seq: from, Next: p.subject + ".>", MaxBytes: 1 << 20})
		if err != nil {
			return false, err
		}
		if len(list) == 0 {
			return false, nil
		}
		for _, m := range list {
			from = m.seq + 1
			if n, err := parseNaming(m); err != nil || !n.has {
				continue
			}
			last, err := s.get(ctx, query{Last: m.subject})
			if err != nil {
				return false, err
			}
			if last == nil {
				continue
			}
			if n, err := parseNaming(last); err == nil && n.has {
				return true, nil
			}
		}
	}
}

func (s *natsStore) someNames(ctx context.Context, q query) (list []*message, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		list, err = s.page(ctx, q)
		return err
	})
	return list, err
}
