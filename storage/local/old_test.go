package local_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

// untold is a file system of a machine that does not tell who has a file open.
func untold() vfs.FS {
	return errorfs.Wrap(vfs.OS(), errorfs.Match(errorfs.Fault{Err: errors.ErrUnsupported}, "", errorfs.InUse))
}

// oldOf returns the names of the old inodes of a log.
func oldOf(t *testing.T, path string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".cambium-old-*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestReplaceWhereUseIsUnknown: the old inode is kept where nobody can know who has it
// open, and what a program appends to it is brought over whenever the log is opened to
// be written. A week after the last of it the name goes.
func TestReplaceWhereUseIsUnknown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	store := local.New(vfs.On(local.Options{Report: func(_ string, err error) { t.Error(err) }}, untold()))
	log, mark := create(t, store, path, "one", "two")
	late, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	if _, err := log.Replace(t.Context(), mark, retitle); err != nil {
		t.Fatal(err)
	}
	before := readAll(t, log)
	reopen := func() []string {
		t.Helper()
		log, err := store.Open(t.Context(), path, storage.Write)
		if err != nil {
			t.Fatal(err)
		}
		lines := readAll(t, log)
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		return lines
	}
	for n, line := range []string{"late", "", "later"} {
		if line != "" {
			if _, err := late.WriteString(line + "\n"); err != nil {
				t.Fatal(err)
			}
			before = append(before, line)
		}
		wantLines(t, reopen(), before...)
		if names := oldOf(t, path); len(names) != 1 || !local.MayBeOpen(names[0], time.Now()) {
			t.Fatalf("at opening %d: %q", n, names)
		}
	}
	old := oldOf(t, path)[0]
	if local.MayBeOpen(old, time.Now().Add(8*24*time.Hour)) {
		t.Errorf("%q may be open for ever", old)
	}
	name := old[:strings.LastIndexByte(old, '.')]
	aged := fmt.Sprintf("%s.%d", name, time.Now().Add(-8*24*time.Hour).Unix())
	if err := os.Rename(old, aged); err != nil {
		t.Fatal(err)
	}
	if _, err := late.WriteString("at last\n"); err != nil {
		t.Fatal(err)
	}
	before = append(before, "at last")
	wantLines(t, reopen(), before...)
	old = oldOf(t, path)[0]
	if !local.MayBeOpen(old, time.Now()) {
		t.Errorf("%q was appended to, and is not kept", old)
	}
	name = old[:strings.LastIndexByte(old, '.')]
	if err := os.Rename(old, fmt.Sprintf("%s.%d", name, time.Now().Add(-8*24*time.Hour).Unix())); err != nil {
		t.Fatal(err)
	}
	wantLines(t, reopen(), before...)
	if names := oldOf(t, path); len(names) != 0 {
		t.Errorf("left after a week: %q", names)
	}
}

// TestOldInodesAreBounded: of many rewrites where use is unknown, the last eight keep
// their old inodes, and nothing that was appended to any meanwhile is lost.
func TestOldInodesAreBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	store := local.New(vfs.On(local.Options{Report: func(_ string, err error) { t.Error(err) }}, untold()))
	log, mark := create(t, store, path, "start")
	want := map[string]bool{}
	for n := range 12 {
		late, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		if mark, err = log.Replace(t.Context(), mark, retitle); err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprint("late ", n)
		want[line] = true
		if _, err := late.WriteString(line + "\n"); err != nil {
			t.Fatal(err)
		}
		if err := late.Close(); err != nil {
			t.Fatal(err)
		}
		other, err := store.Open(t.Context(), path, storage.Write)
		if err != nil {
			t.Fatal(err)
		}
		info, err := other.Stat(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = log.Append(t.Context(), mark, nil) // it is told what came
		if mark = info.Mark; err == nil {
			t.Fatal("the late line was not brought over")
		}
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range readAll(t, log) {
		delete(want, line)
	}
	if len(want) > 0 {
		t.Errorf("lost: %v", want)
	}
	if log, err := store.Open(t.Context(), path, storage.Write); err != nil || log.Close() != nil {
		t.Fatal(err)
	}
	if names := oldOf(t, path); len(names) != 8 {
		t.Errorf("%d old inodes are kept: %q", len(names), names)
	}
}
