//go:build share

package cli_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/cli"
	"github.com/cambium-dev/cambium/internal/natstest"
	"github.com/cambium-dev/cambium/internal/pgtest"
)

// A home is one machine: it has its own home directory, and the store.
type home struct {
	dir string
	env []string
}

// newHome makes a home, and the store if it is there and is none yet.
func newHome(t *testing.T, work, store string) home {
	t.Helper()
	h := home{dir: work, env: []string{"HOME=" + t.TempDir(), "CAMBIUM_STORE=" + store}}
	maker := home{dir: work, env: []string{"HOME=" + t.TempDir(), "CAMBIUM_STORE=" + store}}
	_, _ = maker.do("", "store", "init") // some tests have a server that is away
	return h
}

// run runs a command there and returns what it prints.
func (h home) run(t *testing.T, in string, want int, args ...string) string {
	t.Helper()
	text, code := h.do(in, args...)
	if code != want {
		t.Errorf("cambium %q: exit %d, want %d\n%s", args, code, want, text)
	}
	return text
}

func (h home) do(in string, args ...string) (text string, code int) {
	var out, problems bytes.Buffer
	code = cli.Run(context.Background(), args, cli.System{
		Stdin: strings.NewReader(in), Stdout: &out, Stderr: &problems, Env: h.env, Dir: h.dir,
		Now: time.Now, Random: io.Reader(rand.Reader),
	})
	return out.String() + problems.String(), code
}

func shareServer(t *testing.T) *pgtest.Server {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "cambium-pg-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s, err := pgtest.New(filepath.Join(dir, "s"), "fsync = off")
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// eachStore runs a test with a store of each kind.
func eachStore(t *testing.T, run func(t *testing.T, url string)) {
	t.Run("postgres", func(t *testing.T) { run(t, shareServer(t).URL("postgres")) })
	t.Run("nats", func(t *testing.T) { run(t, natsServer(t).URL()) })
}

func natsServer(t *testing.T) *natstest.Server {
	t.Helper()
	s, err := natstest.New(t.TempDir(), natstest.Config{})
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Kill(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func user(text string) string {
	return fmt.Sprintf(`{"type":"message","message":{"role":"user","content":%q}}`+"\n", text)
}

// TestShare: two homes have the same sessions in one store.
func TestShare(t *testing.T) { eachStore(t, testShare) }

func testShare(t *testing.T, url string) {
	work := t.TempDir()
	one, two := newHome(t, work, url), newHome(t, work, url)
	const id = "0123456789abcdef"
	path := strings.TrimSpace(one.run(t, "", 0, "new", "--id", id, "--name", "shared work"))
	if !strings.HasPrefix(path, "/.cambium/agent/sessions/") {
		t.Errorf("it is at %q", path)
	}
	one.run(t, user("said on one"), 0, "append", id)
	two.run(t, user("said on two"), 0, "append", id[:8])
	for _, h := range []home{one, two} {
		for _, args := range [][]string{{"context", id}, {"show", path}, {"tree", "shared work"}, {"entries", id}} {
			got := h.run(t, "", 0, args...)
			if !strings.Contains(got, "said on one") || !strings.Contains(got, "said on two") {
				t.Errorf("cambium %q: %s", args, got)
			}
		}
		if got := h.run(t, "", 0, "ls"); !strings.Contains(got, "shared work") {
			t.Errorf("listed as %s", got)
		}
		if got := h.run(t, "", 0, "search", "said"); !strings.Contains(got, "said on two") {
			t.Errorf("found %s", got)
		}
		if n := strings.Count(h.run(t, "", 0, "entries", id, "--raw"), "\n"); n != 3 {
			t.Errorf("%d lines", n)
		}
	}
	two.run(t, "", 0, "rename", id, "another name")
	if got := one.run(t, "", 0, "ls"); !strings.Contains(got, "another name") {
		t.Errorf("listed as %s", got)
	}
	entries, err := os.ReadDir(work)
	if err != nil || len(entries) > 0 {
		t.Errorf("something was written to the working directory: %v, %v", entries, err)
	}
}

// TestShareAtOnce: two machines append to one session at once; every entry is in
// its tree, once.
func TestShareAtOnce(t *testing.T) { eachStore(t, testShareAtOnce) }

func testShareAtOnce(t *testing.T, url string) {
	const each = 40
	work := t.TempDir()
	homes := []home{newHome(t, work, url), newHome(t, work, url)}
	const id = "0123456789abcdef"
	homes[0].run(t, "", 0, "new", "--id", id)
	var group sync.WaitGroup
	for n, h := range homes {
		group.Go(func() {
			var in strings.Builder
			for i := range each {
				in.WriteString(user(fmt.Sprintf("line %d of %d.", i, n)))
			}
			h.run(t, in.String(), 0, "append", id)
		})
	}
	group.Wait()
	raw := homes[0].run(t, "", 0, "entries", id)
	for n := range homes {
		for i := range each {
			if got := strings.Count(raw, fmt.Sprintf("line %d of %d.", i, n)); got != 1 {
				t.Errorf("line %d of %d is there %d times", i, n, got)
			}
		}
	}
	if got := homes[1].run(t, "", 0, "tree", id); !strings.Contains(got, fmt.Sprintf("%d entries", 2*each)) {
		t.Errorf("the tree is %s", got)
	}
}

// TestShareRefused: what is wrong with a store is one clear line.
func TestShareRefused(t *testing.T) {
	server := shareServer(t)
	h := newHome(t, t.TempDir(), server.URL("none"))
	for want, args := range map[string][]string{
		`there is no database "none"`: {"ls"},
		"works on the local disk":     {"drafts"},
		"the server does not answer":  {"ls", "--store", "postgres://u:hidden@127.0.0.1:9/d"},
		"cannot be combined":          {"ls", "--session-dir", "/x"},
		"cannot be read":              {"ls", "--store", "postgres://u:hidden@h:port/d"},
		"want nats://":                {"ls", "--store", "nats://u:hidden@h:port"},
		"127.0.0.1:9: no connection":  {"ls", "--store", "nats://u:hidden@127.0.0.1:9"},
	} {
		code := 1
		if args[0] == "drafts" || len(args) == 3 && args[1] == "--session-dir" {
			code = 2
		}
		got := h.run(t, "", code, args...)
		if !strings.Contains(got, want) || strings.Count(got, "\n") != 1 || strings.Contains(got, "hidden") {
			t.Errorf("cambium %q: %q, want %q", args, got, want)
		}
	}
}
