//go:build unix

package shellhook_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/settings"
	"github.com/cambium-dev/cambium/internal/shellhook"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

var ctx = context.Background()

// A stage is a session with commands around it.
type stage struct {
	t       *testing.T
	dir     string
	session *session.Session
	hooks   *agent.Hooks

	mu   sync.Mutex
	said []error // guarded by mu
}

const (
	line1 = `{"type":"message","id":"u1","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"a \ud800 \u0000 b","timestamp":1}}`
	line2 = `{"type":"message","id":"u2","parentId":"u1","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"user","content":"more","timestamp":2}}`
	line3 = `{"type":"branch_summary","id":"b1","parentId":"u2","timestamp":"2026-01-01T00:00:03.000Z","fromId":"u2","summary":"what was"}`
)

func header(id, dir string) string {
	return fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-01-01T00:00:00.000Z","cwd":%q}`, id, dir)
}

// env is the environment of sessions in a directory.
func env(dir string) layout.Env {
	return layout.Env{Home: dir, Cwd: dir, Getenv: func(string) string { return "" }}
}

func newStage(t *testing.T) *stage {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	st := &stage{t: t, dir: dir}
	path := filepath.Join(dir, "s1.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join([]string{header("s1", dir), line1, line2, line3, ""}, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	st.session, err = session.Open(ctx, path, session.Options{Env: env(dir), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.session.Close() })
	st.hooks = &agent.Hooks{Limit: time.Hour, Report: func(event string, err error) {
		st.mu.Lock()
		defer st.mu.Unlock()
		st.said = append(st.said, err)
	}}
	return st
}

// run registers commands for an event.
func (st *stage) run(event string, commands ...string) (remove func()) {
	o := st.options()
	for _, c := range commands {
		o.Hooks = append(o.Hooks, settings.Hook{Event: event, Command: c})
	}
	return shellhook.Register(st.hooks, o)
}

func (st *stage) options() shellhook.Options {
	return shellhook.Options{
		Session: func() *session.Session { return st.session },
		Dir:     func() string { return st.dir },
		Environ: append(os.Environ(), "STAGE="+st.dir),
		Now:     func() time.Time { return time.UnixMilli(1234) },
	}
}

// reports returns what was reported, one error a line, and forgets it.
func (st *stage) reports() string {
	st.mu.Lock()
	defer st.mu.Unlock()
	err := errors.Join(st.said...)
	st.said = nil
	if err == nil {
		return ""
	}
	return err.Error()
}

// file reads what a command wrote into the stage's directory.
func (st *stage) file(name string) string {
	st.t.Helper()
	data, err := os.ReadFile(filepath.Join(st.dir, name))
	if err != nil {
		st.t.Fatal(err)
	}
	return string(data)
}
