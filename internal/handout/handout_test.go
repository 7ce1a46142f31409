package handout_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/handout"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/session"
)

// written exports a session of lines, from its leaf, and returns the name and the content
// of the file.
func written(t *testing.T, form string, lines ...map[string]any) (name, content string) {
	t.Helper()
	dir := scratch.OwnDir(t)
	var all bytes.Buffer
	for _, line := range lines {
		text, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(append(text, '\n'))
	}
	path := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(path, all.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := session.Open(t.Context(), path, session.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // nothing was written
	c, err := s.Context(t.Context(), session.ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	done, err := handout.Write(t.Context(), s, c, handout.Options{
		To: form, Dir: dir, Leaf: s.LeafPosition(), Redact: true, Step: func(int, int) {}, Trouble: func(text string) { t.Error(text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(done.Path)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(done.Path), string(data)
}

// TestNothingIsCutBeforeItIsRedacted: a key goes as a whole where only the beginning of a
// text is shown: in the title, the name of the file, and what names a branch or an entry.
func TestNothingIsCutBeforeItIsRedacted(t *testing.T) {
	const key = "sk-ant-api03-q8Zr4TnW0xKv2LmY7bHs5DgJ1fPc9aEuR3oIi6NtwQzXyBhVkGjFsDlApSoCmEnUrTqWvYxZ0123456789abcdefghAA"
	message := func(id string, parent any, role, text string) map[string]any {
		return map[string]any{"type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-02T03:04:06.000Z",
			"message": map[string]any{"role": role, "content": text, "timestamp": 1}}
	}
	for _, filler := range []int{0, 10, 20, 30, 40, 50, 60, 75, 520, 560, 580, 590, 598} {
		text := strings.Repeat("word ", filler/5) + key + " is the key"
		for _, form := range handout.Forms() {
			name, content := written(t, form,
				map[string]any{"type": "session", "version": 3, "id": "0000-cut", "timestamp": "2026-01-02T03:04:05.000Z", "cwd": "/shed"},
				message("a1", nil, "user", text), message("a2", "a1", "user", text), message("a3", "a1", "user", text),
				map[string]any{"type": "custom", "id": "a4", "parentId": "a3", "timestamp": "2026-01-02T03:04:06.000Z", "customType": text, "data": text},
				map[string]any{"type": "custom_message", "id": "a5", "parentId": "a4", "timestamp": "2026-01-02T03:04:06.000Z", "customType": text, "content": text, "display": true},
				map[string]any{"type": "label", "id": "a6", "parentId": "a5", "timestamp": "2026-01-02T03:04:06.000Z", "targetId": "a3", "label": text},
				map[string]any{"type": "branch_summary", "id": "a7", "parentId": "a6", "timestamp": "2026-01-02T03:04:06.000Z", "fromId": "a2", "summary": text},
				map[string]any{"type": "unknown_kind", "id": "a8", "parentId": "a7", "timestamp": "2026-01-02T03:04:06.000Z", "text": text},
			)
			const part = "sk-ant-api03-q8Z"
			if strings.Contains(strings.ReplaceAll(content, "\\", ""), part) || strings.Contains(name, strings.ToLower(part)) {
				at := max(0, strings.Index(content, part)-60)
				t.Errorf("%s, %d bytes before it: %q; %.200q", form, filler, name, content[at:])
			}
		}
	}
}
