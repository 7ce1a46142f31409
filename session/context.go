package session

import (
	"context"
	"iter"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/replay"
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

// Snapshot returns the entries as they are now and the path from the root to the
// leaf, with healed links, as positions in them. Both stay as they are when the
// session goes on, and must not be changed.
func (s *Session) Snapshot() (list *entry.List, path []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur.log.Snapshot(), s.cur.path(s.cur.leaf, healed)
}

// LLM turns the messages of a context into what is sent to a model (published
// convertToLlm), cleaned so that a provider takes it. What was changed for that
// is counted in the second result, which is complete when the sequence ended.
func (s *Session) LLM(ctx context.Context, c *replay.Context) (iter.Seq2[entry.JSON, error], *replay.Cleaned) {
	rules := spelling.For(s.Dialect()).LLM
	cleaned := new(replay.Cleaned)
	messages := func(yield func(entry.JSON, error) bool) {
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

// A View is a session as it was at one moment, also after the session is closed. It is
// safe for concurrent use. It shares its entries with the session, at some 90 bytes for
// every 4,096 of them, and its branch with all views of the same moment.
type View struct {
	header entry.Header
	list   *entry.List
	branch []int
}

// View returns the session as it is now.
func (s *Session) View() View {
	h := s.Header()
	s.mu.Lock()
	defer s.mu.Unlock()
	return View{h, s.cur.log.Snapshot(), s.cur.path(s.cur.leaf, healed)}
}

// Header returns the header, with the title that counts.
func (v View) Header() entry.Header { return v.header }

// Len returns how many entries there are.
func (v View) Len() int { return v.list.Len() }

// Entry returns the entry at a position in the file, which must be less than Len.
func (v View) Entry(i int) (entry.Entry, error) { return v.list.Entry(i) }

// Entries yields all entries in the order of the file, of a bad line the error.
func (v View) Entries(ctx context.Context) iter.Seq2[entry.Entry, error] {
	return v.at(ctx, func(yield func(int, int) bool) {
		for i := 0; i < v.list.Len() && yield(i, i); i++ {
		}
	})
}

// Branch yields those from the root to the leaf, with healed links.
func (v View) Branch(ctx context.Context) iter.Seq2[entry.Entry, error] {
	return v.at(ctx, slices.All(v.branch))
}

// at yields the entries at some positions.
func (v View) at(ctx context.Context, positions iter.Seq2[int, int]) iter.Seq2[entry.Entry, error] {
	return func(yield func(entry.Entry, error) bool) {
		for _, i := range positions {
			if err := ctx.Err(); err != nil {
				yield(entry.Entry{}, err)
				return
			}
			if !yield(v.list.Entry(i)) {
				return
			}
		}
	}
}
