package vfs_test

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	gocmp "github.com/google/go-cmp/cmp"
)

// slow is a file system that only reads directories, as others do.
type slow struct{ vfs.FS }

// mute says that it cannot survey.
type mute struct{ vfs.FS }

func (mute) Survey(_, _ string, to *vfs.Roll) error {
	return errors.ErrUnsupported
}

// A named is a file that was found.
type named struct {
	Name      string
	Dev, Ino  uint64
	Size, Mod int64
	Mode      fs.FileMode
}

func surveyed(t *testing.T, fsys vfs.FS, dir string) (all []named) {
	t.Helper()
	var roll vfs.Roll
	roll.Add([]byte("what was there before"), vfs.Found{Size: 7})
	if err := vfs.Survey(fsys, dir, ".jsonl", &roll); err != nil {
		t.Fatal(err)
	}
	same := roll.Clone()
	_, err := os.Stat(filepath.Join(dir, ".hidden.jsonl"))
	if roll.Hidden() != (err == nil) || same.Hidden() != roll.Hidden() {
		t.Errorf("hidden are some: %v", roll.Hidden())
	}
	for n := range roll.Len() {
		f := *roll.At(n)
		if string(roll.Name(n)) != string(same.Name(n)) || *same.At(n) != f {
			t.Errorf("file %d of a clone is another", n)
		}
		if n == 0 {
			if string(roll.Name(0)) != "what was there before" || f.Size != 7 {
				t.Errorf("what was there before is %s, %+v", roll.Name(0), f)
			}
			continue
		}
		all = append(all, named{string(roll.Name(n)), f.Dev, f.Ino, f.Size, f.ModTime, f.Mode})
	}
	slices.SortFunc(all, func(a, b named) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// TestSurvey: what a survey tells is what reading the directory tells, of few
// names and of many, of all kinds of files.
func TestSurvey(t *testing.T) {
	for _, n := range []int{0, 1, 100, 129, 5000} {
		dir := t.TempDir()
		crowd(t, n, func(i int) string {
			return filepath.Join(dir, fmt.Sprintf("%04d%s.jsonl", i, strings.Repeat("x", i%190)))
		})
		for _, err := range []error{
			os.Mkdir(filepath.Join(dir, "a directory.jsonl"), 0o700),
			os.Symlink("nowhere", filepath.Join(dir, "a link.jsonl")),
			os.WriteFile(filepath.Join(dir, ".hidden.jsonl"), nil, 0o600),
			os.WriteFile(filepath.Join(dir, "other.json"), nil, 0o600),
			os.WriteFile(filepath.Join(dir, ".jsonl"), nil, 0o600),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		want := surveyed(t, slow{vfs.OS()}, dir)
		if len(want) != n+2 {
			t.Fatalf("%d of %d were found", len(want), n+2)
		}
		for name, fsys := range map[string]vfs.FS{
			"os": vfs.OS(), "mute": mute{vfs.OS()}, "errorfs": errorfs.Wrap(vfs.OS(), func(errorfs.Op) *errorfs.Fault { return nil }),
		} {
			if diff := gocmp.Diff(want, surveyed(t, fsys, dir)); diff != "" {
				t.Errorf("%s, %d names: %s", name, n, diff)
			}
			if diff := gocmp.Diff(want, surveyed(t, fsys, dir+"/")); diff != "" {
				t.Errorf("%s with a slash, %d names: %s", name, n, diff)
			}
		}
	}
}

// TestSurveyOfEveryLength: however many names the last piece of a directory has that is
// read at once, none of them is left out.
func TestSurveyOfEveryLength(t *testing.T) {
	dir := t.TempDir()
	name := func(i int) string {
		return filepath.Join(dir, fmt.Sprintf("%04d%s.jsonl", i, strings.Repeat("x", 200)))
	}
	crowd(t, 250, name)
	for n := 250; n < 450; n++ {
		var roll vfs.Roll
		if err := vfs.Survey(vfs.OS(), dir, ".jsonl", &roll); err != nil || roll.Len() != n {
			t.Errorf("%d of %d were found, %v", roll.Len(), n, err)
		}
		if err := os.Link(name(0), name(n)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSurveyErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, fsys := range []vfs.FS{vfs.OS(), slow{vfs.OS()}} {
		if err := vfs.Survey(fsys, filepath.Join(dir, "none"), "", &vfs.Roll{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("no directory: %v", err)
		}
		if err := vfs.Survey(fsys, file, "", &vfs.Roll{}); err == nil {
			t.Error("a file was surveyed")
		}
	}
	broken := errorfs.Wrap(vfs.OS(), func(op errorfs.Op) *errorfs.Fault {
		if op.Kind == errorfs.ReadDir {
			return &errorfs.Fault{}
		}
		return nil
	})
	if err := vfs.Survey(broken, dir, "", &vfs.Roll{}); !errors.Is(err, errorfs.ErrInjected) {
		t.Errorf("injected: %v", err)
	}
	var roll vfs.Roll
	if err := vfs.Survey(crashfs.New(), "/", "", &roll); err != nil || roll.Len() != 0 {
		t.Errorf("in memory: %d, %v", roll.Len(), err)
	}
}

// TestSurveyOfChangingNames: names that go meanwhile are left out, those that
// stay are all told.
func TestSurveyOfChangingNames(t *testing.T) {
	dir := t.TempDir()
	const n = 2001
	name := func(i int) string { return filepath.Join(dir, fmt.Sprintf("%04d.jsonl", i)) }
	crowd(t, n, name)
	var wait sync.WaitGroup
	wait.Go(func() {
		for i := range n {
			if i%3 != 0 {
				_ = os.Remove(name(i)) // the surveys tell
			}
		}
	})
	for range 20 {
		stay := 0
		for _, f := range surveyed(t, vfs.OS(), dir) {
			var i int
			if _, err := fmt.Sscanf(f.Name, "%d.jsonl", &i); err != nil {
				t.Fatal(err)
			}
			if i%3 == 0 {
				stay++
			}
		}
		if stay != n/3 {
			t.Fatalf("%d of %d that stay were found", stay, n/3)
		}
	}
	wait.Wait()
	if all := surveyed(t, vfs.OS(), dir); len(all) != n/3 {
		t.Errorf("%d are left", len(all))
	}
}
