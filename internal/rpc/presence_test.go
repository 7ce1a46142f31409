package rpc_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/internal/rpc"
	"github.com/cambium-dev/cambium/presence"
)

// A crowd is who has which session open: this process, and one other.
type crowd struct {
	mu   sync.Mutex
	in   map[string]int // by path
	left int
}

func (c *crowd) Enter(_ context.Context, path string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.in[path]++
	return path, nil
}

func (c *crowd) Leave(context.Context, string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left++
	return nil
}

func (c *crowd) Who(context.Context, string, string) ([]presence.Holder, error) {
	return []presence.Holder{{Program: "other", PID: 4711}}, nil
}

func TestPresence(t *testing.T) {
	c := &crowd{in: map[string]int{}}
	l := serve(t, rpc.Options{Presence: c})
	path := l.write("s.jsonl", `{"type":"session","version":3,"id":"0badc0de00000001","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}`+"\n")
	h := l.open("open", `{"path":`+quoted(path)+`}`)
	l.on(h, "appendCustomEntry", `"customType":"x"`)
	l.on(h, "close", "")
	if c.in[path] != 1 || c.left != 1 {
		t.Errorf("entered %v, left %d times; want %q once and once", c.in, c.left, path)
	}
	var told []string
	for _, m := range l.told {
		told = append(told, string(m))
	}
	if all := strings.Join(told, "\n"); !strings.Contains(all, `"kind":"busy"`) {
		t.Errorf("told %s, want busy", all)
	}
}
