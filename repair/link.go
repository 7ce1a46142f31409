package repair

import (
	"context"
	"fmt"
	"slices"

	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
)

// linksOf plans the links of entries whose parent is nowhere: each names the entry
// below which it is read, which gets an id if it has none.
func linksOf(ctx context.Context, s *session.Session) (tree.Relink, error) {
	if s.Header().Version > session.CurrentVersion {
		return tree.Relink{}, ctx.Err()
	}
	name := tree.Names(s.Header().ID)
	return tree.Of(s.Tree()).Relink(func(taken func(id string) bool) (string, error) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		return name(taken)
	})
}

// orphan reports an entry whose parent is nowhere.
func (x *exam) orphan(i int, h defects.Heal) {
	f := Finding{Kind: kindParent, Line: h.Line, Byte: -1, Detail: fmt.Sprintf("the parent %q of entry %q is nowhere", h.ParentID, h.ID)}
	if h.ParentID == "" {
		f.Detail = fmt.Sprintf("entry %q does not say which parent it has", h.ID)
	}
	switch parent, ok := x.links.Parent(i); {
	case !ok:
		f.Plan = "nothing: its version is newer than this program knows"
	case h.To == "":
		f.Fixable = true
		f.Plan = fmt.Sprintf("it is read as a child of the entry of line %d, which has no id and gets the id %q", h.ToLine, *parent)
	default:
		f.Fixable = true
		f.Plan = fmt.Sprintf("it gets the parent %q, below which it is read: other programs begin the conversation with it", *parent)
	}
	x.r.add(f)
}

// beginnings reports the entries whose parent is nowhere and that begin a
// conversation all the same: what can still be read of a damaged line says so.
func (x *exam) beginnings() {
	for _, i := range x.links.Changed() {
		if parent, ok := x.links.Parent(i); !ok || parent != nil {
			continue
		}
		id, _ := x.list.ID(i)
		parent, _ := x.list.ParentID(i)
		x.r.add(Finding{Kind: kindParent, Line: x.list.At(i).Line, Byte: -1, Fixable: true,
			Detail: fmt.Sprintf("the parent %q of entry %q is nowhere", parent, id),
			Plan:   "its parent becomes null: it is read as the beginning of a conversation"})
	}
}

// firstKept reports a compaction that keeps from an entry that is not before it.
func (x *exam) firstKept(u defects.Flag) {
	f := Finding{Kind: kindFirstKept, Line: u.Line, Byte: -1, Detail: fmt.Sprintf("entry %q: %s", u.ID, u.Detail),
		Plan: "nothing: what it kept cannot be told"}
	if first, ok := x.kept[u.Line]; ok {
		f.Fixable, f.Plan = true, fmt.Sprintf("it keeps from %q on, which followed the lost entry that it names", first)
	}
	x.r.add(f)
}

// link plans the links of the entries of a line.
func (x *exam) link(line storage.Line, here []int) error {
	for _, i := range here {
		if !x.links.Changes(i) {
			continue
		}
		stored, err := x.s.Stored(i)
		if err != nil {
			return err
		}
		at, st := x.list.At(i), x.plan.links[x.no]
		st.act = relink
		from := int(at.Off - line.Pos)
		if x.d.opt.Store != nil && len(here) == 1 {
			from, at.Len = 0, int64(len(line.Bytes))
		}
		end := from + int(at.Len)
		if end > len(line.Bytes) {
			st.lines, end = x.covers(), len(line.Bytes)
		}
		if from < 0 || from > end {
			continue
		}
		st.spans = append(st.spans, jsonl.Span{Start: from, End: end})
		st.texts = append(st.texts, flat(x.links.Line(i, stored)))
		x.plan.links[x.no] = st
	}
	return nil
}

// covers returns how many lines the damaged line takes that begins here.
func (x *exam) covers() int {
	n, found := slices.BinarySearchFunc(x.harm.Bad, x.no, func(b defects.Bad, line int) int { return b.Line - line })
	if !found {
		return 1
	}
	return max(x.harm.Bad[n].Lines, 1)
}
