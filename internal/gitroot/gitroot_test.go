package gitroot_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/gitroot"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/vfs"
)

const (
	first   = "7727254ab214615df4f261d42ce9b527741a680e"
	last    = "55fe22ced35dcf37e546a42e8c3d641ccd15fa69"
	first32 = "e3ed335530cd3594515f323fcfe7c41ee2259488ba8275876e82c0dc8745ac98"
)

// tree makes a working tree of a recorded repository: twelve commits (git
// 2.39; with 64-digit names three).
func tree(t *testing.T, recorded, top string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(top, ".git"), os.DirFS(filepath.Join("testdata", recorded))); err != nil {
		t.Fatal(err)
	}
}

func TestFirst(t *testing.T) {
	for recorded, want := range map[string]string{"loose": first, "offset": first, "name": first, "sha256": first32} {
		t.Run(recorded, func(t *testing.T) {
			top := t.TempDir()
			tree(t, recorded, top)
			deep := filepath.Join(top, "a", "b")
			if err := os.MkdirAll(deep, 0o700); err != nil {
				t.Fatal(err)
			}
			r, ok := gitroot.Find(vfs.OS(), deep)
			if !ok || r.Top != top {
				t.Fatalf("Find = %+v, %v", r, ok)
			}
			if got, ok := r.First(context.Background()); !ok || got != want {
				t.Errorf("First = %q, %v; want %q", got, ok, want)
			}
		})
	}
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLinkedWorktree reads the repository through a second working tree, and
// the names of the working trees through the first.
func TestLinkedWorktree(t *testing.T) {
	dir := t.TempDir()
	top, linked := filepath.Join(dir, "main"), filepath.Join(dir, "linked")
	tree(t, "offset", top)
	put(t, filepath.Join(top, ".git/worktrees/linked/HEAD"), "ref: refs/heads/main\n")
	put(t, filepath.Join(top, ".git/worktrees/linked/commondir"), "../..\n")
	put(t, filepath.Join(top, ".git/worktrees/linked/gitdir"), filepath.Join(linked, ".git")+"\n")
	put(t, filepath.Join(top, ".git/worktrees/gone/gitdir"), filepath.Join(dir, "gone", ".git")+"\n")
	put(t, filepath.Join(linked, ".git"), "gitdir: ../main/.git/worktrees/linked\n")
	r, ok := gitroot.Find(vfs.OS(), linked)
	if !ok {
		t.Fatal("not found")
	}
	if got, ok := r.First(context.Background()); !ok || got != first {
		t.Errorf("First = %q, %v", got, ok)
	}
	want := []string{filepath.Join(dir, "gone"), linked}
	if got := r.Worktrees(); len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("Worktrees = %q, want %q", got, want)
	}
}

func TestBorrowedObjects(t *testing.T) {
	dir := t.TempDir()
	tree(t, "name", filepath.Join(dir, "lender"))
	git := filepath.Join(dir, "borrower", ".git")
	put(t, filepath.Join(git, "HEAD"), last+"\n")
	put(t, filepath.Join(git, "objects/info/alternates"), "../../../lender/.git/objects\n")
	r, ok := gitroot.Find(vfs.OS(), filepath.Dir(git))
	if !ok {
		t.Fatal("not found")
	}
	if got, ok := r.First(context.Background()); !ok || got != first {
		t.Errorf("First = %q, %v", got, ok)
	}
}

// TestWhatCannotBeFollowed has repositories without an answer; none may hang or
// panic.
func TestWhatCannotBeFollowed(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, git string)
	}{
		{"no commit yet", func(t *testing.T, git string) { put(t, git+"/HEAD", "ref: refs/heads/main\n") }},
		{"branch that leads out", func(t *testing.T, git string) { put(t, git+"/HEAD", "ref: ../../../etc/passwd\n") }},
		{"branch of itself", func(t *testing.T, git string) {
			put(t, git+"/HEAD", "ref: refs/heads/a\n")
			put(t, git+"/refs/heads/a", "ref: refs/heads/a\n")
		}},
		{"shallow", func(t *testing.T, git string) {
			tree(t, "loose", filepath.Dir(git))
			if err := os.Remove(filepath.Join(git, "objects", first[:2], first[2:])); err != nil {
				t.Fatal(err)
			}
		}},
		{"torn pack", func(t *testing.T, git string) {
			tree(t, "offset", filepath.Dir(git))
			packs, _ := filepath.Glob(git + "/objects/pack/*.pack")
			if err := os.Truncate(packs[0], 330); err != nil {
				t.Fatal(err)
			}
		}},
		{"torn list", func(t *testing.T, git string) {
			tree(t, "offset", filepath.Dir(git))
			lists, _ := filepath.Glob(git + "/objects/pack/*.idx")
			if err := os.Truncate(lists[0], 1100); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			git := filepath.Join(t.TempDir(), ".git")
			tt.make(t, git)
			r, ok := gitroot.Find(vfs.OS(), filepath.Dir(git))
			if !ok {
				t.Fatal("not found")
			}
			if got, ok := r.First(context.Background()); ok {
				t.Errorf("First = %q", got)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	top := t.TempDir()
	tree(t, "loose", top)
	r, _ := gitroot.Find(vfs.OS(), top)
	if _, ok := r.First(ctx); ok {
		t.Error("went on although it was ended")
	}
}

// FuzzPack reads packs with damage; it must end.
func FuzzPack(f *testing.F) {
	packs, _ := filepath.Glob("testdata/offset/objects/pack/*.pack")
	data, err := os.ReadFile(packs[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(12, byte(0xff))
	f.Add(324, byte(0xf0))
	f.Add(330, byte(1))
	f.Fuzz(func(t *testing.T, at int, value byte) {
		top := t.TempDir()
		tree(t, "offset", top)
		bad := append([]byte(nil), data...)
		bad[uint(at)%uint(len(bad))] ^= value
		name := filepath.Join(top, ".git/objects/pack", filepath.Base(packs[0]))
		if err := os.WriteFile(name, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if r, ok := gitroot.Find(vfs.OS(), top); ok {
			_, _ = r.First(context.Background())
		}
	})
}

// A theirs file system says that a path is somebody else's.
type theirs struct {
	vfs.FS
	path string
}

func (f theirs) Stat(path string) (vfs.Info, error) {
	info, err := f.FS.Stat(path)
	if path == f.path {
		info.UID = 54321
	}
	return info, err
}

// TestStrangersRepository meets repositories that somebody else put there.
func TestStrangersRepository(t *testing.T) {
	top := scratch.OwnDir(t)
	tree(t, "loose", top)
	deep := filepath.Join(top, "a", "b")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"": true, ".": false, "a": false, ".git": false, "a/b": false} {
		fsys := theirs{FS: vfs.OS()}
		if path != "" {
			fsys.path = filepath.Join(top, path)
		}
		if r, ok := gitroot.Find(fsys, deep); ok != want {
			t.Errorf("somebody's %q: found %+v", path, r)
		}
	}
}
