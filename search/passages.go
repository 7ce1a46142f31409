package search

import (
	"context"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/storage"
)

// eachChunk reads a session and calls yield with the chunks of its text, until
// it returns false. A chunk is valid during the call only. What cannot be read
// of it is left out: the list flags it.
func eachChunk(ctx context.Context, store storage.Store, name string, info *catalog.Info, yield func(*chunk) bool) error {
	j, err := journal.Open(ctx, journal.Options{Store: store, Name: name, ParseSlot: spelling.ParseSlot, Migrate: spelling.Migrate})
	if err != nil {
		return err
	}
	defer func() { _ = j.Close() }() // nothing was written
	list := j.List()
	branches := branchesOf(list, j.Gaps())
	var (
		s speech
		c chunk
	)
	c.addTitle(info)
	for i := range list.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		raw, err := list.Load(i)
		if err != nil {
			continue // a line that changed since
		}
		s.read(raw, list.Kind(i))
		if len(s.text) == 0 || info.Named && s.role == titleRole && string(s.text[:len(s.text)-1]) == info.Title {
			continue
		}
		text := s.text[:len(s.text)-1]
		if len(c.text) > 0 && len(c.text)+len(text) > chunkText {
			if !yield(&c) {
				return nil
			}
			c.passages, c.text = c.passages[:0], c.text[:0]
		}
		id, _ := list.ID(i)
		c.add(passage{
			entry: i, id: id, kind: list.Kind(i), role: s.role, tools: append([]string(nil), s.tools...), model: s.model,
			time: list.Time(i), branch: branches[i],
		}, text)
	}
	if len(c.passages) > 0 {
		yield(&c)
	}
	return nil
}

// titleChunk calls yield with a session's title.
func titleChunk(_ context.Context, _ storage.Store, _ string, info *catalog.Info, yield func(*chunk) bool) error {
	var c chunk
	if c.addTitle(info); len(c.passages) > 0 {
		yield(&c)
	}
	return nil
}

// addTitle appends the name that somebody gave the session.
func (c *chunk) addTitle(info *catalog.Info) {
	if info.Named && info.Title != "" {
		c.add(passage{entry: titleEntry, kind: entry.Session, role: titleRole, time: infoTime(info)}, []byte(info.Title))
	}
}

// infoTime is when a session's title is from: when it last changed.
func infoTime(info *catalog.Info) int64 {
	if info.Modified.IsZero() {
		return entry.NoTime
	}
	return info.Modified.UnixMilli()
}

// add appends a passage with its text.
func (c *chunk) add(p passage, text []byte) {
	p.start = len(c.text)
	c.text = append(c.text, text...)
	p.end = len(c.text)
	c.passages = append(c.passages, p)
}

// branchesOf says of every entry where it stands.
func branchesOf(list *entry.List, gaps []tree.Gap) []Branch {
	t := tree.New(list, gaps)
	all := make([]Branch, list.Len())
	for i := range all {
		all[i] = Other
	}
	path := t.Path(t.Leaf(), tree.Healed)
	for at := len(path) - 1; at >= 0; at-- {
		all[path[at]] = Active
	}
	for _, i := range path[:hidden(list, path)] {
		all[i] = Compacted
	}
	return all
}

// hidden returns how much of a path is behind its last compaction or reset.
func hidden(list *entry.List, path []int) int {
	for at := len(path) - 1; at >= 0; at-- {
		switch list.Kind(path[at]) {
		case entry.ResetBoundary:
			return at
		case entry.Compaction:
			raw, err := list.Load(path[at])
			if err != nil {
				return at
			}
			first, after := replay.Keeps(raw)
			for k := at - 1; k >= 0; k-- {
				switch id, named := list.ID(path[k]); {
				case !named || id != first:
				case after:
					return k + 1
				default:
					return k
				}
			}
			return at
		}
	}
	return 0
}
