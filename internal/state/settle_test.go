package state_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
)

// TestKilledAtEveryStep: whatever step a removal, or the taking back of one, is killed
// before, the next command finishes it or takes it back, and plain undo brings all back.
func TestKilledAtEveryStep(t *testing.T) {
	for _, sc := range scenarios {
		for _, two := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/two=%v", sc.name, two), func(t *testing.T) {
				t.Parallel()
				mem := disk(t)
				if err := sc.before(t.Context(), journal(errorfs.Wrap(mem, apart(two, none)), 1)); err != nil {
					t.Fatal(err)
				}
				step := 0
				check := func() {
					step++
					settled(t, errorfs.Wrap(mem.CrashClone(100, 0), apart(two, none)), true)
					settled(t, errorfs.Wrap(mem.CrashClone(100, 0), apart(two, none)), false)
					if t.Failed() {
						t.Fatalf("killed before change %d", step)
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

// settled checks that nothing is half done after the next command, if that settles, and
// that plain undo brings back all.
func settled(t *testing.T, fsys vfs.FS, settle bool) {
	t.Helper()
	j := journal(fsys, 99)
	if settle {
		all, err := j.Settle(t.Context(), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			if s.Err != nil {
				t.Errorf("settle %s: %v", s.Op, s.Err)
			}
		}
		record, err := j.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range record {
			if o.Status == state.Begun || o.Status == state.Undoing {
				t.Errorf("%s is %s", o.Op, o.Status)
			}
		}
		in, err := j.Trashed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		home := text(t, fsys, session) != "" && text(t, fsys, artifact) != ""
		for _, one := range in {
			if one.Op == state.Remove && (home || text(t, fsys, one.Dir+"/session") != content || text(t, fsys, one.Dir+"/artifacts/0.bash.log") != "output") {
				t.Errorf("%s is in the trash in part", one.ID)
			}
		}
	}
	for n := 0; ; n++ {
		_, err := j.Undo(t.Context(), "", nil)
		if errors.Is(err, state.ErrUnknown) {
			break
		}
		if err != nil || n > 4 {
			t.Fatalf("undo %d: %v", n, err)
		}
	}
	if text(t, fsys, session) != content || text(t, fsys, artifact) != "output" {
		t.Errorf("session %q, artifact %q", text(t, fsys, session), text(t, fsys, artifact))
	}
	whole(t, fsys)
}

// TestOneAtWork: what is under way in a process that lives is not settled by another.
func TestOneAtWork(t *testing.T) {
	mem := disk(t)
	alive := journal(mem, 1)
	id, err := alive.Begin(t.Context(), state.Change{Op: state.Rename, Path: session, Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	other := journal(mem, 2)
	if all, err := other.Settle(t.Context(), nil, nil); len(all) > 0 || err != nil {
		t.Fatalf("settled %v, %v", all, err)
	}
	if err := alive.End(t.Context(), id, nil); err != nil {
		t.Fatal(err)
	}
	if names, err := mem.Names(dir + "/pending"); len(names) > 0 || err != nil {
		t.Errorf("pending: %v, %v", names, err)
	}
}

// TestTakenInWhenKilled: what a program wrote at the place of a removed session is in it
// once, whatever step of the bringing back is killed.
func TestTakenInWhenKilled(t *testing.T) {
	late := `{"type":"message","id":"bbbbbbbb","parentId":"aaaaaaaa"}` + "\n"
	mem := disk(t)
	if err := remove(t.Context(), journal(mem, 1)); err != nil {
		t.Fatal(err)
	}
	put(t, mem, session, late)
	step := 0
	check := func() {
		step++
		for _, settle := range []bool{false, true} {
			fsys := mem.CrashClone(100, 0)
			j := journal(fsys, 99)
			if settle {
				if _, err := j.Settle(t.Context(), nil, nil); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := j.Undo(t.Context(), "", nil); err != nil && !errors.Is(err, state.ErrUnknown) {
				t.Errorf("undo: %v", err)
			}
			all, err := fsys.Names(home + "/sessions")
			if text(t, fsys, session) != content+late || len(all) != 2 || err != nil {
				t.Errorf("killed before change %d, settled %v: %q, %v, %q", step, settle, all, err, text(t, fsys, session))
			}
		}
	}
	fsys := errorfs.Wrap(mem, func(op errorfs.Op) *errorfs.Fault {
		if op.Kind.Changes() {
			check()
		}
		return nil
	})
	if r, err := journal(fsys, 2).Undo(t.Context(), "", nil); err != nil || r.Note == "" {
		t.Fatal(r.Note, err)
	}
	check()
	if step < 10 {
		t.Errorf("%d steps only", step)
	}
}
