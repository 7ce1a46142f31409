package exchange_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/layout"
)

// share is the directory that the machines of a disk share.
const share = "/share"

// A disk is in memory, for many syncs that ask nothing of a real file system. The
// machines on it and the directory that they share are below its root.
type disk struct{ *crashfs.FS }

func newDisk() disk { return disk{crashfs.New()} }

// copied returns a disk of its own with all that is on this one.
func (d disk) copied() disk { return disk{d.CrashClone(100, 0)} }

// machine puts a machine on the disk.
func (d disk) machine(t testing.TB, name string) *machine {
	t.Helper()
	m := &machine{home: "/" + name, state: "/state-" + name, fsys: d}
	if _, err := vfs.MkdirAll(d, m.home); err != nil {
		t.Fatal(err)
	}
	return m
}

// session writes a session file of an agent of a machine and returns its path.
func (d disk) session(t testing.TB, m *machine, agent, project, base string, data []byte) string {
	t.Helper()
	path := filepath.Join(places.For(agent, m.env(), layout.Overrides{}).Sessions, project, base)
	d.put(t, path, data)
	return path
}

// put writes a file that is not there.
func (d disk) put(t testing.TB, path string, data []byte) {
	t.Helper()
	if _, err := vfs.MkdirAll(d, filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	d.write(t, path, os.O_CREATE|os.O_EXCL, data)
}

// replace writes all of a file that is there.
func (d disk) replace(t testing.TB, path string, data []byte) {
	t.Helper()
	d.write(t, path, os.O_TRUNC, data)
}

func (d disk) appendTo(t testing.TB, path string, lines ...string) {
	t.Helper()
	d.write(t, path, 0, text(lines...))
}

func (d disk) write(t testing.TB, path string, flag int, data []byte) {
	t.Helper()
	f, err := d.Open(path, os.O_RDWR|os.O_APPEND|flag)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func (d disk) read(t testing.TB, path string) []byte { t.Helper(); return readOn(t, d, path) }

// walk calls do for all that is below a directory, if that is there.
func (d disk) walk(t testing.TB, dir string, do func(path string, info vfs.Info)) {
	t.Helper()
	infos, err := d.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, info := range infos {
		at := filepath.Join(dir, info.Name)
		do(at, info)
		if info.Mode.IsDir() {
			d.walk(t, at, do)
		}
	}
}

// files returns all session files below a directory.
func (d disk) files(t testing.TB, dir string) (all []string) {
	t.Helper()
	d.walk(t, dir, func(path string, info vfs.Info) {
		if !info.Mode.IsDir() && strings.HasSuffix(path, ident.Ext) {
			all = append(all, path)
		}
	})
	return all
}

// only returns the one session file below a directory.
func (d disk) only(t testing.TB, dir string) string {
	t.Helper()
	all := d.files(t, dir)
	if len(all) != 1 {
		t.Fatalf("%d session files in %s, want 1: %v", len(all), dir, all)
	}
	return all[0]
}

// stamps describes all that is on the disk: path, mode, size, time.
func (d disk) stamps(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	d.walk(t, "/", func(path string, info vfs.Info) {
		fmt.Fprintln(&b, path, info.Mode, info.Size, info.ModTime)
	})
	return b.String()
}

// forget removes all files below a directory.
func (d disk) forget(t testing.TB, dir string) {
	t.Helper()
	d.walk(t, dir, func(path string, info vfs.Info) {
		if info.Mode.IsDir() {
			return
		}
		if err := d.Remove(path); err != nil {
			t.Fatal(err)
		}
	})
}

func readOn(t testing.TB, fsys vfs.FS, path string) []byte {
	t.Helper()
	data, err := vfs.ReadFile(fsys, path, 0)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
