package session_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/repair"
	"github.com/cambium-dev/cambium/session"
)

// lockOrder notes which locks of files are held when another is taken. The lower rank
// comes first, as the table in doc/durability.md has it.
type lockOrder struct {
	mu    sync.Mutex
	held  map[string]bool
	now   map[string]string // names that open files were opened with, and have now
	taken map[int]int       // how often, by rank
	wrong []string
}

const (
	rankTakeBack = iota + 1 // operations.lock
	rankSession             // a session's file, or what is moved
	rankOther               // omp's lock file
	rankTemp                // what is not yet at its place
	rankRecord              // operations
	rankTried               // only ever tried
)

// rankOf returns the rank of a lock, 0 for what is none.
func rankOf(path string) int {
	base := filepath.Base(path)
	switch dir := filepath.ToSlash(filepath.Dir(path)) + "/"; {
	case base == "operations.lock":
		return rankTakeBack
	case base == "operations":
		return rankRecord
	case strings.Contains(dir, "/state/presence/") || strings.Contains(dir, "/state/pending/"):
		return rankTried
	case strings.HasPrefix(base, ".") && strings.HasSuffix(base, ".lock"):
		return rankOther
	case strings.Contains(base, ".cambium-tmp-") || strings.Contains(base, ".cambium-part-"):
		return rankTemp
	}
	return rankSession
}

func (o *lockOrder) take(path string) {
	rank := rankOf(path)
	o.taken[rank]++
	for _, other := range slices.Sorted(maps.Keys(o.held)) {
		if other != path && rankOf(other) >= rank {
			o.wrong = append(o.wrong, fmt.Sprintf("%q is taken while %q is held", path, other))
		}
	}
	if rank != rankTried {
		o.held[path] = true
	}
}

// see notes an operation of a file system.
func (o *lockOrder) see(op errorfs.Op) *errorfs.Fault {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now, ok := o.now[op.Name]; ok {
		op.Name = now
	}
	switch {
	case (op.Kind == errorfs.Rename || op.Kind == errorfs.RenameNew) && rankOf(op.Name) == rankTemp:
		o.now[op.Name] = op.To
		if o.held[op.Name] {
			delete(o.held, op.Name)
			o.held[op.To] = true
		}
	case op.Kind == errorfs.Lock, op.Kind == errorfs.Create && rankOf(op.Name) == rankOther:
		o.take(op.Name)
	case op.Kind == errorfs.Unlock, op.Kind == errorfs.Close && rankOf(op.Name) != rankOther,
		op.Kind == errorfs.Remove && rankOf(op.Name) == rankOther:
		delete(o.held, op.Name)
	}
	return nil
}

func newLockOrder() *lockOrder {
	return &lockOrder{held: map[string]bool{}, now: map[string]string{}, taken: map[int]int{}}
}

// TestLockOrder does all that takes locks, and sees that they are taken in one order.
func TestLockOrder(t *testing.T) {
	for _, name := range []dialect.Name{dialect.Cambium, dialect.Pi, dialect.Omp} {
		t.Run(string(name), func(t *testing.T) {
			o := newLockOrder()
			inOrder(t, name, errorfs.Wrap(vfs.OS(), errorfs.Serial(o.see)))
			for _, w := range o.wrong {
				t.Error(w)
			}
			for rank, what := range map[int]string{rankTakeBack: "operations.lock", rankSession: "a session", rankTemp: "a temporary file", rankRecord: "operations"} {
				if o.taken[rank] == 0 {
					t.Errorf("%s was never locked", what)
				}
			}
			if got := o.taken[rankOther] > 0; got != (name == dialect.Omp) {
				t.Errorf("omp's lock file was taken: %v", got)
			}
			if len(o.held) > 0 {
				t.Errorf("held in the end: %q", slices.Collect(maps.Keys(o.held)))
			}
		})
	}
}

func inOrder(t *testing.T, name dialect.Name, fsys vfs.FS) {
	t.Helper()
	dir := t.TempDir()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	sidecar := func(path string) string {
		if name != dialect.Omp || filepath.Ext(path) != ".jsonl" {
			return ""
		}
		return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
	}
	undo := state.New(state.Options{Dir: filepath.Join(dir, "state"), FS: fsys, Now: time.Now, Random: rand.Reader, Sidecar: sidecar})
	opt := vfs.On(session.Options{Env: env(dir), Dialect: name, Undo: undo, Dir: filepath.Join(dir, "sessions"), FirstWrite: session.Immediately,
		Presence: state.NewPresence(state.PresenceOptions{Dir: filepath.Join(dir, "state"), FS: fsys, Env: env(dir)})}, fsys)
	s, err := session.Create(ctx, dir, opt)
	must(err)
	for _, body := range []entry.Body{user("one"), answer("two"), user("three")} {
		_, err := s.Append(ctx, body)
		must(err)
	}
	_, err = s.Rename(ctx, "name", session.Title{})
	must(err)
	must(s.Rewrite(ctx, func(e entry.Entry) ([]byte, error) {
		return []byte(strings.Replace(string(e.Raw()), `"three"`, `"changed"`, 1)), nil
	}))
	must(s.Move(ctx, filepath.Join(dir, "elsewhere")))
	must(s.Flush(ctx))
	path := s.Path()
	must(s.Close())
	revert := func(ctx context.Context, c state.Change) (string, string, error) { return session.Revert(ctx, c, opt) }
	for range 3 {
		_, err := undo.Undo(ctx, "", revert)
		must(err)
	}
	path = findSession(t, dir, path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must(err)
	_, err = f.WriteString("{\"type\":\n")
	must(err)
	must(f.Close())
	d := repair.New(vfs.On(repair.Options{Keeper: undo, Env: env(dir), Agents: []dialect.Name{name}, Now: time.Now}, fsys))
	reports, err := d.Session(ctx, path)
	must(err)
	for _, r := range reports {
		must(d.Fix(ctx, r))
	}
	_, err = undo.Trash(ctx, state.Change{Op: state.Remove, Path: path})
	must(err)
	_, err = undo.Undo(ctx, "", revert)
	must(err)
}

// findSession returns where the session is by now.
func findSession(t *testing.T, dir, path string) string {
	t.Helper()
	found := path
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err == nil && e.Name() == filepath.Base(path) && !e.IsDir() {
			found = p
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestLockOrderIsSeen: what takes locks the other way round is found.
func TestLockOrderIsSeen(t *testing.T) {
	for _, test := range []struct {
		first, then string
		wrong       bool
	}{
		{"/s/a.jsonl", "/s/.a.jsonl.lock", false},
		{"/s/.a.jsonl.lock", "/s/a.jsonl", true},
		{"/s/a.jsonl", "/s/b.jsonl", true},
		{"/s/a.jsonl", "/state/operations", false},
		{"/state/operations", "/s/a.jsonl", true},
		{"/s/a.jsonl", "/state/operations.lock", true},
		{"/state/operations.lock", "/state/operations", false},
	} {
		o := newLockOrder()
		for _, path := range []string{test.first, test.then} {
			kind := errorfs.Lock
			if rankOf(path) == rankOther {
				kind = errorfs.Create
			}
			o.see(errorfs.Op{Kind: kind, Name: path})
		}
		if (len(o.wrong) > 0) != test.wrong {
			t.Errorf("%s, then %s: %q", test.first, test.then, o.wrong)
		}
	}
}
