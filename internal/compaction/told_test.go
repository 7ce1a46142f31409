package compaction_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/replay"
)

// told is a session in memory.
type told struct {
	lines [][]byte
	list  *entry.List
	tree  *tree.Tree
}

func tell(t testing.TB, lines ...[]byte) *told {
	t.Helper()
	l, err := entry.NewList(lines)
	if err != nil {
		t.Fatal(err)
	}
	return &told{lines, l, tree.New(l, nil)}
}

// chain returns a session whose entries follow each other; bodies are the members
// of an entry, ids are e0, e1 and so on.
func chain(t testing.TB, bodies ...string) *told {
	t.Helper()
	var lines [][]byte
	for i, body := range bodies {
		parent := "null"
		if i > 0 {
			parent = fmt.Sprintf(`"e%d"`, i-1)
		}
		lines = append(lines, fmt.Appendf(nil, `{"id":"e%d","parentId":%s,"timestamp":"2026-01-02T03:04:%02d.000Z",%s}`, i, parent, i%60, body))
	}
	return tell(t, lines...)
}

// path returns the path to the last entry.
func (s *told) path() []int { return s.tree.Path(s.list.Len()-1, tree.Healed) }

// with returns the session with an entry more, a child of leaf.
func (s *told) with(t testing.TB, leaf int, id string, body entry.Body) *told {
	t.Helper()
	stamp := entry.Stamp{ID: id, Time: 1_800_000_000_000}
	if parent, ok := s.list.ID(leaf); ok {
		stamp.Parent = &parent
	}
	line, err := entry.Encode(nil, stamp, body)
	if err != nil {
		t.Fatal(err)
	}
	return tell(t, append(append([][]byte(nil), s.lines...), bytes.TrimSpace(line))...)
}

func user(text string) string {
	return `"type":"message","message":{"role":"user","content":` + string(jsonedit.Quoted(text)) + `}`
}

func answer(text string) string {
	return `"type":"message","message":{"role":"assistant","content":[{"type":"text","text":` + string(jsonedit.Quoted(text)) +
		`}],"stopReason":"stop"}`
}

func used(tokens int) string {
	return fmt.Sprintf(`"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"ok"}],"stopReason":"stop",`+
		`"usage":{"input":%d,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":%d}}`, tokens, tokens)
}

func toolCall(id, tool, path string) string {
	return fmt.Sprintf(`"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":%q,"name":%q,"arguments":{"path":%q}}],"stopReason":"toolUse"}`, id, tool, path)
}

func result(id, tool, text, more string) string {
	return fmt.Sprintf(`"type":"message","message":{"role":"toolResult","toolCallId":%q,"toolName":%q,"content":[{"type":"text","text":%q}],"isError":false%s}`, id, tool, text, more)
}

// long returns text that counts so many tokens.
func long(tokens int) string { return strings.Repeat("x", 4*tokens) }

func rules(t testing.TB, name dialect.Name) (spelling.Dialect, compaction.Rules) {
	t.Helper()
	d, ok := spelling.ByName(string(name))
	if !ok {
		t.Fatalf("no dialect %q", name)
	}
	return d, compaction.RulesOf(d.Name)
}

func ids(s *told, msgs []replay.Message) string {
	var out []string
	for _, m := range msgs {
		id, _ := s.list.ID(m.Entry)
		out = append(out, id)
	}
	return strings.Join(out, " ")
}

func jsonsOf(msgs []replay.Message) []entry.JSON {
	var out []entry.JSON
	for _, m := range msgs {
		out = append(out, m.JSON)
	}
	return out
}

func verbatim(kind, members string) entry.Body {
	return &entry.Verbatim{Name: kind, Members: entry.JSON(members)}
}
