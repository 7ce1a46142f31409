package state_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
)

const (
	home     = "/home/u"
	dir      = home + "/state"
	session  = home + "/sessions/s.jsonl"
	artifact = home + "/sessions/s/0.bash.log"
	draft    = dir + "/drafts/d.00.jsonl"
	target   = home + "/sessions/d.jsonl"
)

var (
	content      = `{"type":"session","version":3,"id":"s"}` + "\n" + strings.Repeat(`{"type":"message","id":"aaaaaaaa"}`+"\n", 50)
	draftHeader  = `{"type":"session","version":3,"id":"d"}`
	draftContent = string(state.Mark([]byte(draftHeader), state.Draft{Path: target, Agent: "pi"})) + "\n" + `{"type":"message","id":"bbbbbbbb"}` + "\n"
	restored     = draftHeader + "\n" + `{"type":"message","id":"bbbbbbbb"}` + "\n"
)

func journal(fsys vfs.FS, seed byte) *state.Journal {
	return state.New(state.Options{
		Dir: dir, FS: fsys, Random: rand.NewChaCha8([32]byte{seed}),
		Now: func() time.Time { return time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC) },
	})
}

func put(t *testing.T, fsys vfs.FS, path, text string) {
	t.Helper()
	changed, err := vfs.MkdirAll(fsys, filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	f, err := fsys.Open(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write([]byte(text))
	errs := []error{err, f.Sync(), f.Close(), fsys.SyncDir(filepath.Dir(path))}
	for _, dir := range changed {
		errs = append(errs, fsys.SyncDir(dir))
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, fsys vfs.FS, path string) string {
	t.Helper()
	data, err := vfs.ReadFile(fsys, path, 0)
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// disk returns a disk with a session, its artifact and a draft on it.
func disk(t *testing.T) *crashfs.FS {
	t.Helper()
	mem := crashfs.New()
	put(t, mem, session, content)
	put(t, mem, artifact, "output")
	put(t, mem, draft, draftContent)
	return mem
}

// scenarios are what is interrupted at every step.
var scenarios = []struct {
	name string
	// before is done undisturbed.
	before, run func(ctx context.Context, j *state.Journal) error
}{
	{"rm", nothing, remove},
	{"undo", remove, func(ctx context.Context, j *state.Journal) error { _, err := j.Undo(ctx, "", nil); return err }},
	{"restore", remove, func(ctx context.Context, j *state.Journal) error {
		all, err := j.Trashed(ctx)
		if err != nil || len(all) == 0 {
			return err
		}
		_, err = j.Restore(ctx, all[0].ID, "")
		return err
	}},
	{"discard", nothing, discard},
	{"undo discard", discard, func(ctx context.Context, j *state.Journal) error { _, err := j.Undo(ctx, "", nil); return err }},
	{"restore draft", nothing, func(ctx context.Context, j *state.Journal) error {
		all, err := j.Drafts(ctx)
		if err != nil || len(all) == 0 {
			return err
		}
		_, err = j.RestoreDraft(ctx, all[0], "")
		return err
	}},
	{"rm, undo, rm", nothing, func(ctx context.Context, j *state.Journal) error {
		_, err := j.Undo(ctx, "", nil)
		return errors.Join(remove(ctx, j), err, remove(ctx, j))
	}},
}

func nothing(context.Context, *state.Journal) error { return nil }

func remove(ctx context.Context, j *state.Journal) error {
	_, err := j.Trash(ctx, state.Change{Op: state.Remove, Path: session, Session: "s"})
	return err
}

func discard(ctx context.Context, j *state.Journal) error {
	_, err := j.Trash(ctx, state.Change{Op: state.Discard, Path: draft, Session: "d"})
	return err
}

// whole checks that the session, its artifact and the draft are somewhere, whole,
// and that what is in the trash can be brought back from it.
func whole(t *testing.T, fsys vfs.FS) {
	t.Helper()
	ctx := t.Context()
	j := journal(fsys, 99)
	all, err := j.Trashed(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range all {
		if _, err := j.Restore(ctx, in.ID, ""); err != nil {
			t.Errorf("restore %q: %v", in.Path, err)
		}
	}
	if _, err := j.List(ctx); err != nil {
		t.Error(err)
	}
	if got := text(t, fsys, session); got != content {
		t.Errorf("session: %d bytes of %d", len(got), len(content))
	}
	if got := text(t, fsys, artifact); got != "output" {
		// A copy that was interrupted between the two may be beside.
		if beside := text(t, fsys, home+"/sessions/s.restored-1/0.bash.log"); beside != "output" {
			t.Errorf("artifact: %q", got)
		}
	}
	if got := text(t, fsys, target); got != "" && got != restored {
		t.Errorf("restored draft: %q", got)
	} else if got == "" && text(t, fsys, draft) != draftContent {
		t.Errorf("draft: %q", text(t, fsys, draft))
	}
	// Nothing is in the way of the next.
	if err := remove(ctx, j); err != nil {
		t.Errorf("rm afterwards: %v", err)
	}
	if r, err := j.Undo(ctx, "", nil); err != nil || text(t, fsys, r.Now) != content {
		t.Errorf("undo afterwards: %q, %v", r.Now, err)
	}
}

// apart makes the state directory another file system than the rest.
func apart(on bool, inner errorfs.Injector) errorfs.Injector {
	inState := func(path string) bool { return strings.HasPrefix(path, dir+"/") }
	return func(op errorfs.Op) *errorfs.Fault {
		if on && (op.Kind == errorfs.RenameNew || op.Kind == errorfs.Rename || op.Kind == errorfs.Link) && inState(op.Name) != inState(op.To) {
			return &errorfs.Fault{Err: syscall.EXDEV}
		}
		return inner(op)
	}
}

// Whatever operation fails, before or after it took effect: nothing is lost, on
// one file system and on two.
func TestFailAtEveryOperation(t *testing.T) {
	for _, sc := range scenarios {
		for _, fault := range []errorfs.Fault{{}, {After: true}, {Err: errorfs.ErrNoSpace, Short: 7}} {
			for _, two := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/after=%v/short=%d/two=%v", sc.name, fault.After, fault.Short, two), func(t *testing.T) {
					for n := int64(1); ; n++ {
						mem := disk(t)
						if err := sc.before(t.Context(), journal(errorfs.Wrap(mem, apart(two, none)), 1)); err != nil {
							t.Fatal(err)
						}
						c := &errorfs.Counter{At: n, Fault: fault}
						err := sc.run(t.Context(), journal(errorfs.Wrap(mem, apart(two, c.Inject)), 2))
						whole(t, errorfs.Wrap(mem, apart(two, none)))
						if t.Failed() {
							t.Fatalf("operation %d; the scenario ended with %v", n, err)
						}
						if !c.Fired() {
							return
						}
					}
				})
			}
		}
	}
}

func none(errorfs.Op) *errorfs.Fault { return nil }

// Whenever the power fails: nothing is lost, whatever of the unsynced is on the
// disk.
func TestCrashAtEveryChange(t *testing.T) {
	for _, sc := range scenarios {
		for _, two := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/two=%v", sc.name, two), func(t *testing.T) {
				mem := disk(t)
				if err := sc.before(t.Context(), journal(errorfs.Wrap(mem, apart(two, none)), 1)); err != nil {
					t.Fatal(err)
				}
				step := 0
				check := func() {
					step++
					for _, percent := range []int{0, 50, 100} {
						for seed := range uint64(20) {
							whole(t, errorfs.Wrap(mem.CrashClone(percent, seed), apart(two, none)))
							if t.Failed() {
								t.Fatalf("crash before change %d, %d %% kept, seed %d", step, percent, seed)
							}
							if percent != 50 {
								break
							}
						}
					}
				}
				fsys := errorfs.Wrap(mem, apart(two, func(op errorfs.Op) *errorfs.Fault {
					if op.Kind.Changes() {
						check()
					}
					return nil
				}))
				_ = sc.run(t.Context(), journal(fsys, 2)) // the last of one scenario has nothing to undo
				check()
			})
		}
	}
}

// A file whose bytes are put back holds, at every moment, what it held or what
// is put back.
func TestPutBackIsAllOrNothing(t *testing.T) {
	repaired := content + `{"type":"message","id":"cccccccc"}` + "\n"
	prepared := func(t *testing.T) *crashfs.FS {
		mem := crashfs.New()
		put(t, mem, session, content)
		j := journal(mem, 1)
		id, err := j.Begin(t.Context(), state.Change{Op: state.Repair, Path: session})
		if err != nil {
			t.Fatal(err)
		}
		if err := mem.Remove(session); err != nil {
			t.Fatal(err)
		}
		put(t, mem, session, repaired)
		if err := j.End(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		return mem
	}
	check := func(fsys vfs.FS, where string) {
		t.Helper()
		if got := text(t, fsys, session); got != content && got != repaired {
			t.Fatalf("%s: %d bytes", where, len(got))
		}
		_, err := journal(fsys, 3).Undo(t.Context(), "", nil)
		if err != nil && !errors.Is(err, state.ErrUnknown) || text(t, fsys, session) != content {
			t.Fatalf("%s: again: %v", where, err)
		}
	}
	for n := int64(1); ; n++ {
		mem := prepared(t)
		c := &errorfs.Counter{At: n}
		_, err := journal(errorfs.Wrap(mem, c.Inject), 2).Undo(t.Context(), "", nil)
		check(mem, fmt.Sprintf("operation %d (%v)", n, err))
		if !c.Fired() {
			break
		}
	}
	mem, step := prepared(t), 0
	fsys := errorfs.Wrap(mem, func(op errorfs.Op) *errorfs.Fault {
		if op.Kind.Changes() {
			step++
			for seed := range uint64(22) {
				check(mem.CrashClone(min(50*(1+int(seed/21)), 100)*min(int(seed), 1), seed), fmt.Sprintf("change %d, seed %d", step, seed))
			}
		}
		return nil
	})
	if _, err := journal(fsys, 2).Undo(t.Context(), "", nil); err != nil {
		t.Fatal(err)
	}
}
