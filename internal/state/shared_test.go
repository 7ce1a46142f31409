package state_test

import (
	"context"
	"crypto/rand"
	"errors"
	"iter"
	"path/filepath"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/storefs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/storagetest"
	"github.com/google/go-cmp/cmp"
)

const sharedPath = "/.pi/agent/sessions/--work--/2026_abc.jsonl"

var sharedLines = []string{`{"type":"session","id":"abc"}`, `{"type":"custom","id":"1"}`}

// sharedStore is a store with one session.
func sharedStore(t *testing.T) *storagetest.Rows {
	t.Helper()
	store := storagetest.NewRows()
	putShared(t, store, sharedPath, sharedLines...)
	return store
}

func putShared(t *testing.T, store storage.Store, name string, lines ...string) {
	t.Helper()
	log, err := store.Open(t.Context(), name, storage.Create)
	if err != nil {
		t.Fatal(err)
	}
	var raw [][]byte
	for _, line := range lines {
		raw = append(raw, []byte(line))
	}
	if _, err := log.Append(t.Context(), storage.Mark{}, raw); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

// sharedText returns the lines of a log, nil for none.
func sharedText(t *testing.T, store storage.Store, name string) (all []string) {
	t.Helper()
	log, err := store.Open(t.Context(), name, storage.Read)
	if errors.Is(err, storage.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for line, err := range log.Read(t.Context(), storage.Mark{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(line.Bytes))
	}
	return all
}

// sharing is the journal of one machine that has a store.
func sharing(t *testing.T, dir string, store storage.Store) *state.Journal {
	t.Helper()
	return state.New(state.Options{Dir: dir, Now: time.Now, Random: rand.Reader, Shared: &state.Shared{
		Store: store, FS: storefs.NewWritable(t.Context(), store), Trash: "/.local/state/cambium/trash",
	}})
}

// TestSharedTrash: what one machine removes another one finds and brings back; the
// record is that of the one that did it.
func TestSharedTrash(t *testing.T) {
	store := sharedStore(t)
	one, two := sharing(t, scratch.OwnDir(t), store), sharing(t, scratch.OwnDir(t), store)
	o, err := one.Trash(t.Context(), state.Change{Op: state.Remove, Path: sharedPath, Session: "abc", Agent: "pi"})
	if err != nil {
		t.Fatal(err)
	}
	if got := sharedText(t, store, sharedPath); got != nil {
		t.Errorf("it is still there: %q", got)
	}
	all, err := two.Trashed(t.Context())
	if err != nil || len(all) != 1 || all[0].ID != o.ID || all[0].Path != sharedPath || all[0].Agent != "pi" || all[0].Size <= 0 {
		t.Fatalf("in the trash: %+v, %v", all, err)
	}
	if _, err := two.Undo(t.Context(), "", nil); !errors.Is(err, state.ErrUnknown) {
		t.Errorf("the other machine takes back: %v", err)
	}
	putShared(t, store, sharedPath, "another")
	r, err := two.Restore(t.Context(), o.ID, "")
	if err != nil || r.Now == sharedPath || r.Note == "" {
		t.Fatalf("restored: %+v, %v", r, err)
	}
	if diff := cmp.Diff(sharedLines, sharedText(t, store, r.Now)); diff != "" {
		t.Errorf("it differs (-want +got):\n%s", diff)
	}
	if got := sharedText(t, store, sharedPath); len(got) != 1 || got[0] != "another" {
		t.Errorf("what took its place: %q", got)
	}
	if all, err := one.Trashed(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("in the trash: %+v, %v", all, err)
	}
	if _, err := one.Undo(t.Context(), "", nil); !errors.Is(err, state.ErrUndone) {
		t.Errorf("undo of what was restored: %v", err)
	}
}

// TestSharedKept: bytes that a rewrite replaced lie on this machine and come back.
func TestSharedKept(t *testing.T) {
	for _, grown := range []bool{false, true} {
		store := sharedStore(t)
		j := sharing(t, scratch.OwnDir(t), store)
		id, err := j.Begin(t.Context(), state.Change{Op: state.Rewrite, Path: sharedPath, Session: "abc", Agent: "pi"})
		if err != nil {
			t.Fatal(err)
		}
		log, err := store.Open(t.Context(), sharedPath, storage.Write)
		if err != nil {
			t.Fatal(err)
		}
		info, err := log.Stat(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		mark, err := log.Replace(t.Context(), info.Mark, func(iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
			return func(yield func([]byte, error) bool) { yield([]byte("rewritten"), nil) }
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := j.End(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		if grown {
			if _, err := log.Append(t.Context(), mark, [][]byte{[]byte("of another")}); err != nil {
				t.Fatal(err)
			}
		}
		r, err := j.Undo(t.Context(), id, nil)
		if err != nil || (r.Now != sharedPath) != grown {
			t.Fatalf("undo: %+v, %v", r, err)
		}
		if diff := cmp.Diff(sharedLines, sharedText(t, store, r.Now)); diff != "" {
			t.Errorf("it differs (-want +got):\n%s", diff)
		}
		if grown && len(sharedText(t, store, sharedPath)) != 2 {
			t.Errorf("what others wrote: %q", sharedText(t, store, sharedPath))
		}
	}
}

// failing is a store whose calls that change something fail from the n-th on, or
// are done and their answer lost.
type failing struct {
	storage.Store
	left int
	late bool
}

var errCut = errors.New("the connection is cut")

func (f *failing) change(do func() error) error {
	if f.left--; f.left >= 0 {
		return do()
	}
	if f.late && f.left == -1 {
		_ = do() // it takes place, and nobody hears of it
	}
	return errCut
}

func (f *failing) Rename(ctx context.Context, old, now string) error {
	return f.change(func() error { return f.Store.Rename(ctx, old, now) })
}

func (f *failing) Remove(ctx context.Context, name string) error {
	return f.change(func() error { return f.Store.Remove(ctx, name) })
}

func (f *failing) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	log, err := f.Store.Open(ctx, name, mode)
	if err != nil || mode == storage.Read {
		return log, err
	}
	return &failingLog{log, f}, nil
}

type failingLog struct {
	storage.Log
	f *failing
}

func (l *failingLog) Append(ctx context.Context, after storage.Mark, lines [][]byte) (mark storage.Mark, err error) {
	err = l.f.change(func() (err error) {
		mark, err = l.Log.Append(ctx, after, lines)
		return err
	})
	return mark, err
}

// TestSharedCut: wherever a removal or a bringing back is cut off, the session is
// whole at its path or in the trash, and comes back.
func TestSharedCut(t *testing.T) {
	for _, late := range []bool{false, true} {
		for _, restoring := range []bool{false, true} {
			for n := range 6 {
				store := sharedStore(t)
				dir := scratch.OwnDir(t)
				cut := &failing{Store: store, left: 1000, late: late}
				j := sharing(t, dir, cut)
				if restoring {
					if _, err := j.Trash(t.Context(), state.Change{Op: state.Remove, Path: sharedPath, Session: "abc"}); err != nil {
						t.Fatal(err)
					}
					cut.left = n
					_, _ = j.Undo(t.Context(), "", nil)
				} else {
					cut.left = n
					_, _ = j.Trash(t.Context(), state.Change{Op: state.Remove, Path: sharedPath, Session: "abc"})
				}
				again := sharing(t, filepath.Join(dir, "another"), store)
				all, err := again.Trashed(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				at := sharedPath
				if sharedText(t, store, sharedPath) == nil {
					if len(all) != 1 || all[0].Path != sharedPath {
						t.Fatalf("late %v, restoring %v, %d: it is nowhere: %+v", late, restoring, n, all)
					}
					r, err := again.Restore(t.Context(), all[0].ID, "")
					if err != nil {
						t.Fatalf("late %v, restoring %v, %d: %v", late, restoring, n, err)
					}
					at = r.Now
				} else if len(all) > 0 {
					t.Errorf("late %v, restoring %v, %d: it is there twice: %+v", late, restoring, n, all)
				}
				if diff := cmp.Diff(sharedLines, sharedText(t, store, at)); diff != "" {
					t.Errorf("late %v, restoring %v, %d (-want +got):\n%s", late, restoring, n, diff)
				}
			}
		}
	}
}

// away is a store that does not answer when it is asked for one name.
type away struct{ storage.Store }

func (away) Stat(context.Context, string) (storage.Info, error) {
	return storage.Info{}, errors.New("the store is away")
}

// TestRecordedWhileAway: a store that is away does not keep a change from being
// recorded; whether it can be made is told by making it.
func TestRecordedWhileAway(t *testing.T) {
	store := away{sharedStore(t)}
	j := state.New(state.Options{
		Dir: scratch.OwnDir(t), Now: time.Now, Random: rand.Reader,
		Shared: &state.Shared{FS: storefs.New(t.Context(), store), Store: store, Trash: "/trash"},
	})
	id, err := j.Begin(t.Context(), state.Change{Op: state.Rename, Path: sharedPath, Session: "abc"})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.End(t.Context(), id, errors.New("it is away")); err != nil {
		t.Error(err)
	}
}
