package browse

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/tui/readview"
	"github.com/cambium-dev/cambium/replay"
)

// Bounds of what a row says.
const (
	mostBranches = 12  // that are named at a branch point
	callsAbove   = 64  // entries above a result that are looked at for its call
	callWords    = 120 // bytes of a call that names a result
)

// body is what a row says. t.mu is held.
func (t *readStore) body(row int) readview.Body {
	r := t.b.rows[row]
	if r.Sort == readview.Fork {
		return readview.Body{Row: row, Passage: t.forkAt(r.Entry)}
	}
	list := t.s.List()
	b := readview.Body{Row: row, Size: int(list.At(r.Entry).Len)}
	if b.Size > treeFull {
		text := fmt.Sprintf("it is %s long: `cambium show --full --no-pager` prints it", term.Bytes(int64(b.Size)))
		b.Parts, b.Size = []transcript.Part{{Sort: transcript.Aside, Entry: r.Entry, Text: text}}, 0
		return b
	}
	o := transcript.Options{Full: true}
	if dir := t.lib.Home(t.s.Dialect()).Blobs; dir != "" {
		o.Blobs = blob.OpenDir(dir, blob.DirOptions{})
	}
	b.Passage = t.passage(r.Entry, o)
	id, _ := list.ID(r.Entry)
	b.Side = []string{id, t.when(r.Entry)}
	b.Label, _, _ = t.s.Label(id) // one that cannot be read is not shown
	if r.Sort == readview.Tool && list.Role(r.Entry) == entry.RoleToolResult {
		b.Of = t.callOf(r.Entry)
	}
	return b
}

// passage is what an entry says. t.mu is held.
func (t *readStore) passage(i int, o transcript.Options) readview.Passage {
	list := t.s.List()
	var p readview.Passage
	for part := range transcript.NewReader(t.s, o).Alone(t.ctx, i) {
		if part.Sort == transcript.Rule {
			part.Text = t.summedUp(i)
		}
		p.Parts = append(p.Parts, part)
	}
	switch list.Kind(i) {
	case entry.Message, entry.CustomMessage:
		if line, err := list.Load(i); err == nil {
			p.Hidden = hides(line) || hides(member(line, "message"))
		}
	}
	return p
}

// hides reports whether an object says that it is not to be shown.
func hides(object []byte) bool {
	shown, ok := jsonedit.Get(object, "display")
	return ok && string(shown) == "false"
}

func member(object []byte, name string) []byte {
	value, _ := jsonedit.Get(object, name)
	return value
}

// when is when an entry was made, as short as it can be told.
func (t *readStore) when(i int) string {
	ms := t.s.List().Time(i)
	if ms == entry.NoTime {
		return ""
	}
	now := t.lib.Now()
	switch at := time.UnixMilli(ms).In(now.Location()); {
	case at.Year() != now.Year():
		return at.Format("2 Jan 2006 15:04")
	case at.YearDay() != now.YearDay():
		return at.Format("2 Jan 15:04")
	default:
		return at.Format("15:04")
	}
}

// summedUp says what a compaction hides: how much of what is above it is summed up, and
// how much is kept.
func (t *readStore) summedUp(i int) string {
	list := t.s.List()
	words := "compaction"
	kept := -1
	if line, err := list.Load(i); err == nil {
		if n, ok := jsonedit.Int(member(line, "tokensBefore")); ok && n > 0 {
			words += " of " + transcript.Count(int(n)) + " tokens"
		}
		if id, after := replay.Keeps(line); id != "" {
			if kept = t.b.place(list.Find(id)); kept >= 0 && after {
				kept++
			}
		}
	}
	end := t.b.place(i)
	if end < 0 {
		return words
	}
	if kept < 0 || kept > end {
		kept = end
	}
	words += ": " + term.Plural(t.messages(0, kept), "message") + " above summed up"
	if n := t.messages(kept, end); n > 0 {
		words += fmt.Sprintf(", %d kept", n)
	}
	return words
}

// messages counts the messages between two places of the path.
func (t *readStore) messages(from, end int) (n int) {
	list := t.s.List()
	for _, i := range t.b.path[from:end] {
		if tree.Conversation(list.Kind(i)) && list.Kind(i) != entry.Compaction {
			n++
		}
	}
	return n
}

// callOf names the call that a result came of, "" where the answer above it has no other.
func (t *readStore) callOf(i int) string {
	list := t.s.List()
	at := max(t.b.place(i), 0)
	for _, above := range slices.Backward(t.b.path[max(0, at-callsAbove):at]) {
		if list.Role(above) != entry.RoleAssistant {
			continue
		}
		line, err := list.Load(above)
		if err != nil || len(line) > treeLine {
			return ""
		}
		calls, mine := 0, ""
		for _, b := range transcript.Read(member(line, "message")).Blocks {
			if b.Kind != transcript.Call {
				continue
			}
			if calls++; b.ID == list.Ref(i) {
				mine = b.Name + " " + transcript.OneLine(transcript.FirstLines(b.Matter(), 1, callWords))
			}
		}
		if calls > 1 {
			return strings.TrimSpace(mine)
		}
		return ""
	}
	return ""
}

// forkAt names the branches that leave behind an entry.
func (t *readStore) forkAt(behind int) readview.Passage {
	tr, list := tree.Of(t.s.Tree()), t.s.List()
	var p readview.Passage
	for _, k := range t.b.others(tr, list, behind, t.links) {
		if len(p.Branches) == mostBranches {
			p.More++
			continue
		}
		b := readview.Branch{Entry: k}
		for range below(tr, k, t.links) {
			b.Entries++
		}
		first := said(tr, list, k, t.links)
		b.ID, _ = list.ID(first)
		g := gistOf(list, first)
		b.Text = strings.TrimSpace(g.Who + " " + g.Text)
		p.Branches = append(p.Branches, b)
	}
	return p
}
