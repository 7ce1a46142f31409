package local_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

// role says what a child process of these tests does, file where.
const role, file, who = "STORAGE_LOCAL_ROLE", "STORAGE_LOCAL_FILE", "STORAGE_LOCAL_WHO"

// each is how many lines a process appends.
const each = 500

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(role) {
	case "":
		scratch.InMemory()
		os.Exit(m.Run())
	case "appender":
		err = appendMany(context.Background(), os.Getenv(file), os.Getenv(who))
	case "sharer":
		err = appendShared(context.Background(), os.Getenv(file), os.Getenv(who))
	case "holder":
		err = holdOpen(os.Getenv(file))
	case "creator":
		scratch.Umask(0)
		if os.Getenv(who) != "000" {
			scratch.Umask(map[string]int{"022": 0o022, "077": 0o077, "777": 0o777}[os.Getenv(who)])
		}
		err = createAndReplace(os.Getenv(file))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child prepares a process with a role.
func child(t *testing.T, name, path, id string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), role+"="+name, file+"="+path, who+"="+id)
	cmd.Stderr = os.Stderr
	return cmd
}

// appendMany appends lines as a careful caller does, syncing now and then.
func appendMany(ctx context.Context, path, id string) error {
	log, err := local.New(local.Options{}).Open(ctx, path, storage.Write)
	if err != nil {
		return err
	}
	info, err := log.Stat(ctx)
	mark := info.Mark
	for i := 0; i < each && err == nil; {
		mark, err = log.Append(ctx, mark, [][]byte{fmt.Appendf(nil, "%s-%d", id, i)})
		var c *storage.Changed
		switch {
		case err == nil:
			i++
		case errors.As(err, &c):
			mark, err = c.Now, nil
		}
	}
	return errors.Join(err, log.Close())
}

// holdOpen is a program that knows nothing of locks: it opens a file once, and
// for each line on its standard input appends that.
func holdOpen(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	fmt.Println("open")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if _, err := f.WriteString(in.Text() + "\n"); err != nil {
			return err
		}
		fmt.Println("written")
	}
	return f.Close()
}

func createAndReplace(path string) error {
	ctx := context.Background()
	log, err := local.New(local.Options{}).Open(ctx, path, storage.Create)
	if err != nil {
		return err
	}
	mark, err := log.Append(ctx, storage.Mark{}, [][]byte{[]byte("one")})
	if err == nil {
		_, err = log.Replace(ctx, mark, retitle)
	}
	return errors.Join(err, log.Close())
}

// TestProcesses: four processes append at once, while the log is replaced
// under them; none of their lines is lost or there twice.
func TestProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	log, mark := create(t, local.New(local.Options{}), path, "start")
	var cmds []*exec.Cmd
	for w := range 4 {
		cmd := child(t, "appender", path, fmt.Sprint(w))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for n := 0; n < 5; {
		next, err := log.Replace(t.Context(), mark, retitle)
		var c *storage.Changed
		switch {
		case errors.As(err, &c):
			mark = c.Now
		case err != nil:
			t.Fatal(err)
		default:
			mark = next
			n++
		}
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("appender: %v", err)
		}
	}
	next := make(map[string]int)
	lines := readAll(t, log)
	for _, line := range lines[1:] {
		var w string
		var i int
		if _, err := fmt.Sscanf(line, "%1s-%d", &w, &i); err != nil || i != next[w] {
			t.Errorf("line %q where %d was to come", line, next[w])
		}
		next[w] = i + 1
	}
	if len(lines) != 4*each+1 {
		t.Errorf("%d lines, want %d", len(lines), 4*each+1)
	}
	// While they ran, the processes had the old inodes open. Nothing is to be
	// carried over from them any more.
	if got := readAll(t, open(t, local.New(local.Options{Report: report(t)}), path)); len(got) != len(lines) {
		t.Errorf("%d lines after opening again, want %d", len(got), len(lines))
	}
	if names := dirNames(t, path); len(names) != 1 {
		t.Errorf("left behind: %q", names)
	}
}

// holder is a running child that holds a file open.
type holder struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startHolder(t *testing.T, path string) *holder {
	t.Helper()
	h := &holder{t: t, cmd: child(t, "holder", path, "")}
	in, err1 := h.cmd.StdinPipe()
	out, err2 := h.cmd.StdoutPipe()
	if err := errors.Join(err1, err2, h.cmd.Start()); err != nil {
		t.Fatal(err)
	}
	h.in, h.out = in, bufio.NewReader(out)
	h.expect("open\n")
	return h
}

func (h *holder) expect(want string) {
	h.t.Helper()
	if got, err := h.out.ReadString('\n'); got != want {
		h.t.Fatalf("holder said %q, %v; want %q", got, err, want)
	}
}

func (h *holder) write(line string) {
	h.t.Helper()
	if _, err := io.WriteString(h.in, line+"\n"); err != nil {
		h.t.Fatal(err)
	}
	h.expect("written\n")
}

func (h *holder) stop() {
	h.t.Helper()
	if err := errors.Join(h.in.Close(), h.cmd.Wait()); err != nil {
		h.t.Error(err)
	}
}

// TestReplaceKeepsLateLines: a program that goes on appending to the file that
// was replaced loses nothing, and the old inode goes when the program does.
func TestReplaceKeepsLateLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	store := local.New(local.Options{Report: report(t)})
	log, mark := create(t, store, path, "header", "two")
	h := startHolder(t, path)
	if _, err := log.Replace(t.Context(), mark, retitle); err != nil {
		t.Fatal(err)
	}
	if names := dirNames(t, path); len(names) != 2 || names[0] != ".a.jsonl.cambium-old-11" {
		t.Errorf("names are %q, want the old inode beside the log", names)
	}
	h.write("late one")
	wantLines(t, readAll(t, open(t, store, path)), "Header", "two", "late one")
	h.write("late two")
	wantLines(t, readAll(t, open(t, store, path)), "Header", "two", "late one", "late two")
	if names := dirNames(t, path); len(names) != 2 || names[0] != ".a.jsonl.cambium-old-29" {
		t.Errorf("names are %q, want the old inode with what is done", names)
	}
	if err := store.Rename(t.Context(), path, filepath.Dir(path)+"/b.jsonl"); err != nil {
		t.Fatal(err)
	}
	h.write("late three")
	h.stop()
	path = filepath.Dir(path) + "/b.jsonl"
	wantLines(t, readAll(t, open(t, store, path)), "Header", "two", "late one", "late two", "late three")
	if names := dirNames(t, path); len(names) != 1 {
		t.Errorf("left behind: %q", names)
	}
}

// TestModes: what is created is private whatever the umask, before and after
// it is replaced.
func TestModes(t *testing.T) {
	for _, umask := range []string{"000", "022", "077", "777"} {
		path := filepath.Join(t.TempDir(), "new/dir/a.jsonl")
		if out, err := child(t, "creator", path, umask).Output(); err != nil {
			t.Fatalf("umask %s: %v %s", umask, err, out)
		}
		for name, want := range map[string]os.FileMode{
			path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir, filepath.Dir(filepath.Dir(path)): 0o700 | os.ModeDir,
		} {
			if info, err := os.Stat(name); err != nil || info.Mode() != want {
				t.Errorf("umask %s: %q has mode %v, %v; want %v", umask, name, info.Mode(), err, want)
			}
		}
	}
}

func dirNames(t *testing.T, path string) []string {
	t.Helper()
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range list {
		names = append(names, entry.Name())
	}
	return names
}

func create(t *testing.T, store storage.Store, path string, lines ...string) (storage.Log, storage.Mark) {
	t.Helper()
	log, err := store.Open(t.Context(), path, storage.Create)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	mark, err := log.Append(t.Context(), storage.Mark{}, byteLines(lines))
	if err != nil {
		t.Fatal(err)
	}
	return log, mark
}

func open(t *testing.T, store storage.Store, path string) storage.Log {
	t.Helper()
	log, err := store.Open(t.Context(), path, storage.Write)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	return log
}

func byteLines(lines []string) [][]byte {
	out := make([][]byte, len(lines))
	for i, line := range lines {
		out[i] = []byte(line)
	}
	return out
}

func readAll(t *testing.T, log storage.Log) []string {
	t.Helper()
	var lines []string
	for line, err := range log.Read(t.Context(), storage.Mark{}) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line.Bytes))
	}
	return lines
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got lines\n%s\nwant\n%s", g, w)
	}
}
