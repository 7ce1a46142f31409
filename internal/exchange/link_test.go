package exchange_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/storage/memory"
)

// secret is in files that no side may have anything of.
const secret = "BEGIN PRIVATE KEY of somebody"

// outside makes a directory with files that are nobody's but ada's.
func outside(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"id_rsa", "deep/0.x.log"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(secret), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// untouched fails when what is outside is not as outside made it, or anything of
// it is below one of the places, links not followed.
func untouched(t testing.TB, outside string, places ...string) {
	t.Helper()
	count := 0
	look := func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		switch {
		case strings.HasPrefix(path, outside+"/"):
			if count++; string(data) != secret {
				t.Errorf("%s is %q now", path, data)
			}
		case bytes.Contains(data, []byte("PRIVATE")):
			t.Errorf("%s holds what is outside", path)
		}
		return err
	}
	for _, dir := range append(places, outside) {
		if err := filepath.WalkDir(dir, look); err != nil {
			t.Fatal(err)
		}
	}
	if count != 2 {
		t.Errorf("%d files are outside, want 2", count)
	}
}

// syncSaid syncs and returns the report and what was said of links.
func syncSaid(t testing.TB, m *machine, there exchange.Side) (exchange.Report, []string, []exchange.Failure) {
	t.Helper()
	var said []string
	rep, failed, err := m.sync(there, exchange.Options{Warn: func(text string) {
		if strings.Contains(text, "symbolic link") {
			said = append(said, text)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return rep, said, failed
}

// TestLinksBesideSessions: what a link beside a session leads to goes to no side,
// whichever side the link is on; the session and its other artifacts do. Each
// link is said once, and again by the next run.
func TestLinksBesideSessions(t *testing.T) {
	plants := map[string]func(dir, to string) error{
		"directory":         func(dir, to string) error { return os.Symlink(to, dir) },
		"file in it":        func(dir, to string) error { return os.Symlink(to+"/id_rsa", filepath.Join(dir, "1.keys.log")) },
		"directory in it":   func(dir, to string) error { return os.Symlink(to, filepath.Join(dir, "keys")) },
		"further below":     func(dir, to string) error { return os.Symlink(to+"/deep", filepath.Join(dir, "sub/deep")) },
		"in place of a sub": func(dir, to string) error { return os.Symlink(to, filepath.Join(dir, "Task")) },
	}
	for name, plant := range plants {
		for _, where := range []string{"here", "there", "in a home, to a store"} {
			t.Run(where+", "+name, func(t *testing.T) {
				ada, bob, keys := newMachine(t, "ada"), newMachine(t, "bob"), outside(t)
				ada.fsys, bob.fsys = light(), light()
				share := t.TempDir()
				there := vfs.On(exchange.Directory(share), light())
				if where == "in a home, to a store" {
					there = exchange.Shared("memory", memory.New(memory.Options{}), &blob.Memory{})
				}
				path := ada.write(t, "omp", "p", "s.jsonl", text(header("omp", "s", ada.home+"/p"), line("00000001", "", "01", "one")))
				beside := ident.ArtifactDir(path)
				if where == "there" {
					ada.mustSync(t, there)
					beside = ident.ArtifactDir(only(t, share))
					if name == "in place of a sub" { // what is here goes to a link there
						lay(t, ada, map[string]string{"Task/1.read.log": "ours"})
					}
					appendTo(t, path, line("00000002", "00000001", "02", "two"))
				}
				if name != "directory" {
					if err := errors.Join(os.MkdirAll(filepath.Join(beside, "sub"), 0o700),
						os.WriteFile(filepath.Join(beside, "0.bash.log"), []byte("ours"), 0o600)); err != nil {
						t.Fatal(err)
					}
				} else if where == "there" {
					lay(t, ada, map[string]string{"0.bash.log": "ours"})
				}
				if err := plant(beside, keys); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					rep, said, failed := syncSaid(t, ada, there)
					if rep.LeftLinks != 1 || len(failed) > 0 || len(said) != 1 || !strings.Contains(said[0], beside) {
						t.Errorf("report %+v, said %q, failed %v", rep, said, failed)
					}
				}
				syncSaid(t, bob, there)
				untouched(t, keys, ada.home, bob.home, share)
				if got := files(t, bob.home); len(got) != 1 {
					t.Errorf("bob has %q", got)
				}
			})
		}
	}
}

// TestLinkedBlobs: blobs are neither read nor written through a link in a synced
// directory, and a session that needs them is not sent without.
func TestLinkedBlobs(t *testing.T) {
	ada, keys, share := newMachine(t, "ada"), outside(t), t.TempDir()
	ada.fsys = light()
	data := bytes.Repeat([]byte("picture "), 1000)
	ref, err := blob.OpenDir(places.For("omp", ada.env(), layout.Overrides{}).Blobs, vfs.On(blob.DirOptions{}, light())).Put(t.Context(), data, "png")
	if err != nil {
		t.Fatal(err)
	}
	ada.write(t, "omp", "p", "s.jsonl", text(header("omp", "s", ada.home+"/p"), line("00000001", "", "01", ref.String())))
	if err := errors.Join(os.Mkdir(filepath.Join(share, "omp"), 0o700), os.Symlink(keys, filepath.Join(share, "omp/blobs"))); err != nil {
		t.Fatal(err)
	}
	_, _, failed := syncSaid(t, ada, vfs.On(exchange.Directory(share), light()))
	if len(failed) != 1 || !errors.Is(failed[0].Err, vfs.ErrLink) {
		t.Errorf("failed %v", failed)
	}
	untouched(t, keys, ada.home, share)
	if list, err := os.ReadDir(keys); err != nil || len(list) != 2 {
		t.Errorf("outside are %v, %v", list, err)
	}
}
