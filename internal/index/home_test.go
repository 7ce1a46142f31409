package index_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/texts"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/search"
	"github.com/google/go-cmp/cmp"
)

var now = time.Date(2026, 11, 21, 15, 30, 0, 0, time.UTC)

// A home is a private home directory with sessions, and what was told of the
// index.
type home struct {
	t     *testing.T
	dir   string
	apart string // where the index is if it is not in the home
	count int

	mu  sync.Mutex
	say []string
}

func newHome(t *testing.T) *home { return &home{t: t, dir: t.TempDir()} }

func (h *home) tell(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.say = append(h.say, err.Error())
}

func (h *home) cache() string {
	if h.apart != "" {
		return h.apart
	}
	return filepath.Join(h.dir, ".cache", "cambium")
}

// copied returns the same home with an own copy of its index.
func (h *home) copied(t *testing.T) *home {
	t.Helper()
	c := &home{t: t, dir: h.dir, apart: filepath.Join(t.TempDir(), "cambium")}
	files, err := os.ReadDir(h.cache())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(c.cache(), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(h.cache(), f.Name()))
		if err := errors.Join(err, os.WriteFile(filepath.Join(c.cache(), f.Name()), data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// different says what is not as it is wanted. Nearly always nothing is, which is seen
// sooner than told.
func different(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// index returns an index of the home, closed when the test ends.
func (h *home) index() *index.Index {
	x := index.New(index.Options{Dir: h.cache(), Report: h.tell})
	h.t.Cleanup(func() {
		if err := x.Close(); err != nil {
			h.t.Error(err)
		}
	})
	return x
}

func (h *home) options(x catalog.Index) catalog.Options {
	return catalog.Options{Env: layout.Env{Home: h.dir, TempDir: "/nowhere", Cwd: "/work/a"}, Index: x, Trouble: h.tell}
}

// write puts a session file into one of the homes, minutes older than the last.
func (h *home) write(agent, name string, content []byte) string {
	h.t.Helper()
	path := filepath.Join(h.dir, "."+agent, "agent", "sessions", "--work--", name+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		h.t.Fatal(err)
	}
	h.count++
	at := now.Add(-time.Duration(h.count) * 7 * time.Hour)
	if err := os.Chtimes(path, at, at); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// random fills the home with random sessions of all dialects.
func (h *home) random(rng *rand.Rand, sessions int) (paths []string) {
	for n := range sessions {
		d := sessiongen.Dialects()[rng.IntN(4)]
		s := sessiongen.Random(rng, sessiongen.Options{Dialect: d, Entries: 1 + rng.IntN(60)})
		paths = append(paths, h.write(string(d), fmt.Sprintf("r%d_%s", n, s.ID), s.Bytes))
	}
	return paths
}

// lines joins what is one JSON text a line.
func lines(all ...string) []byte { return []byte(strings.Join(all, "\n") + "\n") }

func header(id, cwd string) string {
	return fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-01-02T03:04:05.000Z","cwd":%q}`, id, cwd)
}

// message is an entry, a child of parent ("" for none), with that text.
func message(id, parent, role, text string, at time.Time) string {
	up := "null"
	if parent != "" {
		up = string(jsonedit.Quoted(parent))
	}
	extra := ""
	switch role {
	case "assistant":
		extra = `,"provider":"acme","model":"opus-5","stopReason":"stop"`
	case "toolResult":
		extra = `,"toolCallId":"c1","toolName":"Bash"`
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":%q,"message":{"role":%q,"content":[{"type":"text","text":%s}]%s}}`,
		id, up, jsonedit.FormatTime(at.UnixMilli()), role, jsonedit.Quoted(text), extra)
}

// search returns all hits of a query.
func (h *home) search(text string, o search.Options) []search.Hit {
	h.t.Helper()
	q, err := search.Parse(text, now)
	if err != nil {
		h.t.Fatal(err)
	}
	var all []search.Hit
	for hit, err := range search.Run(h.t.Context(), q, o) {
		if err != nil {
			h.t.Fatalf("search %q: %v", text, err)
		}
		all = append(all, hit)
	}
	return all
}

// update keeps all texts.
func (h *home) update(x catalog.Index) {
	h.t.Helper()
	if err := search.Update(h.t.Context(), h.options(x)); err != nil {
		h.t.Fatal(err)
	}
}

// a countingFS counts which session files are opened.
type countingFS struct {
	vfs.FS
	mu     sync.Mutex
	opened map[string]int
}

func newCountingFS() *countingFS { return &countingFS{FS: vfs.OS(), opened: map[string]int{}} }

func (c *countingFS) Open(name string, flag int) (vfs.File, error) {
	if strings.HasSuffix(name, ident.Ext) {
		c.mu.Lock()
		c.opened[name]++
		c.mu.Unlock()
	}
	return c.FS.Open(name, flag)
}

// take returns how many files were opened since.
func (c *countingFS) take() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.opened)
	clear(c.opened)
	return n
}

// countTexts counts the texts that are kept.
func countTexts(ctx context.Context, t *testing.T, x texts.Index) (n int) {
	t.Helper()
	view, err := x.Texts(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	for _, err := range view.Known(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}
