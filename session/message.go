package session

import (
	"context"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/message"
)

// AppendMessage appends what a user, an assistant or a tool said, as Append does.
func (s *Session) AppendMessage(ctx context.Context, m message.Message) (entry.ID, error) {
	return s.Append(ctx, &entry.MessageBody{Message: message.Encode(m)})
}

// SaveLeaf makes an entry the leaf and appends an entry that says so: the move outlives
// the session, as that of MoveLeaf does not. It returns the id of what was appended,
// which is the leaf then.
func (s *Session) SaveLeaf(ctx context.Context, id entry.ID) (entry.ID, error) {
	ctx = s.ahead(ctx)
	s.mu.Lock()
	defer s.unlock()
	if err := s.writable(); err != nil {
		return "", err
	}
	to, err := s.cur.find(id)
	if err != nil {
		return "", err
	}
	var from *entry.ID
	was, wasID := s.cur.leaf, s.cur.leafID
	if was >= 0 {
		from = &wasID
	}
	s.cur.point(to)
	moved, err := s.append(ctx, dialect.LeafBody(from))
	if moved == "" {
		s.cur.point(was)
	}
	return moved, err
}
