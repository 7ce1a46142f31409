package state_test

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
)

// secret is in files that are nobody's business here.
const secret = "BEGIN PRIVATE KEY of somebody"

// A ground is a session with artifacts at root/p/s.jsonl, a state directory, and
// the same names with other content at outside/p, which nothing may touch.
type ground struct {
	t             *testing.T
	root, outside string
	session       string
	step          errorfs.Counter
	apart         bool // root/p and the state directory are different disks
	refused       bool // something was, because they are
	j             *state.Journal
}

// newOutside makes what is outside. Many grounds may have one: it is not to change.
func newOutside(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"s.jsonl", "s/0.log", "s/d/1.log"} {
		write(t, filepath.Join(dir, "p", name), secret)
	}
	return dir
}

func newGround(t *testing.T, outside string, apart bool) *ground {
	t.Helper()
	g := &ground{t: t, root: t.TempDir(), outside: outside, apart: apart}
	for name, text := range map[string]string{"s.jsonl": "{}\n", "s/0.log": "zero", "s/d/1.log": "one"} {
		write(t, filepath.Join(g.root, "p", name), text)
	}
	g.session = filepath.Join(g.root, "p/s.jsonl")
	other := apartOS(t)
	inject := func(op errorfs.Op) *errorfs.Fault {
		if fault := g.step.Inject(op); fault != nil || !g.apart {
			return fault
		}
		fault := other(op)
		g.refused = g.refused || fault != nil
		return fault
	}
	g.j = state.New(state.Options{
		Dir: filepath.Join(g.root, "state/cambium"), FS: errorfs.Wrap(errorfs.Light(vfs.OS()), inject), Now: time.Now, Random: rand.Reader,
	})
	return g
}

// swap puts a link to what is outside in the place of a name in root.
func (g *ground) swap(name, to string) {
	at := filepath.Join(g.root, name)
	err := os.Rename(at, at+"-away")
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = os.Symlink(filepath.Join(g.outside, to), at)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
		g.t.Error(err)
	}
}

// check fails when anything outside is not as it was, or any of it is in root.
// added allows new names outside.
func (g *ground) check(what string, n int64, added bool) {
	g.t.Helper()
	count := 0
	look := func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text := read(g.t, path)
		switch {
		case strings.HasPrefix(path, g.outside+"/") && text == secret:
			count++
		case strings.HasPrefix(path, g.outside+"/") && !added:
			g.t.Errorf("%s, operation %d: %s is %q", what, n, path, text)
		case strings.Contains(text, "PRIVATE"):
			g.t.Errorf("%s, operation %d: %s holds what is outside", what, n, path)
		}
		return nil
	}
	if err := errors.Join(filepath.WalkDir(g.root, look), filepath.WalkDir(g.outside, look)); err != nil || count != 3 {
		g.t.Errorf("%s, operation %d: %d of 3 files are outside, %v", what, n, count, err)
	}
}

// TestSwapped has the session, its artifacts or the directory of both become a link
// before each operation of a removal, of its undoing, and of what else moves or
// keeps a session: nothing outside is moved, removed, overwritten or copied.
func TestSwapped(t *testing.T) {
	repair := func(g *ground) state.Change { return state.Change{Op: state.Repair, Path: g.session} }
	acts := map[string]struct {
		before, do func(g *ground) error
		into       bool // the directory it goes to is found during the act
	}{
		"trash": {do: func(g *ground) error {
			_, err := g.j.Trash(t.Context(), state.Change{Op: state.Remove, Path: g.session})
			return err
		}},
		"undo": {into: true, before: func(g *ground) error {
			_, err := g.j.Trash(t.Context(), state.Change{Op: state.Remove, Path: g.session})
			return err
		}, do: func(g *ground) error { _, err := g.j.Undo(t.Context(), "", nil); return err }},
		"keep": {do: func(g *ground) error { _, err := g.j.Begin(t.Context(), repair(g)); return err }},
		"undo a repair": {into: true, before: func(g *ground) error {
			id, err := g.j.Begin(t.Context(), repair(g))
			if err != nil {
				return err
			}
			return errors.Join(os.WriteFile(g.session, []byte("{\"a\":1}\n"), 0o600), g.j.End(t.Context(), id, nil))
		}, do: func(g *ground) error { _, err := g.j.Undo(t.Context(), "", nil); return err }},
	}
	swaps := map[string]struct{ name, to string }{
		"session": {"p/s.jsonl", "p/s.jsonl"}, "artifacts": {"p/s", "p/s"}, "further below": {"p/s/d", "p/s/d"}, "directory": {"p", "p"},
	}
	outside := newOutside(t)
	for act, a := range acts {
		for swap, s := range swaps {
			refused := true // on one disk it is the same where two refuse nothing
			for _, apart := range []bool{true, false} {
				if !refused {
					break
				}
				refused = false
				what := act + " while the " + swap + " becomes a link"
				// Whether the session itself is a person's link is what is looked at first.
				n := int64(1)
				if swap == "session" {
					n = 2
				}
				added := a.into && swap == "directory"
				for ; ; n++ {
					if added {
						outside = newOutside(t)
					}
					g := newGround(t, outside, apart)
					if a.before != nil {
						if err := a.before(g); err != nil {
							t.Fatal(err)
						}
					}
					g.step = errorfs.Counter{At: n, Then: func(errorfs.Op) { g.swap(s.name, s.to) }}
					_ = a.do(g) // it may fail, and it may be done
					g.check(what, n, added)
					refused = refused || g.refused
					if !g.step.Fired() {
						if n < 4 {
							t.Errorf("%s: %d operations", what, n-1)
						}
						break
					}
				}
				if added {
					outside = newOutside(t)
				}
			}
		}
	}
}

// TestSwappedInTrash: what is deleted for good is what is in the trash, whatever
// in it becomes a link meanwhile.
func TestSwappedInTrash(t *testing.T) {
	outside := newOutside(t)
	for _, name := range []string{"session", "artifacts", "artifacts/d"} {
		for n := int64(1); ; n++ {
			g := newGround(t, outside, false)
			o := trash(t, g.j, g.session)
			g.step = errorfs.Counter{At: n, Then: func(errorfs.Op) {
				to := map[string]string{"session": "p/s.jsonl", "artifacts": "p/s", "artifacts/d": "p/s/d"}[name]
				g.swap(filepath.Join("state/cambium/trash", o.ID, name), to)
			}}
			_, _ = g.j.Empty(t.Context(), o.ID) // it may fail, and it may be done
			g.check("empty while "+name+" becomes a link", n, false)
			if !g.step.Fired() {
				if n < 8 {
					t.Errorf("%d operations", n-1)
				}
				break
			}
		}
	}
}

// TestOtherFile: a file that is not the one that was looked at is neither moved to
// the trash nor kept in its place.
func TestOtherFile(t *testing.T) {
	g := newGround(t, newOutside(t), false)
	info, err := vfs.OS().Lstat(g.session)
	if err != nil {
		t.Fatal(err)
	}
	was := state.File{Dev: info.Dev, Ino: info.Ino}
	if err := errors.Join(os.Rename(g.session, g.session+"-away"), os.WriteFile(g.session, []byte("other"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := g.j.Trash(t.Context(), state.Change{Op: state.Remove, Path: g.session, File: was}); err == nil {
		t.Error("another file went to the trash")
	}
	if _, err := g.j.Begin(t.Context(), state.Change{Op: state.Repair, Path: g.session, File: was}); err == nil {
		t.Error("another file was kept")
	}
	if read(t, g.session) != "other" {
		t.Error("the other file changed")
	}
}
