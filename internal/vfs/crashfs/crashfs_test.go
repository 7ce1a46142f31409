package crashfs_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
)

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, s *crashfs.FS, name, text string) vfs.File {
	t.Helper()
	f, err := s.Open(name, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	must(t, err)
	_, err = f.Write([]byte(text))
	must(t, err)
	return f
}

// state shows all files at the root with their content.
func state(t *testing.T, s *crashfs.FS) string {
	t.Helper()
	names, err := s.Names("/")
	must(t, err)
	var out []string
	for _, name := range names {
		data, err := vfs.ReadFile(s, "/"+name, 0)
		must(t, err)
		out = append(out, name+"="+string(data))
	}
	return strings.Join(out, " ")
}

// TestCrash: what is on the disk after each step, with nothing and with all of
// what is not synced.
func TestCrash(t *testing.T) {
	s := crashfs.New()
	var a vfs.File
	steps := []struct {
		name      string
		do        func() error
		none, all string
	}{
		{"create", func() error { a = create(t, s, "/a", "1"); return nil }, "", "a=1"},
		{"sync the file", func() error { return a.Sync() }, "", "a=1"},
		{"sync the directory", func() error { return s.SyncDir("/") }, "a=1", "a=1"},
		{"append", func() error { _, err := a.Write([]byte("2")); return err }, "a=1", "a=12"},
		{"sync data", func() error { return a.SyncData() }, "a=12", "a=12"},
		{"link", func() error { return s.Link("/a", "/old") }, "a=12", "a=12 old=12"},
		{"other file", func() error { return create(t, s, "/t", "3").Sync() }, "a=12", "a=12 old=12 t=3"},
		{"rename over", func() error { return s.Rename("/t", "/a") }, "a=12", "a=3 old=12"},
		{"sync names", func() error { return s.SyncDir("/") }, "a=3 old=12", "a=3 old=12"},
		{"truncate", func() error { return a.Truncate(1) }, "a=3 old=12", "a=3 old=1"},
		{"remove", func() error { return s.Remove("/a") }, "a=3 old=12", "old=1"},
		{"directory", func() error { return s.Mkdir("/d") }, "a=3 old=12", ""},
	}
	for _, step := range steps {
		must(t, step.do())
		if got := state(t, s.CrashClone(0, 1)); got != step.none {
			t.Errorf("%s, nothing kept: %q, want %q", step.name, got, step.none)
		}
		if step.all == "" {
			continue // a directory has no content
		}
		if got := state(t, s.CrashClone(100, 1)); got != step.all {
			t.Errorf("%s, all kept: %q, want %q", step.name, got, step.all)
		}
	}
}

// TestCrashSome: with a part kept there are torn, missing and zeroed writes,
// and never anything else; the same seed gives the same.
func TestCrashSome(t *testing.T) {
	s := crashfs.New()
	f := create(t, s, "/a", "synced|")
	must(t, f.Sync(), s.SyncDir("/"))
	for range 3 {
		_, err := f.Write([]byte("abcdefgh|"))
		must(t, err)
	}
	seen := map[string]bool{}
	for seed := range uint64(200) {
		got := state(t, s.CrashClone(50, seed))
		if again := state(t, s.CrashClone(50, seed)); got != again {
			t.Errorf("seed %d: %q, then %q", seed, got, again)
		}
		if !strings.HasPrefix(got, "a=synced|") || len(got) > len("a=synced|")+27 {
			t.Errorf("seed %d: %q", seed, got)
		}
		tail := got[len("a=synced|"):]
		switch {
		case tail == "":
			seen["none"] = true
		case tail == strings.Repeat("abcdefgh|", 3):
			seen["all"] = true
		case bytes.IndexByte([]byte(tail), 0) >= 0:
			seen["zero"] = true
		case !strings.HasSuffix(tail, "|"):
			seen["torn"] = true
		}
	}
	for _, kind := range []string{"none", "all", "zero", "torn"} {
		if !seen[kind] {
			t.Errorf("no clone of 200 is %s: %v", kind, seen)
		}
	}
}

// TestCrashRename: a rename is there whole or not, never neither name.
func TestCrashRename(t *testing.T) {
	s := crashfs.New()
	must(t, s.Mkdir("/d"), create(t, s, "/a", "x").Sync(), s.SyncDir("/"))
	must(t, s.Rename("/a", "/d/b"))
	moved := 0
	for seed := range uint64(50) {
		clone := s.CrashClone(50, seed)
		_, err1 := clone.Stat("/a")
		_, err2 := clone.Stat("/d/b")
		if (err1 == nil) == (err2 == nil) {
			t.Errorf("seed %d: old name: %v, new name: %v", seed, err1, err2)
		}
		if err2 == nil {
			moved++
		}
	}
	if moved == 0 || moved == 50 {
		t.Errorf("%d of 50 renames kept", moved)
	}
}

func TestCloneIsApart(t *testing.T) {
	s := crashfs.New()
	f := create(t, s, "/a", "x")
	must(t, f.Sync(), s.SyncDir("/"), s.Link("/a", "/b"), f.Lock(t.Context()))
	clone := s.CrashClone(100, 0)
	g, err := clone.Open("/a", os.O_RDWR|os.O_APPEND)
	must(t, err)
	if ok, err := g.TryLock(); !ok || err != nil {
		t.Errorf("clone is locked: %v, %v", ok, err)
	}
	_, err = g.Write([]byte("y"))
	must(t, err)
	if got := state(t, s) + " / " + state(t, clone); got != "a=x b=x / a=xy b=xy" {
		t.Errorf("state is %q", got)
	}
	if info, err := g.Stat(); err != nil || info.Nlink != 2 {
		t.Errorf("clone has %d links, %v", info.Nlink, err)
	}
	must(t, f.Close())
	if _, err := f.Write([]byte("z")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("write to a closed file: %v", err)
	}
	info, err := s.Stat("/a")
	must(t, err, s.SetInUse("/a", true))
	if used, err := s.InUse(info); !used || err != nil {
		t.Errorf("in use: %v, %v", used, err)
	}
}
