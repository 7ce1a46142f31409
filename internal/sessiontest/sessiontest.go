// Package sessiontest compares sessions for tests: whether one says what another
// says, entry by entry and branch by branch. It also damages sessions that branch,
// for such tests to copy.
package sessiontest

import (
	"fmt"
	"math/rand/v2"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// Damaged returns a session that branches, with up to four damages; one in three
// holds besides what only damaged files hold. It is a function of the seed.
func Damaged(seed uint64) (data []byte, name dialect.Name) {
	rng := rand.New(rand.NewPCG(seed, 5))
	d := sessiongen.Dialects()[seed%4]
	whole := sessiongen.Random(rng, sessiongen.Options{
		Dialect: d, Clean: seed%3 > 0, Entries: 10 + rng.IntN(60), Appendable: true, NoSlot: true,
	})
	data = whole.Bytes
	for range rng.IntN(5) {
		data, _ = sessiongen.Damage(rng, data)
	}
	return data, dialect.Name(d)
}

// Same reports how the copy differs from the session: its tree has to be the same,
// see [SameTree], and the context at the end of each branch.
func Same(s, copied *session.Session) error {
	return same(s, copied, tree.Healed, tree.Strict)
}

// SameHealed is Same for one that may heal links, too: for a reader that does.
func SameHealed(s, copied *session.Session) error {
	return same(s, copied, tree.Healed)
}

func same(s, copied *session.Session, readings ...tree.Links) error {
	if err := sameTree(s, copied, readings...); err != nil {
		return err
	}
	ends := map[int]bool{}
	for i := range s.Len() {
		ends[i] = true
	}
	for i := range s.Len() {
		delete(ends, tree.Of(s.Tree()).Parent(i, tree.Healed))
	}
	for i := range s.Len() {
		if !ends[i] {
			continue
		}
		if err := SameContext(s, i, copied, i, true); err != nil {
			return err
		}
	}
	return nil
}

// SameTree reports how the tree of the copy differs from that of the session: each
// entry has to stand at the same position, below the same entry, whether the links
// of the copy are healed or taken strictly. The copy may have more behind them.
func SameTree(s, copied *session.Session) error {
	return sameTree(s, copied, tree.Healed, tree.Strict)
}

func sameTree(s, copied *session.Session, readings ...tree.Links) error {
	if s.Len() > copied.Len() {
		return fmt.Errorf("%d entries of %d", copied.Len(), s.Len())
	}
	t, u := tree.Of(s.Tree()), tree.Of(copied.Tree())
	for i := range s.Len() {
		up := t.Parent(i, tree.Healed)
		if id, has := s.List().ID(i); has {
			if now, _ := copied.List().ID(i); now != id {
				return fmt.Errorf("entry %d is %q, was %q", i, now, id)
			}
		}
		for _, links := range readings {
			if now := u.Parent(i, links); now != up {
				return fmt.Errorf("reading %d: entry %d is below %d, was below %d", links, i, now, up)
			}
		}
	}
	return nil
}

// SameContext reports how the context at an entry of the copy differs from that at
// an entry of the session. A summary need have the same time only if dated says so:
// omp takes it from the entry behind, and a branch that is saved leaves labels out.
func SameContext(s *session.Session, at int, copied *session.Session, now int, dated bool) error {
	was, err := messages(s, at, dated)
	if err != nil {
		return err
	}
	is, err := messages(copied, now, dated)
	if err != nil {
		return err
	}
	for n := range max(len(was), len(is)) {
		switch {
		case n >= len(was) || n >= len(is):
			return fmt.Errorf("context at entry %d: %d messages, had %d", at, len(is), len(was))
		case was[n] != is[n]:
			k := 0
			for k < min(len(was[n]), len(is[n])) && was[n][k] == is[n][k] {
				k++
			}
			k = max(k-40, 0)
			return fmt.Errorf("context at entry %d: message %d is %.60s…%.300s, was …%.300s", at, n, is[n], is[n][k:], was[n][k:])
		}
	}
	return nil
}

// messages returns the messages of the context at an entry.
func messages(s *session.Session, at int, dated bool) ([]string, error) {
	c, err := replay.Build(s.List(), tree.Of(s.Tree()).Path(at, tree.Healed), spelling.For(s.Dialect()).Replay)
	if err != nil {
		return nil, err
	}
	var all []string
	for m, err := range c.Messages() {
		if err != nil {
			return nil, err
		}
		text := string(m.JSON)
		if role, _ := jsonedit.Text(m.JSON, "role"); !dated && role == "compactionSummary" {
			text = string(jsonedit.Delete(m.JSON, "timestamp"))
		}
		all = append(all, text)
	}
	return all, nil
}
