package session

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/damage"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// lost are the references to blobs that could not be resolved, as far as lines
// were read. It is safe for concurrent use.
type lost struct {
	mu  sync.Mutex
	all []defects.MissingBlob // guarded by mu, each once
	has map[[2]string]bool    // guarded by mu: ids and references in all
}

func (l *lost) note(line []byte, refs []string) {
	id, _ := jsonedit.Text(line, "id")
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, ref := range refs {
		m := defects.MissingBlob{ID: id, Ref: ref, Detail: "not in the blob store, or not the bytes of its hash"}
		if key := [2]string{id, ref}; !l.has[key] {
			if l.has == nil {
				l.has = map[[2]string]bool{}
			}
			l.has[key], l.all = true, append(l.all, m)
		}
	}
}

// Damage returns what is wrong with the session's log: damaged lines, healed
// links, cycles of parents, ids that several entries have, compactions that keep from an entry
// which is not before them, and missing blobs of the entries read so far.
func (s *Session) Damage() damage.Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.cur
	d := b.log.Damage()
	list := b.log.List()
	heals := b.tree.Heals()
	d.HealedMore = max(0, len(heals)-defects.MaxTold)
	d.Healed = slices.Grow(d.Healed, len(heals)-d.HealedMore)
	for _, h := range heals[:len(heals)-d.HealedMore] {
		heal := defects.Heal{Line: list.At(h.Entry).Line}
		heal.ID, _ = list.ID(h.Entry)
		heal.ParentID, _ = list.ParentID(h.Entry)
		heal.To, _ = list.ID(h.To)
		heal.ToLine = list.At(h.To).Line
		d.Healed = append(d.Healed, heal)
	}
	for _, i := range b.tree.Cycles() {
		d.Cycles = append(d.Cycles, flag(list, i, "its parents lead back to it"))
	}
	d.Duplicates = journal.Duplicates(list)
	onPath := b.onPath()
	for i := range list.Len() {
		switch list.Kind(i) {
		case entry.Message:
			switch span := list.Body(i); {
			case span.End != 0:
			case len(d.Flagged) == defects.MaxTold:
				d.FlaggedMore++
			default:
				d.Flagged = append(d.Flagged, flag(list, i, "its message is not an object"))
			}
		case entry.Compaction:
			if b.dangling(i, onPath) {
				d.DanglingFirstKept = append(d.DanglingFirstKept, flag(list, i, "its firstKeptEntryId is not before it on its branch"))
			}
		}
	}
	b.lost.mu.Lock()
	defer b.lost.mu.Unlock()
	for _, m := range b.lost.all {
		if at := list.Find(m.ID); at >= 0 {
			m.Line = list.At(at).Line
		}
		d.MissingBlobs = append(d.MissingBlobs, m)
	}
	return d
}

func flag(list *entry.List, i int, detail string) defects.Flag {
	id, _ := list.ID(i)
	return defects.Flag{Line: list.At(i).Line, ID: id, Detail: detail}
}

// dangling reports whether a compaction keeps from an entry that is not before
// it on its branch. One that names itself or nothing keeps nothing on purpose.
func (b *book) dangling(i int, onPath func(at, from int) bool) bool {
	line, err := b.log.List().Load(i)
	if err != nil {
		return false
	}
	first, ok := jsonedit.Text(line, "firstKeptEntryId")
	id, _ := b.log.List().ID(i)
	if !ok || first == "" || first == id {
		return false
	}
	at, _ := b.log.List().Around(first, i)
	return at < 0 || !onPath(at, i)
}

// onPath returns what reports whether an entry is on the path to another. The first
// few answers walk the path, as most sessions have few compactions.
func (b *book) onPath() func(at, from int) bool {
	asked, ways := 0, (func(at, from int) bool)(nil)
	return func(at, from int) bool {
		if asked++; asked <= 4 {
			return slices.Contains(b.tree.Path(from, healed), at)
		}
		if ways == nil {
			ways = b.tree.Ways(healed)
		}
		return ways(at, from)
	}
}

// Blob returns the bytes behind a reference that an entry holds ("blob:sha256:…"),
// checked against their hash: the whole text of what was cut, an image. The
// error is ErrNotFound for what is no reference or is not there.
func (s *Session) Blob(ctx context.Context, text string) ([]byte, error) {
	ref, ok := blob.ParseRef(text)
	blobs := s.book().blobs
	if !ok || blobs == nil {
		return nil, fmt.Errorf("read blob %q: %w", text, ErrNotFound)
	}
	return blobs.Read(ctx, ref)
}
