package repair

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/session"
)

// maxSteps is how many entries are compared on the ways to tips whose links
// changed; a file that takes more is in doubt.
const maxSteps = 50_000_000

// A print names a line by the beginning of its SHA-256.
type print [16]byte

// A snapshot is what a session says: its entries by their bytes, and what each
// follows.
type snapshot struct {
	lines []print
	tree  *tree.Tree
	up    []int // the entry that each follows, healed; tree.None for none
	leaf  int
	old   bool // the lines are those that migration makes
}

// shoot takes a snapshot of an open session.
func shoot(ctx context.Context, s *session.Session) (*snapshot, error) {
	links, err := linksOf(ctx, s)
	if err != nil {
		return nil, err
	}
	shot := &snapshot{old: spelling.Old(s.Header().Version) && !defects.Of(s.Damage()).HeaderRebuilt && !defects.Of(s.Damage()).WrongVersion}
	return shot.with(ctx, s, links)
}

// again takes a snapshot of a session to compare with this one.
func (s *snapshot) again(ctx context.Context, now *session.Session) (*snapshot, error) {
	return s.with(ctx, now, tree.Relink{})
}

// with takes a snapshot of a session whose entries have the links that are planned.
func (s *snapshot) with(ctx context.Context, now *session.Session, links tree.Relink) (*snapshot, error) {
	t := tree.Of(now.Tree())
	shot := &snapshot{tree: t, leaf: t.Leaf(), old: s.old}
	load := now.Stored
	if s.old {
		load = now.List().Load
	}
	for i := range now.Len() {
		raw, err := load(i)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if links.Changes(i) {
			raw = flat(links.Line(i, raw))
		}
		sum := sha256.Sum256(jsonl.Trim(raw, 1).In(raw))
		shot.lines = append(shot.lines, print(sum[:16]))
		shot.up = append(shot.up, t.Parent(i, tree.Healed))
	}
	return shot, nil
}

// within reports as an error what the later snapshot lacks: an entry, or an
// entry before another one. More than there was is fine.
func (s *snapshot) within(after *snapshot) error {
	places := map[print][]int{}
	for i, p := range after.lines {
		places[p] = append(places[p], i)
	}
	to := make([]int, len(s.lines))
	for i, p := range s.lines {
		if len(places[p]) == 0 {
			return fmt.Errorf("verify: entry %d of %d is not there any more", i+1, len(s.lines))
		}
		to[i] = places[p][0]
		places[p] = places[p][1:]
	}
	var moved []int
	parents := make([]bool, len(s.lines))
	for i, up := range s.up {
		now := after.up[to[i]]
		if up >= 0 {
			parents[up] = true
		}
		if (up < 0) != (now < 0) || up >= 0 && to[up] != now {
			moved = append(moved, i)
		}
	}
	if s.leaf >= 0 && len(after.lines) == len(s.lines) && after.leaf != to[s.leaf] {
		return fmt.Errorf("verify: the session would go on after another entry than before")
	}
	if len(moved) == 0 {
		return nil
	}
	return s.contexts(after, to, parents)
}

// contexts compares the ways to all tips.
func (s *snapshot) contexts(after *snapshot, to []int, parents []bool) error {
	steps := 0
	for i := range s.lines {
		if parents[i] && i != s.leaf {
			continue
		}
		is := map[int]bool{}
		for _, k := range after.tree.Path(to[i], tree.Healed) {
			is[k] = true
		}
		for _, k := range s.tree.Path(i, tree.Healed) {
			if !is[to[k]] {
				return fmt.Errorf("verify: entry %d would be missing from the context of entry %d", k+1, i+1)
			}
		}
		if steps += len(is); steps > maxSteps {
			return errors.New("verify: there are too many branches to compare")
		}
	}
	return nil
}
