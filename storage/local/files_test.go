package local_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

// TestSymlink: the target is worked on, and the link stays a link.
func TestSymlink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "real", "a.jsonl"), filepath.Join(dir, "link.jsonl")
	store := local.New(local.Options{Report: report(t)})
	create(t, store, target, "header", "two")
	if err := os.Symlink("real/a.jsonl", link); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(target, 0o640); err != nil {
		t.Fatal(err)
	}
	log := open(t, store, link)
	info, err := log.Stat(t.Context())
	if err != nil || info.Name != target {
		t.Errorf("stat: name %q, %v; want the target's", info.Name, err)
	}
	mark, err := log.Replace(t.Context(), info.Mark, retitle)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(t.Context(), mark, byteLines([]string{"three"})); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != "real/a.jsonl" {
		t.Errorf("link leads to %q, %v", to, err)
	}
	if info, err := os.Lstat(target); err != nil || info.Mode() != 0o640 {
		t.Errorf("target has mode %v, %v; want the one it had", info.Mode(), err)
	}
	wantLines(t, readAll(t, open(t, store, target)), "Header", "two", "three")

	for info, err := range store.List(t.Context(), dir) {
		if err != nil {
			t.Fatal(err)
		}
		if info.Name == link && (info.Target != target || info.IsLog() || !info.Mark.IsZero()) {
			t.Errorf("link is listed as %+v", info)
		}
	}

	// A file that was moved and linked to from its old name is followed.
	moved := filepath.Join(dir, "moved.jsonl")
	if err := errors.Join(os.Rename(target, moved), os.Symlink(moved, target)); err != nil {
		t.Fatal(err)
	}
	info, err = log.Stat(t.Context())
	if err != nil || info.Name != moved {
		t.Errorf("stat after a move behind a link: name %q, %v", info.Name, err)
	}
}

// TestNotRegular: what is not a file is refused at once, and listed as such.
func TestNotRegular(t *testing.T) {
	dir := t.TempDir()
	fifo, link, loop := filepath.Join(dir, "fifo.jsonl"), filepath.Join(dir, "zero.jsonl"), filepath.Join(dir, "loop.jsonl")
	err := errors.Join(scratch.Mkfifo(fifo, 0o600), os.Symlink("/dev/zero", link), os.Symlink(loop, loop))
	if err != nil {
		t.Fatal(err)
	}
	store := local.New(local.Options{})
	for _, name := range []string{fifo, link, dir} {
		for _, mode := range []storage.Mode{storage.Read, storage.Write} {
			if _, err := store.Open(t.Context(), name, mode); !errors.Is(err, storage.ErrNotRegular) {
				t.Errorf("open %q to %s: %v, want ErrNotRegular", name, mode, err)
			}
		}
		if _, err := powers.ReadPrefix(t.Context(), store, name, 10); !errors.Is(err, storage.ErrNotRegular) {
			t.Errorf("prefix of %q: %v", name, err)
		}
	}
	if _, err := store.Open(t.Context(), loop, storage.Read); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("open a loop: %v", err)
	}
	if _, err := store.Open(t.Context(), "relative", storage.Read); err == nil {
		t.Error("relative name was opened")
	}
	n := 0
	for info, err := range store.List(t.Context(), dir) {
		if err != nil || info.IsLog() {
			t.Errorf("listed %+v, %v", info, err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d names, want 3", n)
	}
}

// TestReadingChangesNothing compares all that a stat shows.
func TestReadingChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte("one\r\ntorn"), 0o644); err != nil {
		t.Fatal(err)
	}
	before, err := scratch.Stamp(path)
	if err != nil {
		t.Fatal(err)
	}
	log, err := local.New(local.Options{}).Open(t.Context(), path, storage.Read)
	if err != nil {
		t.Fatal(err)
	}
	readAll(t, log)
	if _, err := log.ReadTail(t.Context(), 100); err != nil {
		t.Error(err)
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	if after, err := scratch.Stamp(path); err != nil || after != before {
		t.Errorf("file changed from %s to %s, %v", before, after, err)
	}
	if names := dirNames(t, path); len(names) != 1 {
		t.Errorf("left behind: %q", names)
	}
}

// TestLockWait: waiting for a lock ends with the context, and what waited does
// not keep the lock.
func TestLockWait(t *testing.T) {
	mem := crashfs.New()
	store := local.New(vfs.On(local.Options{}, mem))
	log, mark := create(t, store, "/a", "one")
	other, err := mem.Open("/a", os.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := log.Append(ctx, mark, byteLines([]string{"two"}))
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("append while locked: %v", err)
	}
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(t.Context(), mark, byteLines([]string{"two"})); err != nil {
		t.Errorf("append after that: %v", err)
	}
	wantLines(t, readAll(t, log), "one", "two")
	if ok, err := other.TryLock(); !ok || err != nil {
		t.Errorf("lock is not free: %v, %v", ok, err)
	}
}

// TestSyncFailed: a sync that failed is not believed when it is repeated.
func TestSyncFailed(t *testing.T) {
	mem := crashfs.New()
	fail := &errorfs.Toggle{Inner: errorfs.Match(errorfs.Fault{Err: syscall.EIO}, "a", errorfs.SyncData)}
	store := local.New(vfs.On(local.Options{}, errorfs.Wrap(mem, fail.Inject)))
	log, mark := create(t, store, "/a", "one", "two")
	fail.Set(true)
	if err := powers.Sync(t.Context(), log); !errors.Is(err, syscall.EIO) {
		t.Fatalf("sync: %v", err)
	}
	fail.Set(false)
	if err := powers.Sync(t.Context(), log); err != nil {
		t.Fatalf("sync again: %v", err)
	}
	wantLines(t, readAll(t, open(t, local.New(vfs.On(local.Options{}, mem.CrashClone(0, 0))), "/a")), "one", "two")

	// The system dropped what it could not write.
	mark, err := log.Append(t.Context(), mark, byteLines([]string{"three"}))
	if err != nil {
		t.Fatal(err)
	}
	fail.Set(true)
	if err := powers.Sync(t.Context(), log); !errors.Is(err, syscall.EIO) {
		t.Fatalf("sync: %v", err)
	}
	fail.Set(false)
	f, err := mem.Open("/a", os.O_RDWR)
	if err == nil {
		_, err = f.WriteAt(make([]byte, 5), 8)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := powers.Sync(t.Context(), log); !errors.Is(err, storage.ErrLost) {
		t.Errorf("sync of bytes that are lost: %v", err)
	}
	_, err = log.Append(t.Context(), mark, byteLines([]string{"three"}))
	var c *storage.Changed
	if !errors.As(err, &c) || c.Kind != storage.Touched {
		t.Fatalf("append: %v", err)
	}
	if _, err = log.Append(t.Context(), c.Now, byteLines([]string{"three"})); err != nil {
		t.Fatal(err)
	}
	if err := powers.Sync(t.Context(), log); err != nil {
		t.Errorf("sync after appending again: %v", err)
	}
	wantLines(t, readAll(t, log), "one", "two", "\x00\x00\x00\x00\x00", "three")
}

func sidecarOf(name string) string {
	dir, base := filepath.Split(name)
	return dir + "." + base + ".lock"
}

// TestSidecar: the lock file is there while the log is written to and gone
// afterwards; a dead owner's is cleared away, a live one's is done without.
func TestSidecar(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	lock := sidecarOf(path)
	var reports []string
	seen := 0
	watch := errorfs.Wrap(vfs.OS(), func(op errorfs.Op) *errorfs.Fault {
		if op.Kind == errorfs.Write && op.Name == path {
			if data, err := os.ReadFile(lock); err == nil && strings.HasPrefix(string(data), fmt.Sprint(os.Getpid(), ":")) {
				seen++
			}
		}
		return nil
	})
	store := local.New(vfs.On(local.Options{Sidecar: sidecarOf, Report: func(_ string, err error) { reports = append(reports, err.Error()) }}, watch))
	log, mark := create(t, store, path, "one")
	gone := func() {
		t.Helper()
		if _, err := os.Lstat(lock); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("lock file is left: %v", err)
		}
	}
	gone()
	old := time.Now().Add(-time.Hour)
	stale := map[string]string{"two": "999999999:1\n", "three": "nonsense", "four": ""}
	for _, line := range []string{"two", "three", "four"} {
		if err := errors.Join(os.WriteFile(lock, []byte(stale[line]), 0o600), os.Chtimes(lock, old, old)); err != nil {
			t.Fatal(err)
		}
		var err error
		if mark, err = log.Append(t.Context(), mark, byteLines([]string{line})); err != nil {
			t.Fatal(err)
		}
		gone()
	}
	if seen != 4 || len(reports) > 0 {
		t.Errorf("lock file was there at %d of 4 writes; reports %q", seen, reports)
	}
	live := fmt.Sprintf("%d:1\n", os.Getppid())
	if err := os.WriteFile(lock, []byte(live), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(t.Context(), mark, byteLines([]string{"five"})); err != nil {
		t.Errorf("append beside a live lock file: %v", err)
	}
	if data, err := os.ReadFile(lock); err != nil || string(data) != live {
		t.Errorf("a live lock file became %q, %v", data, err)
	}
	if len(reports) != 1 {
		t.Errorf("reports %q, want one", reports)
	}
	wantLines(t, readAll(t, log), "one", "two", "three", "four", "five")
}

// TestForeignWriter: a writer without the lock gets in between, before or
// behind our line; the mark shows that there is something unread.
func TestForeignWriter(t *testing.T) {
	for _, behind := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "a.jsonl")
		intrude := &errorfs.Counter{At: 2, Only: func(op errorfs.Op) bool { return op.Kind == errorfs.Write && op.Name == path }}
		foreign := func() {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err == nil {
				_, err = f.WriteString("foreign\n")
			}
			if err := errors.Join(err, f.Close()); err != nil {
				t.Error(err)
			}
		}
		wrote := false
		store := local.New(vfs.On(local.Options{}, errorfs.Wrap(vfs.OS(), func(op errorfs.Op) *errorfs.Fault {
			if behind && wrote && op.Kind == errorfs.FileStat {
				wrote = false
				foreign()
			}
			if intrude.Inject(op); intrude.Fired() && intrude.Seen() == 2 && op.Kind == errorfs.Write {
				if wrote = behind; !behind {
					foreign()
				}
			}
			return nil
		})))
		log, first := create(t, store, path, "one")
		mark, err := log.Append(t.Context(), first, byteLines([]string{"ours"}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = log.Append(t.Context(), mark, byteLines([]string{"next"}))
		var c *storage.Changed
		if !errors.As(err, &c) || c.Kind != storage.Grown {
			t.Fatalf("behind %v: append: %v, want that it has grown", behind, err)
		}
		found := false
		for line, err := range log.Read(t.Context(), mark) {
			if err != nil {
				t.Fatal(err)
			}
			found = found || string(line.Bytes) == "foreign"
		}
		if !found {
			t.Errorf("behind %v: the foreign line is not after the mark", behind)
		}
		if err := powers.Sync(t.Context(), log); err != nil {
			t.Error(err)
		}
	}
}

// TestMovedAndReplaced: who has a log open that is renamed, and then replaced
// under its new name, is told both and goes on there; nothing comes to be at the
// old name.
func TestMovedAndReplaced(t *testing.T) {
	dir := t.TempDir()
	old, path := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b", "a.jsonl")
	store := local.New(local.Options{Report: report(t)})
	writer, mark := create(t, store, old, "header", "two")
	reader, err := store.Open(t.Context(), old, storage.Read)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reader.Close() })
	if err := store.Rename(t.Context(), old, path); err != nil {
		t.Fatal(err)
	}
	mover := open(t, store, path)
	info, err := mover.Stat(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mover.Replace(t.Context(), info.Mark, retitle); err != nil {
		t.Fatal(err)
	}
	if info, err := reader.Stat(t.Context()); err != nil || info.Name != path {
		t.Errorf("the reader is at %q, %v", info.Name, err)
	}
	_, err = writer.Append(t.Context(), mark, [][]byte{[]byte("three")})
	var c *storage.Changed
	if !errors.As(err, &c) || c.Kind != storage.Replaced || c.Name != path {
		t.Fatalf("append: %v, want to be told that it was replaced, and where", err)
	}
	if _, err := writer.Append(t.Context(), c.Now, [][]byte{[]byte("three")}); err != nil {
		t.Fatal(err)
	}
	wantLines(t, readAll(t, reader), "Header", "two", "three")
	if _, err := os.Lstat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("at the old name: %v", err)
	}
}

// TestReplaceRefused: where the file cannot be renamed over, it stays as it is
// and nothing is left beside it.
func TestReplaceRefused(t *testing.T) {
	for _, kind := range []errorfs.Kind{errorfs.Rename, errorfs.Create, errorfs.Sync, errorfs.Chown, errorfs.FileChmod} {
		mem := crashfs.New()
		refuse := &errorfs.Toggle{Inner: errorfs.Match(errorfs.Fault{Err: syscall.EPERM}, "", kind)}
		store := local.New(vfs.On(local.Options{Report: report(t)}, errorfs.Wrap(mem, refuse.Inject)))
		log, mark := create(t, store, "/a", "header", "two")
		f, err := mem.Open("/a", os.O_RDWR)
		if err := errors.Join(err, f.Chown(7, 8)); err != nil {
			t.Fatal(err)
		}
		refuse.Set(true)
		if _, err := log.Replace(t.Context(), mark, retitle); !errors.Is(err, syscall.EPERM) {
			t.Errorf("%s refused: replace: %v", kind, err)
		}
		refuse.Set(false)
		if names, err := mem.Names("/"); err != nil || len(names) != 1 {
			t.Errorf("%s refused: names %q, %v", kind, names, err)
		}
		if mark, err = log.Append(t.Context(), mark, byteLines([]string{"three"})); err != nil {
			t.Errorf("%s refused: append: %v", kind, err)
		}
		wantLines(t, readAll(t, log), "header", "two", "three")
		if _, err := log.Replace(t.Context(), mark, retitle); err != nil {
			t.Errorf("replace: %v", err)
		}
		if info, err := mem.Lstat("/a"); err != nil || info.UID != 7 || info.GID != 8 {
			t.Errorf("owner is %d, %d, %v", info.UID, info.GID, err)
		}
	}
}

// TestReplaceWithoutLinks: a file system without hard links does without.
func TestReplaceWithoutLinks(t *testing.T) {
	mem := crashfs.New()
	reports := 0
	store := local.New(vfs.On(local.Options{
		Report: func(string, error) { reports++ },
	}, errorfs.Wrap(mem, errorfs.Match(errorfs.Fault{Err: syscall.ENOTSUP}, "", errorfs.Link))))
	log, mark := create(t, store, "/a", "header")
	if _, err := log.Replace(t.Context(), mark, retitle); err != nil || reports != 1 {
		t.Errorf("replace: %v, %d reports", err, reports)
	}
	wantLines(t, readAll(t, log), "Header")
}
