package state_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/state"
	"pgregory.net/rapid"
)

func TestMarkAndUnmark(t *testing.T) {
	d := state.Draft{Path: "/home/a/.pi/agent/sessions/--x--/s.jsonl", Agent: "pi"}
	for _, header := range []string{
		`{"type":"session","version":3,"id":"a","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`,
		`{"type":"session","id":"a","big":12345678901234567890,"cambium":{"from":"pi"}}`,
		`{"type":"session","id":"\ud800"}`,
	} {
		marked := state.Mark([]byte(header), d)
		got, ok := state.ReadMark(marked)
		if !ok || got != d {
			t.Errorf("ReadMark(%s) = %v, %v; want %v", marked, got, ok, d)
		}
		if back := string(state.Unmark(marked)); back != header {
			t.Errorf("Unmark(%s) = %s, want %s", marked, back, header)
		}
	}
}

func TestNoMark(t *testing.T) {
	for _, header := range []string{
		`{"type":"session","id":"a"}`,
		`{"type":"session","id":"a","cambium":{"from":"pi"}}`,
		`{"type":"session","id":"a","cambium":{"draft":{"path":7}}}`,
		`{"type":"session","id":"a","cambium":"draft"}`,
	} {
		if d, ok := state.ReadMark([]byte(header)); ok {
			t.Errorf("ReadMark(%s) = %v, want none", header, d)
		}
	}
	header := `{"type":"session","id":"a","cambium":{"from":"pi"}}`
	if got := string(state.Unmark([]byte(header))); got != header {
		t.Errorf("Unmark(%s) = %s, want it unchanged", header, got)
	}
}

func TestNameStaysInDir(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.String().Draw(t, "id")
		name := state.Name("/state", id, "00ff")
		if filepath.Dir(name) != state.Dir("/state") || !strings.HasSuffix(name, state.Suffix) {
			t.Fatalf("Name(%q) = %q", id, name)
		}
		if len(filepath.Base(name)) > 255 {
			t.Fatalf("Name(%q) is too long for a file name", id)
		}
	})
}
