package project_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/project"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/google/go-cmp/cmp"
)

// A claimed file system says that some paths are somebody else's, whoever runs the
// test.
type claimed struct {
	vfs.FS
	paths []string
}

const somebodyElse = 54321

func (c claimed) claim(path string, info vfs.Info) vfs.Info {
	for _, p := range c.paths {
		if p == path {
			info.UID = somebodyElse
		}
	}
	return info
}

func (c claimed) Lstat(path string) (vfs.Info, error) {
	info, err := c.FS.Lstat(path)
	return c.claim(path, info), err
}

func (c claimed) Open(path string, flag int) (vfs.File, error) {
	f, err := c.FS.Open(path, flag)
	if err != nil {
		return nil, err
	}
	return claimedFile{f, c}, nil
}

type claimedFile struct {
	vfs.File
	c claimed
}

func (f claimedFile) Stat() (vfs.Info, error) {
	info, err := f.File.Stat()
	return f.c.claim(f.Name(), info), err
}

// temp returns a private directory without links in its path.
func temp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.Chmod(dir, 0o700))
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	for _, test := range []struct {
		name   string
		git    string // where the repository begins
		claims []string
		open   string // a directory that everybody can write to
		mode   fs.FileMode
		want   []string
		stop   string
		why    string
	}{
		{name: "no repository", want: []string{"a/b/c"}},
		{name: "repository", git: "a", want: []string{"a/b/c", "a/b", "a"}},
		{name: "here", git: "a/b/c", want: []string{"a/b/c"}},
		{name: "somebody's repository", git: "a", claims: []string{"a/.git"}, want: []string{"a/b/c"}, stop: "a", why: "belongs to somebody else"},
		{name: "somebody's directory", git: "a", claims: []string{"a"}, want: []string{"a/b/c"}, stop: "a", why: "belongs to somebody else"},
		{name: "between", git: "a", claims: []string{"a/b"}, want: []string{"a/b/c"}, stop: "a/b", why: "belongs to somebody else"},
		{name: "its own", git: "a", claims: []string{"a/b/c"}, stop: "a/b/c", why: "belongs to somebody else"},
		{name: "everybody's", git: "a", open: "a/b", mode: 0o777, want: []string{"a/b/c"}, stop: "a/b", why: "everybody can write"},
		{name: "sticky", git: "a", open: "a/b", mode: 0o777 | fs.ModeSticky, want: []string{"a/b/c", "a/b", "a"}},
		{name: "a group's", git: "a", open: "a/b", mode: 0o775, want: []string{"a/b/c", "a/b", "a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := temp(t)
			must(t, os.MkdirAll(filepath.Join(root, "a/b/c"), 0o700))
			if test.git != "" {
				must(t, os.Mkdir(filepath.Join(root, test.git, ".git"), 0o700))
			}
			if test.open != "" {
				must(t, os.Chmod(filepath.Join(root, test.open), test.mode))
			}
			fsys := claimed{FS: vfs.OS()}
			for _, path := range test.claims {
				fsys.paths = append(fsys.paths, filepath.Join(root, path))
			}
			// A link to the directory is one to a place in a repository.
			must(t, os.Symlink("a/b/c", filepath.Join(root, "link")))
			for _, dir := range []string{"a/b/c", "link"} {
				p := project.Find(fsys, filepath.Join(root, dir))
				var got []string
				for _, d := range p.Dirs {
					got = append(got, strings.TrimPrefix(d, root+"/"))
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("%s: directories (-want +got):\n%s", dir, diff)
				}
				if want := test.git != "" && test.stop == ""; p.Repo != want {
					t.Errorf("%s: Repo is %v", dir, p.Repo)
				}
				if stop := strings.TrimPrefix(p.Stop, root+"/"); stop != test.stop || !strings.Contains(p.Why, test.why) || (p.Why == "") != (test.why == "") {
					t.Errorf("%s: stopped at %q: %s", dir, stop, p.Why)
				}
			}
		})
	}
}

func TestRead(t *testing.T) {
	dir := temp(t)
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"good", "theirs", "open"} {
		must(t, os.WriteFile(path(name), []byte("words"), 0o600))
	}
	must(t, os.Chmod(path("open"), 0o606))
	must(t, os.Symlink("good", path("link")))
	must(t, os.Mkdir(path("dir"), 0o700))
	fsys := claimed{FS: vfs.OS(), paths: []string{path("theirs")}}
	for _, test := range []struct{ name, want, err string }{
		{"good", "words", ""},
		{"theirs", "", "belongs to somebody else"},
		{"open", "", "everybody can write"},
		{"link", "", "symbolic link"},
		{"dir", "", "no regular file"},
	} {
		data, whole, err := project.Read(fsys, path(test.name), 10)
		if string(data) != test.want || whole != (test.want != "") || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %q, %v, %v", test.name, data, whole, err)
		}
	}
	if data, whole, err := project.Read(fsys, path("good"), 3); string(data) != "wor" || whole || err != nil {
		t.Errorf("the beginning: %q, %v, %v", data, whole, err)
	}
	if _, _, err := project.Read(fsys, path("none"), 3); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

// A swapped file system puts a link in the place of a file between the look and
// the opening.
type swapped struct {
	vfs.FS
	to string
}

func (s swapped) Open(path string, flag int) (vfs.File, error) {
	if err := errors.Join(os.Remove(path), os.Symlink(s.to, path)); err != nil {
		return nil, err
	}
	return s.FS.Open(path, flag)
}

func TestReadSwapped(t *testing.T) {
	dir := temp(t)
	for _, name := range []string{"AGENTS.md", "key"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	data, _, err := project.Read(swapped{vfs.OS(), "key"}, filepath.Join(dir, "AGENTS.md"), 10)
	if err == nil {
		t.Errorf("read %q", data)
	}
}
