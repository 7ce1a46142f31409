package rpc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"iter"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// contextMethods are those about what a model sees: of an open session, or of
// entries that are handed in.
func contextMethods() []method {
	agent := may("agent", text).of(spelling.Agents()...)
	return []method{
		{
			name: "buildSessionContext",
			says: "What the model sees at the leaf, or at another entry: of a session, or of entries that are handed in.", gives: named("Context"),
			on: sessionContext, find: handedContext,
			params: []param{
				may("leafId", textOrNull), may("llm", flag), may("since", text), may("transcript", flag), may("collapseCompactedHistory", flag),
				may("keepDanglingToolCalls", flag), may("entries", objects), agent,
			},
		},
		{
			name: "buildContextEntries",
			says: "The entries that make a context: the compaction in effect, what it keeps and what came after, or all of the branch.", gives: listOf(named("Entry")),
			on: contextEntries, find: contextEntries,
			params: []param{may("leafId", textOrNull), may("entries", objects), agent},
		},
		{
			name: "getLatestCompactionEntry",
			says: "The last of the entries that is a compaction, null for none.", gives: named("Entry").orNil(),
			find: latestCompaction, params: []param{need("entries", objects)},
		},
		{
			name: "migrateSessionEntries",
			says: "Entries, and their header, brought to the present version in memory.", gives: listOf(is("object")),
			find: migrateEntries, params: []param{need("entries", objects)},
		},
		{
			name: "parseSessionEntries",
			says: "The header and the entries in the text of a session file, as they are.", gives: listOf(is("object")),
			find: parseEntries, params: []param{need("content", text)},
		},
		{
			name: "convertToLlm",
			says: "Messages as they are sent to a model, cleaned so that a provider takes them.", gives: listOf(named("Message")),
			on: convertMessages, find: convertMessages, params: []param{need("messages", objects), agent},
		},
	}
}

// sessionContext rebuilds the context of the leaf, of the entry that leafId names,
// or, for null, the one before any entry.
func sessionContext(ctx context.Context, c *call) (entry.JSON, error) {
	if c.args.has("entries") {
		return nil, badParam("entries", "they are given with a handle, which has entries of its own")
	}
	s := c.h.session
	built, err := c.contextAt(ctx)
	if err != nil {
		return nil, err
	}
	return c.answerContext(ctx, built, spelling.For(s.Dialect()).Replay, spelling.For(s.Dialect()).LLM)
}

// contextAt rebuilds the context of the handle's session at leafId.
func (c *call) contextAt(ctx context.Context) (*replay.Context, error) {
	o := session.ContextOptions{Strict: c.s.o.Strict}
	if c.args.has("leafId") {
		o.Leaf = c.args.textOrNil("leafId")
		o.Root = o.Leaf == nil
	}
	return c.h.session.Context(ctx, o)
}

// handedContext is sessionContext of entries that are handed in.
func handedContext(ctx context.Context, c *call) (entry.JSON, error) {
	if !c.args.has("entries") {
		return nil, badParam("handle", "missing: give it, or entries")
	}
	b, err := c.handedIn()
	if err != nil {
		return nil, err
	}
	built, err := b.context(c)
	if err != nil {
		return nil, err
	}
	return c.answerContext(ctx, built, b.rules.Replay, b.rules.LLM)
}

// answerContext answers a context in the form that is asked for.
func (c *call) answerContext(ctx context.Context, built *replay.Context, rules spelling.Rules, llm spelling.LLM) (entry.JSON, error) {
	var cleaned *replay.Cleaned
	var explained jsonedit.Array
	messages := stored(built)
	switch {
	case c.args.flag("transcript") && c.args.flag("llm"):
		return nil, badParam("llm", "a transcript is for people")
	case c.args.flag("transcript"):
		list, path := built.View()
		o := replay.TranscriptOptions{Collapse: c.args.flag("collapseCompactedHistory"), KeepCalls: c.args.flag("keepDanglingToolCalls")}
		messages = func(yield func(entry.JSON, error) bool) {
			for line, err := range replay.Transcript(list, path, rules, o) {
				explained.Add(jsonedit.BoolValue(line.MissExplained))
				if !yield(line.JSON, err) {
					return
				}
			}
		}
	case c.args.flag("llm"):
		cleaned = new(replay.Cleaned)
		messages = replay.Convert(messages, llm, cleaned)
	}
	var out bytes.Buffer
	out.WriteString(`{"messages":`)
	marked, err := c.writeMessages(ctx, &out, messages)
	if err != nil {
		return nil, err
	}
	out.WriteByte(',')
	raw := built.AppendState(out.Bytes(), replay.FullShape)
	if cleaned != nil {
		var o jsonedit.Object
		o.Int("surrogates", int64(cleaned.Surrogates)).Int("names", int64(cleaned.Names))
		o.Int("blobs", int64(cleaned.Blobs)).Int("clipped", int64(cleaned.Clipped))
		raw = append(append(raw, `,"cleaned":`...), o.Value()...)
	}
	if c.args.flag("transcript") {
		raw = append(append(raw, `,"cacheMissExplainedAt":`...), explained.Value()...)
	}
	return append(append(raw, marked...), '}'), ctx.Err()
}

// stored yields the messages of a context.
func stored(built *replay.Context) iter.Seq2[entry.JSON, error] {
	return func(yield func(entry.JSON, error) bool) {
		for m, err := range built.Messages() {
			if !yield(m.JSON, err) {
				return
			}
		}
	}
}

// writeMessages writes messages as an array. When the client has a mark it gets those
// behind it alone, if those before are what they were, and returns a new mark, as
// further members.
func (c *call) writeMessages(ctx context.Context, out *bytes.Buffer, messages iter.Seq2[entry.JSON, error]) (marked []byte, err error) {
	asked, want := c.args.has("since"), mark{}
	if asked {
		want = parseMark(c.args.text("since"))
	}
	sum, n, from := sha256.New(), 0, 0
	begun := out.Len()
	out.WriteByte('[')
	for m, err := range messages {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if asked && n == want.n && n > 0 && want.is(sum) {
			out.Truncate(begun + 1)
			from = n
		}
		if n > from {
			out.WriteByte(',')
		}
		out.Write(m)
		if n++; asked {
			sum.Write(m)
			sum.Write([]byte{'\n'})
		}
	}
	if asked && n == want.n && n > 0 && want.is(sum) {
		out.Truncate(begun + 1)
		from = n
	}
	out.WriteByte(']')
	if !asked {
		return nil, nil
	}
	return fmt.Appendf(nil, `,"from":%d,"mark":"%s"`, from, mark{n, digest(sum)}), nil
}

// A mark says how many messages a client has, and which.
type mark struct {
	n      int
	digest string
}

func (m mark) String() string { return strconv.Itoa(m.n) + "-" + m.digest }

// is reports whether the messages so far are those of the mark.
func (m mark) is(sum hash.Hash) bool { return m.digest == digest(sum) }

func digest(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil)[:16]) }

// parseMark reads a mark; what is none is that of nothing.
func parseMark(text string) mark {
	n, digest, _ := strings.Cut(text, "-")
	count, err := strconv.Atoi(n)
	if err != nil || count < 0 {
		return mark{}
	}
	return mark{count, digest}
}

// contextEntries answers the entries of which a context is made (pi 0.87.1,
// buildContextEntries).
func contextEntries(ctx context.Context, c *call) (entry.JSON, error) {
	var list *entry.List
	var path []int
	switch {
	case c.onHandle():
		built, err := c.contextAt(ctx)
		if err != nil {
			return nil, err
		}
		list, path = built.View()
	case c.args.has("entries"):
		b, err := c.handedIn()
		if err != nil {
			return nil, err
		}
		list, path = b.list, b.path(c)
	default:
		return nil, badParam("handle", "missing: give it, or entries")
	}
	at, err := contextPath(list, path)
	if err != nil {
		return nil, err
	}
	return (&bundle{list: list}).raw(ctx, at)
}

// contextPath returns of a path the last compaction, what it keeps and what comes
// after; all of it without one.
func contextPath(list *entry.List, path []int) ([]int, error) {
	cut := -1
	for at, i := range path {
		if list.Kind(i) == entry.Compaction {
			cut = at
		}
	}
	if cut < 0 {
		return path, nil
	}
	line, err := list.Load(path[cut])
	if err != nil {
		return nil, err
	}
	first, after := replay.Keeps(line)
	all, kept := []int{path[cut]}, false
	for _, i := range path[:cut] {
		id, named := list.ID(i)
		found := named && id == first
		kept = kept || found && !after
		if kept && (list.Kind(i) != entry.Message || list.Role(i) != entry.RoleSystem) {
			all = append(all, i)
		}
		kept = kept || found
	}
	return append(all, path[cut+1:]...), nil
}

// latestCompaction answers the last compaction of some entries.
func latestCompaction(_ context.Context, c *call) (entry.JSON, error) {
	last := null
	for v := range jsonedit.Elements(c.args["entries"]) {
		if kind, _ := jsonedit.Text(v, "type"); kind == entry.Compaction.String() {
			last = v
		}
	}
	return last, nil
}

// convertMessages answers what is sent to a model of messages that are handed in.
func convertMessages(ctx context.Context, c *call) (entry.JSON, error) {
	rules, err := c.rules()
	if err != nil {
		return nil, err
	}
	given := func(yield func(entry.JSON, error) bool) {
		for m := range jsonedit.Elements(c.args["messages"]) {
			if !yield(m, ctx.Err()) {
				return
			}
		}
	}
	var all jsonedit.Array
	for m, err := range replay.Convert(given, rules.LLM, nil) {
		if err != nil {
			return nil, err
		}
		all.Add(m)
	}
	return all.Value(), nil
}
