package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/session"
)

func (r *rig) revert(ctx context.Context, c state.Change) (string, string, error) {
	return session.Revert(ctx, c, r.opt)
}

// TestKilledAtEveryStep: a change, or the taking back of one, is killed before each of
// its steps. The next command finishes it or takes it back, or is an undo; plain undo goes
// on until nothing is left to take back, and the session is as it was then.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	for _, sc := range scenes() {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			disk, was := sc.set(t)
			step := 0
			seen := map[string]bool{}
			var r *rig
			check := func(op string) {
				step++
				left := disk.CrashClone(100, 0) // its locks are gone
				all := contents(t, left, "/")
				for _, settled := range []bool{false, true} {
					if !seen[all] {
						sc.comesBack(t, left, r, settled)
					}
					left = disk.CrashClone(100, 0)
				}
				seen[all] = true
				if t.Failed() {
					t.Fatalf("killed before change %d (%s)", step, op)
				}
			}
			inject := errorfs.Serial(func(op errorfs.Op) *errorfs.Fault {
				if op.Kind.Changes() {
					check(fmt.Sprint(op))
				}
				return nil
			})
			r = rigOn(t, errorfs.Wrap(disk, inject), sc, 2)
			r.saved, r.title = was.saved, was.title
			if err := sc.run(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			inject(errorfs.Op{Kind: errorfs.Remove, Name: "nothing: the end"})
			if step < 10 {
				t.Errorf("%d steps only", step)
			}
		})
	}
}

// comesBack takes back all that is on record.
func (sc scene) comesBack(t *testing.T, disk vfs.FS, promised *rig, settled bool) {
	t.Helper()
	for _, path := range find(t, disk, diskRoot) {
		if strings.HasSuffix(path, ".lock") && !strings.Contains(path, "operations") {
			_ = disk.Remove(path) // its process is no more
		}
	}
	r := rigOn(t, disk, sc, 77)
	if settled {
		sc.settles(t, disk, r, promised)
	}
	for n := 0; ; n++ {
		_, err := r.keep.Undo(t.Context(), "", r.revert)
		if errors.Is(err, state.ErrUnknown) {
			break
		}
		if err != nil || n > 3 {
			t.Fatalf("undo %d: %v", n, err)
		}
	}
	all, err := r.keep.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if o.Status != state.Undone && o.Status != state.Failed {
			t.Errorf("%s is %s", o.Op, o.Status)
		}
	}
	if sc.lines == nil {
		return
	}
	for _, path := range find(t, disk, filepath.Join(diskRoot, "home")) {
		data, err := vfs.ReadFile(disk, path, 0)
		if strings.HasSuffix(path, ident.Ext) && (strings.Contains(sc.name, "fork") || sc.name == "convert") &&
			(err != nil || !bytes.Contains(data, []byte(`"id":"u1"`)) || !bytes.Contains(data, []byte(`"id":"a1"`))) {
			t.Errorf("a copy in part: %s: %q, %v", path, data, err)
		}
		if (strings.Contains(sc.name, "fork") || sc.name == "convert") && strings.HasSuffix(path, ident.Ext) && !exists(disk, filepath.Join(ident.ArtifactDir(path), "0.bash.log")) {
			t.Errorf("a session without its artifact: %s", path)
		}
	}
	first, _, _ := strings.Cut(sc.lines[0], "\n")
	data, err := vfs.ReadFile(disk, r.path, 0)
	old := bytes.HasPrefix(data, []byte(first+"\n"))
	if strings.HasPrefix(first, `{"type":"title"`) {
		old = bytes.Contains(data, []byte("\n"+sc.lines[1]+"\n")) && !bytes.Contains(data[:len(first)], []byte("a name"))
	}
	if !old && !strings.Contains(sc.name, "migrate") && !strings.Contains(sc.name, "reinit") {
		t.Errorf("the header is %.300q, %v", data, err)
	}
	got, err := vfs.ReadFile(disk, filepath.Join(ident.ArtifactDir(r.path), "0.bash.log"), 0)
	if string(got) != output {
		t.Errorf("the artifact is %q, %v", got, err)
	}
	p := *promised
	p.title, p.settled = nil, true
	sc.whole(t, disk, r, &p)
}

func exists(disk vfs.FS, path string) bool {
	_, err := disk.Lstat(path)
	return err == nil
}

// settles is what the next command does first: nothing is half done then.
func (sc scene) settles(t *testing.T, disk vfs.FS, r, promised *rig) {
	t.Helper()
	all, err := r.keep.Settle(t.Context(), r.revert, func(ctx context.Context, c state.Change) (bool, error) {
		return session.Finish(ctx, c, r.opt)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Err != nil {
			t.Errorf("settle %s: %v", s.Op, s.Err)
		}
	}
	record, err := r.keep.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range record {
		if o.Status == state.Begun || o.Status == state.Undoing {
			t.Errorf("%s is %s", o.Op, o.Status)
		}
	}
	if left, err := r.keep.Interrupted(t.Context()); len(left) > 0 || err != nil {
		t.Errorf("interrupted: %v, %v", left, err)
	}
	p := *promised
	p.title, p.settled = nil, true
	sc.whole(t, disk, r, &p)
}
