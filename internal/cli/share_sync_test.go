//go:build share

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestShareSync: two homes keep their sessions in files and are united through a
// store: what both wrote is in both, and found in the store.
func TestShareSync(t *testing.T) { eachStore(t, testShareSync) }

func testShareSync(t *testing.T, url string) {
	work := t.TempDir()
	one, two := newHome(t, work, url), newHome(t, work, url)
	local := func(h home) home { return home{dir: h.dir, env: h.env[:1]} }
	dirOf := func(h home) string { return strings.TrimPrefix(h.env[0], "HOME=") }
	const id = "0123456789abcdef"
	code := filepath.Join(dirOf(one), "code")
	if err := os.MkdirAll(code, 0o700); err != nil {
		t.Fatal(err)
	}
	path := strings.TrimSpace(local(one).run(t, "", 0, "new", "--id", id, "--name", "begun on one", "--cwd", code))
	local(one).run(t, user("first"), 0, "append", id)
	beside := strings.TrimSuffix(path, ".jsonl")
	if err := os.MkdirAll(beside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(beside, "0.bash.log"), []byte("whole output"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := one.run(t, "", 0, "sync", "--dry-run"); !strings.Contains(got, "would be sent: 1 entry (1 new session)") {
		t.Errorf("dry run: %s", got)
	}
	if got := one.run(t, "", 0, "sync"); !strings.Contains(got, "sent: 1 entry (1 new session)") || !strings.Contains(got, "1 artifact") {
		t.Errorf("sync: %s", got)
	}
	two.run(t, "", 0, "sync")
	if got := local(two).run(t, "", 0, "ls", "--json"); !strings.Contains(got, `"cwd":"`+dirOf(two)+`/code"`) {
		t.Errorf("listed on two as %s", got)
	}
	local(one).run(t, user("then on one"), 0, "append", id)
	local(two).run(t, user("then on two"), 0, "append", id)
	local(two).run(t, "", 0, "rename", id, "named on two")
	for _, h := range []home{one, two, one} {
		h.run(t, "", 0, "sync")
	}
	for _, h := range []home{local(one), local(two), one} {
		got := h.run(t, "", 0, "entries", id)
		for _, want := range []string{"first", "then on one", "then on two"} {
			if n := strings.Count(got, want); n != 1 {
				t.Errorf("%q is there %d times: %s", want, n, got)
			}
		}
		if got := h.run(t, "", 0, "ls"); !strings.Contains(got, "named on two") {
			t.Errorf("listed as %s", got)
		}
	}
	found, err := filepath.Glob(filepath.Join(dirOf(two), ".cambium", "agent", "sessions", "*", filepath.Base(beside), "0.bash.log"))
	if err != nil || len(found) != 1 {
		t.Errorf("the artifact came to %v, %v", found, err)
	}
	if got := one.run(t, "", 0, "ls", "--null"); strings.Count(got, "\x00") != 1 {
		t.Errorf("the store lists %q", got)
	}
	if got := one.run(t, "", 0, "search", "then"); !strings.Contains(got, "then on two") {
		t.Errorf("found %s", got)
	}
	for _, h := range []home{one, two} {
		if got := h.run(t, "", 0, "sync"); !strings.Contains(got, "nothing to move: 1 session") {
			t.Errorf("second sync: %s", got)
		}
	}
	away := newHome(t, work, "")
	got := away.run(t, "", 1, "sync", url[:strings.Index(url, "://")]+"://tester:secret@127.0.0.1:1/x")
	if strings.Contains(got, "secret") || strings.Count(got, "cambium: ") != 1 {
		t.Errorf("an unreachable store: %s", got)
	}
}

// TestShareSyncSends: what was written while the store was away is sent before
// sync unites, so that it comes to the files in the same run.
func TestShareSyncSends(t *testing.T) {
	type server interface {
		Kill() error
		Start() error
	}
	run := func(t *testing.T, url string, s server) {
		work := t.TempDir()
		one, two := newHome(t, work, url), newHome(t, work, url)
		local := func(h home) home { return home{dir: h.dir, env: h.env[:1]} }
		const id = "0123456789abcdef"
		one.run(t, "", 0, "new", "--id", id, "--name", "in the store")
		one.run(t, user("said before"), 0, "append", id)
		one.run(t, "", 0, "show", id)
		if err := s.Kill(); err != nil {
			t.Fatal(err)
		}
		one.run(t, user("said away 1")+user("said away 2"), 0, "append", id)
		if got := one.run(t, "", 1, "sync"); strings.Count(got, "cambium: ") != 1 {
			t.Errorf("away, sync says %s", got)
		}
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		if got := one.run(t, "", 0, "sync", "--dry-run", url); !strings.Contains(got, "would be sent first: 2 lines") {
			t.Errorf("a dry run says %s", got)
		}
		got := one.run(t, "", 0, "sync")
		if !strings.Contains(got, "the 2 lines that had waited for the store were sent") || !strings.Contains(got, "received: 3 entries (1 new session)") {
			t.Errorf("sync says %s", got)
		}
		two.run(t, "", 0, "sync")
		for _, h := range []home{local(one), local(two), two} {
			got := h.run(t, "", 0, "entries", id)
			for _, text := range []string{"said before", "said away 1", "said away 2"} {
				if strings.Count(got, text) != 1 {
					t.Errorf("%q is not there once: %s", text, got)
				}
			}
		}
		if got := one.run(t, "", 0, "sync"); !strings.Contains(got, "nothing to move") || strings.Contains(got, "waited") {
			t.Errorf("a second sync says %s", got)
		}
	}
	t.Run("postgres", func(t *testing.T) {
		s := shareServer(t)
		run(t, s.URL("postgres"), s)
	})
	t.Run("nats", func(t *testing.T) {
		s := natsServer(t)
		run(t, s.URL(), s)
	})
}
