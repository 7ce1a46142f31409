package local_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

// appendShared appends lines beside another program that wants its lock file, until
// standard input ends, and says how many.
func appendShared(ctx context.Context, path, id string) error {
	told := error(nil)
	log, err := local.New(local.Options{Sidecar: sidecarOf, Report: func(_ string, err error) { told = err }}).Open(ctx, path, storage.Write)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is closed
		close(ended)
	}()
	info, err := log.Stat(ctx)
	mark, n := info.Mark, 0
	for err == nil && told == nil {
		mark, err = log.Append(ctx, mark, [][]byte{fmt.Appendf(nil, "%s-%d", id, n)})
		var c *storage.Changed
		switch {
		case err == nil:
			if n++; n == 1 {
				fmt.Println("begun")
			}
		case errors.As(err, &c):
			mark, err = c.Now, nil
			continue
		}
		select {
		case <-ended:
			fmt.Println(n)
			return errors.Join(err, log.Close())
		default:
		}
	}
	return errors.Join(err, told, log.Close())
}

// standIn writes to a file as omp 18.2.3 does: it makes the lock file, which must not
// be there, tries that again every 2 ms, and gives up at the 250th time. The file is
// opened again when another has its name.
func standIn(path, line string) error {
	lock := sidecarOf(path)
	content := fmt.Sprintf("%d:%d\n", os.Getpid(), time.Now().UnixMilli())
	for n := 0; ; n++ {
		f, err := os.OpenFile(lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_, err = f.WriteString(content)
			if err = errors.Join(err, f.Close()); err != nil {
				return err
			}
			break
		}
		if n == 250 || !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("publish lock unavailable: %w", err)
		}
		<-time.After(2 * time.Millisecond)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString(line + "\n")
		err = errors.Join(err, f.Close())
	}
	now, readErr := os.ReadFile(lock)
	if readErr != nil || string(now) != content {
		return fmt.Errorf("the lock file was taken away: %q, %w", now, errors.Join(err, readErr))
	}
	return errors.Join(err, os.Remove(lock))
}

// TestSharedSidecar: four processes append without a pause; another program, which
// gives up its lock file after half a second, always gets it. Nothing is lost, and
// nobody does without the lock.
func TestSharedSidecar(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	log, _ := create(t, local.New(local.Options{}), path, "start")
	const writers, saves = 4, 40
	type process struct {
		stdin io.Closer
		out   *bufio.Reader
		wait  func() error
	}
	var all []process
	for w := range writers {
		cmd := child(t, "sharer", path, fmt.Sprint(w))
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, process{stdin, bufio.NewReader(stdout), cmd.Wait})
	}
	for w, p := range all {
		if text, err := p.out.ReadString('\n'); err != nil {
			t.Fatalf("writer %d: %q, %v", w, text, errors.Join(err, p.wait()))
		}
	}
	want := []string{"start"}
	for i := range saves {
		line := fmt.Sprintf("other-%d", i)
		if err := standIn(path, line); err != nil {
			t.Errorf("save %d: %v", i, err)
		}
		want = append(want, line)
	}
	for w, p := range all {
		_ = p.stdin.Close()
		text, err := p.out.ReadString('\n')
		if err := errors.Join(err, p.wait()); err != nil {
			t.Fatalf("writer %d: %q, %v", w, text, err)
		}
		n := 0
		if _, err := fmt.Sscan(text, &n); err != nil || n == 0 {
			t.Errorf("writer %d wrote %q lines", w, text)
		}
		for i := range n {
			want = append(want, fmt.Sprintf("%d-%d", w, i))
		}
	}
	counts := map[string]int{}
	for _, line := range readAll(t, log) {
		counts[line]++
	}
	for _, line := range want {
		if counts[line] != 1 {
			t.Errorf("%q is there %d times", line, counts[line])
		}
	}
	if len(counts) != len(want) {
		t.Errorf("%d lines, want %d", len(counts), len(want))
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// TestHandedOnSidecar: a lock file that a writer of ours left, and that names a
// living process, is taken over at once; one of the other program is not.
func TestHandedOnSidecar(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	store := local.New(local.Options{Sidecar: sidecarOf})
	log, mark := create(t, store, path, "one")
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(sidecarOf(path), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx := powers.WithoutWaiting(t.Context())
	write(fmt.Sprintf("%d:%d\n", os.Getppid(), time.Now().UnixMilli()))
	if _, err := log.Append(ctx, mark, byteLines([]string{"two"})); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("beside another program: %v", err)
	}
	for _, since := range []int64{time.Now().UnixMilli(), 1} {
		write(fmt.Sprintf("%d:%d\t\n", os.Getppid(), since))
		var err error
		if mark, err = log.Append(ctx, mark, byteLines([]string{"two"})); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(sidecarOf(path)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the lock file is left: %v", err)
		}
	}
	wantLines(t, readAll(t, log), "one", "two", "two")
}

// TestStoppedWriter: while another holds the lock, reading and looking go on; writing
// says who it is and changes nothing; what is waited for is kept for who waited.
func TestStoppedWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	log, mark := create(t, local.New(local.Options{}), path, "one")
	other, err := vfs.OS().Open(path, os.O_RDWR|os.O_APPEND)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx := vfs.WithPatience(t.Context(), 5*time.Millisecond)
	lines := byteLines([]string{"two"})
	retitled := func(*testing.T) error { _, err := log.Replace(ctx, mark, retitle); return err }
	for name, call := range map[string]func(*testing.T) error{
		"append":  func(*testing.T) error { _, err := log.Append(ctx, mark, lines); return err },
		"replace": retitled,
		"slot": func(*testing.T) error {
			_, err := powers.WriteSlot(ctx, log, mark, []byte("one"), []byte("two"))
			return err
		},
		"await": func(*testing.T) error { return powers.Await(ctx, log) },
		"move": func(*testing.T) error {
			return powers.Move(ctx, local.New(local.Options{}), log, mark, path, path+"2")
		},
		"rename": func(*testing.T) error { return local.New(local.Options{}).Rename(ctx, path, path+"2") },
		"remove": func(*testing.T) error { return local.New(local.Options{}).Remove(ctx, path) },
	} {
		err := call(t)
		var locked *storage.Locked
		if !errors.As(err, &locked) || !errors.Is(err, storage.ErrLocked) || locked.Todo == "" {
			t.Errorf("%s: %v", name, err)
		}
		if locked != nil && locked.PID != 0 && locked.PID != os.Getpid() {
			t.Errorf("%s: held by %+v", name, locked)
		}
	}
	wantLines(t, readAll(t, log), "one")
	if _, err := log.Append(t.Context(), mark, nil); err != nil {
		t.Errorf("look: %v", err)
	}
	if _, err := other.Write([]byte("theirs\n")); err != nil {
		t.Fatal(err)
	}
	var c *storage.Changed
	if _, err := log.Append(t.Context(), mark, nil); !errors.As(err, &c) || c.Kind != storage.Grown {
		t.Fatalf("look: %v", err)
	}
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := powers.Await(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(powers.WithoutWaiting(t.Context()), c.Now, lines); err != nil && !strings.Contains(err.Error(), "locked") {
		t.Error(err) // it may be late for what was kept
	}
}
