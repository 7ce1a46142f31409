package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// large is the length of a message, in bytes, from which on it is worth the time
// to let go of what was read before it is decoded.
const large = 64 << 20

// A Reader reads a session in parts. It is for one goroutine.
type Reader struct {
	s    *session.Session
	list *entry.List
	o    Options
}

// Options are those of a Reader.
type Options struct {
	// Full asks for everything: what was cut for its length when it was stored, and
	// entries that say nothing.
	Full bool
	// Blobs is where what was cut is kept, nil for nowhere.
	Blobs *blob.Dir
	// Trouble, if not nil, is told what of an entry could not be read.
	Trouble func(text string)
}

// NewReader returns a reader of a session as it is now.
func NewReader(s *session.Session, o Options) *Reader {
	return &Reader{s: s, list: s.List(), o: o}
}

// Sort says what a part of a transcript is.
type Sort uint8

// The sorts of parts.
const (
	// Said is a message.
	Said Sort = iota
	// Aside is one line about what is not said aloud.
	Aside
	// Rule is a line across.
	Rule
)

// A Part is a piece of a transcript.
type Part struct {
	Sort Sort
	// Entry is the position it comes from, -1 for none.
	Entry int
	// Text is that of an Aside or a Rule.
	Text string
	// Note says what became of a message.
	Note    string
	Message Message
}

// A Tally counts what was read.
type Tally struct {
	// Messages are those that were read, Seen those of them that the model sees, and
	// Tokens about how many these take.
	Messages, Seen, Tokens int
}

// Branch yields a branch, what the model no longer sees included. The tally is
// complete at its end.
func (r *Reader) Branch(ctx context.Context, c *replay.Context) (iter.Seq2[Part, error], *Tally) {
	t := &Tally{}
	return r.branch(ctx, c, t), t
}

// branch is Branch with a tally, nil for none: what is not counted is not estimated.
func (r *Reader) branch(ctx context.Context, c *replay.Context, t *Tally) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		compacted := false
		for item, err := range c.Items() {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(Part{}, err)
				return
			}
			kept := compacted && !item.Compacted && item.Shown != replay.ShownCut && c.Cut() > item.Entry
			if kept && !yield(Part{Sort: Rule, Entry: -1, Text: "kept by the compaction below, from here"}, nil) {
				return
			}
			compacted = item.Compacted
			if t != nil {
				t.add(item)
			}
			for part := range r.Item(ctx, item) {
				if !yield(part, nil) {
					return
				}
			}
		}
	}
}

func (t *Tally) add(item replay.Item) {
	if item.Shown == replay.ShownMessage {
		t.Messages++
	}
	if item.InContext {
		t.Seen++
		t.Tokens += item.Tokens()
	}
}

// Item yields the parts of one entry of a branch.
func (r *Reader) Item(ctx context.Context, item replay.Item) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		i, note := item.Entry, ""
		switch {
		case item.Compacted:
			note = "compacted"
		case !item.InContext && item.Shown == replay.ShownMessage:
			note = "not in context"
		}
		switch item.Shown {
		case replay.ShownMessage:
			if item.Folded && !r.o.Full {
				yield(Part{Sort: Aside, Entry: i, Text: "hidden: " + GistAt(r.list, i).String()})
				return
			}
			yield(Part{Entry: i, Note: note, Message: r.read(ctx, item.JSON, i)})
		case replay.ShownCut:
			words := "compaction"
			if n, ok := jsonedit.Int(member(item.JSON, "tokensBefore")); ok && n > 0 {
				words += fmt.Sprintf(" of %s tokens", Count(int(n)))
			}
			m := Message{Who: Summary, Tokens: item.Tokens(), Blocks: []Block{{Text: textOf(item.JSON, "summary")}}}
			if yield(Part{Sort: Rule, Entry: -1, Text: words + ": what is above is summed up"}) {
				yield(Part{Entry: i, Note: note, Message: m})
			}
		case replay.ShownRecord:
			if r.o.Full {
				yield(r.Aside(i))
			}
		default:
			yield(r.Aside(i))
		}
	}
}

// Alone yields the parts of entry i without the branch that it is on: what stands on
// others, and is not replayed.
func (r *Reader) Alone(ctx context.Context, i int) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		line, err := r.list.Load(i)
		if err != nil {
			yield(r.Aside(i))
			return
		}
		m := Message{}
		switch r.list.Kind(i) {
		case entry.Message:
			m = r.read(ctx, member(line, "message"), i)
		case entry.CustomMessage:
			m = Message{Who: Extension, Name: textOf(line, "customType"), Blocks: []Block{{Text: ContentText(member(line, "content"))}}}
		case entry.BranchSummary:
			m = Message{Who: LeftBranch, Blocks: []Block{{Text: textOf(line, "summary")}}}
		case entry.Compaction:
			if !yield(Part{Sort: Rule, Entry: -1, Text: "compaction: what is above is summed up"}) {
				return
			}
			m = Message{Who: Summary, Blocks: []Block{{Text: textOf(line, "summary")}}}
		default:
			yield(r.Aside(i))
			return
		}
		yield(Part{Entry: i, Message: m})
	}
}

// Aside is entry i on one line.
func (r *Reader) Aside(i int) Part {
	return Part{Sort: Aside, Entry: i, Text: GistAt(r.list, i).String()}
}

// Context yields the messages that the model sees.
func (r *Reader) Context(ctx context.Context, c *replay.Context) (iter.Seq2[Part, error], *Tally) {
	t := &Tally{}
	return func(yield func(Part, error) bool) {
		cut := Part{Sort: Rule, Entry: -1, Text: "compaction: what is above it was kept"}
		kept := false
		for m, err := range c.Messages() {
			if err = errors.Join(err, ctx.Err()); err != nil {
				yield(Part{}, err)
				return
			}
			if kept && !m.Kept && !yield(cut, nil) {
				return
			}
			kept = m.Kept
			p := Part{Entry: m.Entry, Message: r.read(ctx, m.JSON, m.Entry)}
			if m.Changed {
				p.Note = "edited"
			}
			if m.Kept {
				p.Note = Join(p.Note, "kept")
			}
			if t.see(p); !yield(p, nil) {
				return
			}
		}
		if kept {
			yield(cut, nil)
		}
	}, t
}

// Sent is Context for the messages as they are sent to a model.
func (r *Reader) Sent(ctx context.Context, c *replay.Context) (iter.Seq2[Part, error], *Tally) {
	t := &Tally{}
	return func(yield func(Part, error) bool) {
		messages, _ := r.s.LLM(ctx, c)
		for raw, err := range messages {
			if err != nil {
				yield(Part{}, err)
				return
			}
			p := Part{Entry: -1, Message: r.read(ctx, raw, -1)}
			if t.see(p); !yield(p, nil) {
				return
			}
		}
	}, t
}

func (t *Tally) see(p Part) {
	t.Messages, t.Seen, t.Tokens = t.Messages+1, t.Seen+1, t.Tokens+p.Message.Tokens
}

// read returns one message: of entry i, or of none when i is -1.
func (r *Reader) read(ctx context.Context, raw entry.JSON, i int) Message {
	if len(raw) >= large {
		runtime.GC()
	}
	m := Read(raw)
	if !r.o.Full || i < 0 {
		return m
	}
	if whole := r.whole(ctx, raw, i); !bytes.Equal(whole, raw) {
		tokens := m.Tokens // as the model sees it
		m = Read(whole)
		m.Tokens = tokens
	}
	return m
}

// State says what goes with a context, in few words each.
func State(c *replay.Context) (parts []string) {
	if c.Model != nil {
		parts = append(parts, "model "+c.Model.Provider+"/"+c.Model.ModelID)
	}
	for _, m := range c.Models {
		if m.Role != replay.DefaultRole {
			parts = append(parts, m.Role+" "+m.Model)
		} else if c.Model == nil {
			parts = append(parts, "model "+m.Model)
		}
	}
	if c.ThinkingLevel != "" && c.ThinkingLevel != "off" {
		parts = append(parts, "thinking "+c.ThinkingLevel)
	}
	if c.Mode != "" && c.Mode != "none" {
		parts = append(parts, "mode "+c.Mode)
	}
	if c.ServiceTier != nil {
		parts = append(parts, "tier "+strings.Trim(string(c.ServiceTier), `"`))
	}
	if c.HasMCPSelection {
		parts = append(parts, term.Plural(len(c.MCPTools), "selected tool"))
	}
	if len(c.TTSRRules) > 0 {
		parts = append(parts, term.Plural(len(c.TTSRRules), "injected rule"))
	}
	return parts
}
