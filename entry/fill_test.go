package entry_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/google/go-cmp/cmp"
)

// TestFillLong: a message that is too long to be kept while its line streams by
// is read as one that is held: with its role, and where it stands.
func TestFillLong(t *testing.T) {
	long := strings.Repeat("x", 2*jsonl.MaxKept)
	for _, line := range []string{
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"` + long + `"}}`,
		`{"type":"message","id":"a","message":{"content":"` + long + `","role":"toolResult","toolCallId":"call"}}`,
		`{"type":"message","id":"a","message":"` + long + `"}`,
		`{"type":"custom","id":"a","customType":"c","data":"` + long + `"}`,
		`{"type":"message","id":"a"}`,
		`{"type":"message","id":"a","message":{"role":"toolResult","details":{"todos":[]},"content":"` + long + `"}}`,
		`{"type":"message","id":"a","message":{"role":"toolResult","details":{"x":"` + long + `","todos":[]}}}`,
	} {
		var want entry.Envelope
		if err := want.Scan([]byte(line)); err != nil {
			t.Fatal(err)
		}
		m := jsonl.NewMachine(entry.Query())
		if _, err := m.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		var got entry.Envelope
		got.Fill(m.Values(), m.Spans())
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%.60s (-held +streamed):\n%s", line, diff)
		}
	}
}

// Whose details have todos is known without reading them again.
func TestTodos(t *testing.T) {
	for message, want := range map[string]bool{
		`{"role":"toolResult","details":{"todos":[{"a":1}]},"content":[]}`:  true,
		`{"details":{"x":{},"todos":null},"role":"toolResult"}`:             true,
		`{"role":"toolResult","details":{"list":[]},"content":"\"todos\""}`: false,
		`{"role":"toolResult","content":[{"text":"todos"}]}`:                false,
		`{"role":"assistant","details":{"todos":[]}}`:                       false,
	} {
		var e entry.Envelope
		if err := e.Scan([]byte(`{"type":"message","id":"a","message":` + message + `}`)); err != nil {
			t.Fatal(err)
		}
		if e.Todos != want {
			t.Errorf("%s: %v", message, e.Todos)
		}
	}
}
