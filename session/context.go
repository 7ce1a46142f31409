package session

import (
	"context"
	"iter"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/replay"
	"github.com/go-json-experiment/json/jsontext"
)

// ContextOptions say which branch a context is of. The zero value means the
// leaf's, with healed links.
type ContextOptions struct {
	// Leaf is the last entry of the branch; nil means the session's leaf. An
	// id that no entry has means the last entry of the file, as published.
	Leaf *entry.ID
	// Root asks for the context before any entry; Leaf is not looked at.
	Root bool
	// Strict takes the links as they are written: the branch begins at an
	// entry whose parent is nowhere.
	Strict bool
}

// Context rebuilds what the model sees at the end of a branch, by the rules of
// the session's dialect (published buildSessionContext). Bodies are read when
// the messages are asked for. It stays as it is when the session goes on.
func (s *Session) Context(ctx context.Context, o ContextOptions) (*replay.Context, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.cur
	at := b.leaf
	switch {
	case o.Root:
		at = -1
	case o.Leaf != nil:
		if at = b.log.List().Find(*o.Leaf); at < 0 {
			at = b.log.List().Len() - 1
		}
	}
	links := healed
	if o.Strict {
		links = strict
	}
	return replay.Build(b.log.Snapshot(), b.path(at, links), b.rules.Replay)
}

// View returns the entries as they are now and the path from the root to the
// leaf, with healed links, as positions in them. Both stay as they are when the
// session goes on, and must not be changed.
func (s *Session) View() (list *entry.List, path []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur.log.Snapshot(), s.cur.path(s.cur.leaf, healed)
}

// LLM turns the messages of a context into what is sent to a model (published
// convertToLlm), cleaned so that a provider takes it. What was changed for that
// is counted in the second result, which is complete when the sequence ended.
func (s *Session) LLM(ctx context.Context, c *replay.Context) (iter.Seq2[jsontext.Value, error], *replay.Cleaned) {
	rules := spelling.For(s.Dialect()).LLM
	cleaned := new(replay.Cleaned)
	messages := func(yield func(jsontext.Value, error) bool) {
		for m, err := range c.Messages() {
			if err == nil {
				err = ctx.Err()
			}
			if !yield(m.JSON, err) {
				return
			}
		}
	}
	return replay.Convert(messages, rules, cleaned), cleaned
}
