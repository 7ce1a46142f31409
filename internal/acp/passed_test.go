package acp_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/acp"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

// TestPassedOn: what is told as it is stored is what is told of it decoded, of random
// sessions, damaged ones included.
func TestPassedOn(t *testing.T) {
	dir := t.TempDir()
	passed := 0
	for seed := range uint64(300) {
		name := spelling.All()[seed%4].Name
		s := sessiongen.Random(rand.New(rand.NewPCG(seed, 41)), sessiongen.Options{Dialect: sessiongen.Dialect(name), Clean: seed%3 > 0})
		path := filepath.Join(dir, fmt.Sprint(seed, ".jsonl"))
		if err := os.WriteFile(path, s.Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		passed += samePassed(t, path, name)
	}
	if passed < 1000 {
		t.Errorf("only %d messages were told as they are stored", passed)
	}
}

// samePassed compares both ways for the messages of a session.
func samePassed(t *testing.T, path string, name dialect.Name) int {
	t.Helper()
	s, err := session.Open(t.Context(), path, session.Options{Dialect: name, ReadOnly: true, Env: layout.Env{Home: t.TempDir(), Cwd: "/"}})
	if err != nil {
		return 0
	}
	defer func() { _ = s.Close() }() // only read
	c, err := s.Context(t.Context(), session.ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var items []replay.Item
	for item, err := range c.Items() {
		if err == nil && item.Shown == replay.ShownMessage {
			items = append(items, item)
		}
	}
	got, passed := acp.Told(items, false)
	want, _ := acp.Told(items, true)
	if diff := cmp.Diff(plainly(t, want), plainly(t, got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
	return passed
}

// plainly decodes messages, without the ids of theirs, which are random.
func plainly(t *testing.T, lines []string) (all []any) {
	t.Helper()
	for _, line := range lines {
		if line == "" {
			continue
		}
		var m struct {
			Params struct{ Update map[string]any }
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		delete(m.Params.Update, "messageId")
		all = append(all, m.Params.Update)
	}
	return all
}
