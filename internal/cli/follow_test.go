package cli_test

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/cli"
)

// A following is a command that runs until it is interrupted.
type following struct {
	t        *testing.T
	out, err *bufio.Reader
	stop     context.CancelFunc
	code     chan int
}

// following runs a command line in the background.
func (m *machine) following(t *testing.T, args ...string) *following {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, outW := io.Pipe()
	errs, errW := io.Pipe()
	f := &following{t: t, out: bufio.NewReader(out), err: bufio.NewReader(errs), stop: stop, code: make(chan int, 1)}
	go func() {
		f.code <- cli.Run(ctx, args, cli.System{
			Stdin: strings.NewReader(""), Stdout: outW, Stderr: errW, Env: m.env, Dir: m.dir,
			Now: time.Now, Random: rand.NewChaCha8([32]byte{1}),
		})
		_ = outW.Close()
		_ = errW.Close()
	}()
	t.Cleanup(stop)
	return f
}

// want reads a line that holds text.
func (f *following) want(r *bufio.Reader, text string) {
	f.t.Helper()
	line, err := r.ReadString('\n')
	if err != nil || !strings.Contains(line, text) {
		f.t.Fatalf("line %q, want one with %q: %v", line, text, err)
	}
}

func appendTo(t *testing.T, path, lines string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(lines); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// said is the line of a user's message.
func said(id, parent string) string {
	return `{"type":"message","id":"` + id + `","parentId":"` + parent + `","timestamp":"2026-03-01T09:00:09.000Z","message":{"role":"user","content":"said in ` + id + `","timestamp":9}}` + "\n"
}

// TestFollowShowsWhatComes goes through all that may become of the file.
func TestFollowShowsWhatComes(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	path := filepath.Join(m.dir, "s.jsonl")
	write(t, path, []byte(aSession))
	f := m.following(t, "follow", path, "--json", "-n", "1")
	f.want(f.out, `"id":"aaaaaaaa"`)
	appendTo(t, path, said("bbbbbbbb", "aaaaaaaa"))
	f.want(f.out, `"id":"bbbbbbbb"`)
	appendTo(t, path, said("cccccccc", "aaaaaaaa")+said("dddddddd", "bbbbbbbb"))
	f.want(f.out, `"id":"cccccccc"`)
	f.want(f.out, `"id":"dddddddd"`)

	// A line that is not whole yet is shown once it is.
	line := said("eeeeeeee", "dddddddd")
	appendTo(t, path, line[:50])
	appendTo(t, path, line[50:])
	f.want(f.out, strings.TrimSpace(line))

	moved := filepath.Join(m.dir, "moved.jsonl")
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	f.want(f.err, "it was moved, to "+moved)
	appendTo(t, moved, said("ffffffff", "eeeeeeee"))
	f.want(f.out, `"id":"ffffffff"`)

	// Written anew with one entry more: only that one is shown.
	data, err := os.ReadFile(moved)
	if err != nil {
		t.Fatal(err)
	}
	write(t, moved+".new", append(data, said("00000001", "ffffffff")...))
	if err := os.Rename(moved+".new", moved); err != nil {
		t.Fatal(err)
	}
	f.want(f.err, "written anew, or another file took its place")
	f.want(f.out, `"id":"00000001"`)

	if err := os.Truncate(moved, int64(len(aSession))); err != nil {
		t.Fatal(err)
	}
	f.want(f.err, "it was cut short")
	appendTo(t, moved, said("00000002", "aaaaaaaa"))
	f.want(f.out, `"id":"00000002"`)

	if err := os.Remove(moved); err != nil {
		t.Fatal(err)
	}
	f.want(f.err, "it is not there any more; waiting for it")
	if _, err := os.Stat(moved); err == nil {
		t.Error("following put the file back")
	}
	write(t, moved+".new", []byte(aSession+said("00000003", "aaaaaaaa")))
	if err := os.Rename(moved+".new", moved); err != nil {
		t.Fatal(err)
	}
	f.want(f.err, "another file took its place")
	f.want(f.out, `"id":"00000003"`)

	f.stop()
	f.want(f.err, "interrupted")
	if code := <-f.code; code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
}

// TestFollowIsPlainLikeShow shows entries of two branches that come together.
func TestFollowIsPlainLikeShow(t *testing.T) {
	m := newMachine(t)
	path := filepath.Join(m.dir, "s.jsonl")
	write(t, path, []byte(aSession))
	f := m.following(t, "follow", path, "-n", "1")
	until := func(text string) {
		t.Helper()
		for {
			line, err := f.out.ReadString('\n')
			if err != nil {
				t.Fatalf("ended before %q: %v", text, err)
			}
			if strings.Contains(line, text) {
				return
			}
		}
	}
	until("hi")
	appendTo(t, path, said("bbbbbbbb", "aaaaaaaa")+said("cccccccc", "bbbbbbbb")+said("dddddddd", "aaaaaaaa"))
	for _, id := range []string{"bbbbbbbb", "cccccccc", "dddddddd"} {
		until("said in " + id)
	}
	f.stop()
	f.want(f.err, "interrupted")
	if code := <-f.code; code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
}
