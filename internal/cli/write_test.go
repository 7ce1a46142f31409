package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/cli"
	"github.com/google/go-cmp/cmp"
)

// hello returns the body of a message.
func hello(text string) string {
	return fmt.Sprintf(`{"type":"message","message":{"role":"user","content":%q,"timestamp":1}}`, text) + "\n"
}

// A running is a command whose input is written as it goes.
type running struct {
	in     *io.PipeWriter
	out    *bufio.Reader
	stderr bytes.Buffer // to be read after end
	code   chan int
}

// start runs a command line in the background.
func (m *machine) start(ctx context.Context, args ...string) *running {
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	r := &running{in: stdin, out: bufio.NewReader(stdout), code: make(chan int, 1)}
	go func() {
		code := cli.Run(ctx, args, cli.System{
			Stdin: in, Stdout: out, Stderr: &r.stderr, Env: m.env, Dir: m.dir,
			Now: time.Now, Random: rand.NewChaCha8([32]byte{2}),
		})
		_ = out.Close() // it cannot fail
		r.code <- code
	}()
	return r
}

// say writes a line to the command and returns its answer.
func (r *running) say(t *testing.T, line string) string {
	t.Helper()
	if _, err := io.WriteString(r.in, line); err != nil {
		t.Fatal(err)
	}
	answer, err := r.out.ReadString('\n')
	if err != nil {
		t.Fatalf("answer to %q: %v; stderr: %s", line, err, r.stderr.String())
	}
	return strings.TrimSpace(answer)
}

// TestAppendWhileOthersAppend sees that what two append to one session stays,
// that each goes on from its own entries, and that the later is told, once.
func TestAppendWhileOthersAppend(t *testing.T) {
	m := newMachine(t)
	path := filepath.Join(m.dir, "s.jsonl")
	write(t, path, []byte(aSession))
	r := m.start(context.Background(), "append", path, "--json")
	first := r.say(t, hello("mine"))
	for range 2 {
		m.stdin = hello("theirs")
		if _, stderr, code := m.run("append", path, "--leaf", "aaaaaaaa"); code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
	}
	second := r.say(t, hello("mine again"))
	m.stdin = hello("theirs at last")
	m.run("append", path, "--leaf", "aaaaaaaa")
	r.say(t, hello("mine at last"))
	_ = r.in.Close() // it cannot fail
	if code := <-r.code; code != 0 {
		t.Errorf("exit code %d", code)
	}
	id := regexp.MustCompile(`^\{"id":"(\w+)","parentId":"(\w+)","line":(\d)\}$`)
	a, b := id.FindStringSubmatch(first), id.FindStringSubmatch(second)
	if a == nil || b == nil || a[2] != "aaaaaaaa" || b[2] != a[1] || a[3] != "1" || b[3] != "2" {
		t.Errorf("printed %s and %s", first, second)
	}
	want := fmt.Sprintf(`{"note":{"message":"another process writes this session: what each appends is a branch of its own","path":%q}}`, path) + "\n"
	if diff := cmp.Diff(want, r.stderr.String()); diff != "" {
		t.Errorf("stderr (-want +got):\n%s", diff)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for text, n := range map[string]int{`"mine"`: 1, `"mine again"`: 1, `"mine at last"`: 1, `"theirs"`: 2, `"theirs at last"`: 1} {
		if got := strings.Count(string(data), text); got != n {
			t.Errorf("%s stands %d times in the file, want %d:\n%s", text, got, n, data)
		}
	}
}

// TestAppendPrintsWhatIsThere sees that an id is printed as soon as the entry
// is in the file, not when the input ends.
func TestAppendPrintsWhatIsThere(t *testing.T) {
	m := newMachine(t)
	path := filepath.Join(m.dir, "s.jsonl")
	r := m.start(context.Background(), "append", path)
	for n := range 3 {
		id := r.say(t, hello(fmt.Sprint(n)))
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(data, []byte(`"id":"`+id+`"`)) {
			t.Errorf("%s is printed and not in the file (%v):\n%s", id, err, data)
		}
	}
	_ = r.in.Close() // it cannot fail
	if code := <-r.code; code != 0 {
		t.Errorf("exit code %d: %s", code, r.stderr.String())
	}
}

// TestAppendInterrupted sees that a signal ends an append that waits for input,
// with what came before kept.
func TestAppendInterrupted(t *testing.T) {
	m := newMachine(t)
	path := filepath.Join(m.dir, "s.jsonl")
	ctx, stop := context.WithCancel(context.Background())
	r := m.start(ctx, "append", path)
	id := r.say(t, hello("kept"))
	stop()
	if code := <-r.code; code != 130 || r.stderr.String() != "cambium: interrupted\n" {
		t.Errorf("exit code %d, stderr %q", code, r.stderr.String())
	}
	stdout, _, _ := m.run("entries", path)
	if !strings.Contains(stdout, id) || strings.Count(stdout, "\n") != 1 {
		t.Errorf("entries: %s", stdout)
	}
}

// endless is an input that never ends; stop is called while it is read for the
// last time but few.
type endless struct {
	line string
	left int
	stop func()
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left--; e.left == 0 {
		e.stop()
	}
	return copy(p, strings.Repeat(e.line, max(1, len(p)/len(e.line)))), nil
}

// TestAppendInterruptedAtWork sees that a signal ends an append that has more to
// read, wherever it is, with 130, and that what it printed is what it wrote.
func TestAppendInterruptedAtWork(t *testing.T) {
	t.Parallel()
	for n := range 40 {
		m := newMachine(t)
		path := filepath.Join(m.dir, "s.jsonl")
		ctx, stop := context.WithCancel(context.Background())
		var out, errs bytes.Buffer
		code := cli.Run(ctx, []string{"append", path}, cli.System{
			Stdin: &endless{line: hello("more"), left: 1 + n%5, stop: stop}, Stdout: &out, Stderr: &errs,
			Env: m.env, Dir: m.dir, Now: time.Now, Random: rand.NewChaCha8([32]byte{byte(n)}),
		})
		if code != 130 || errs.String() != "cambium: interrupted\n" {
			t.Fatalf("try %d: exit code %d, stderr %q", n, code, errs.String())
		}
		data, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if printed, there := strings.Count(out.String(), "\n"), max(0, bytes.Count(data, []byte{'\n'})-1); printed != there {
			t.Fatalf("try %d: %d ids are printed, %d entries are in the file", n, printed, there)
		}
	}
}

// TestAppendLongLines appends lines longer than any buffer on the way.
func TestAppendLongLines(t *testing.T) {
	m := newMachine(t)
	path := filepath.Join(m.dir, "s.jsonl")
	long := `{"type":"future","x":"` + strings.Repeat("abc ", 1<<20) + `"}` + "\n"
	m.stdin = hello("first") + long + hello("between") + long
	stdout, stderr, code := m.run("append", "--agent", "pi", path)
	if code != 0 || stderr != "" || strings.Count(stdout, "\n") != 4 {
		t.Fatalf("exit code %d, %d ids: %s", code, strings.Count(stdout, "\n"), stderr)
	}
	stdout, _, _ = m.run("entries", path)
	if strings.Count(stdout, strings.Repeat("abc ", 1<<20)) != 2 {
		t.Error("the long lines are not whole")
	}
}

// writing are the commands that change a session, on aSession.
var writing = []string{
	"append", "label aaaaaaaa name", "rename name", "branch aaaaaaaa", "branch aaaaaaaa --summary text", "branch aaaaaaaa --new",
	"fork", "fork --at aaaaaaaa", "fork --cwd /elsewhere", "move /elsewhere",
}

// with returns a command of the list above, the session put in its place.
func with(line, path string) []string {
	words := strings.Fields(line)
	return append([]string{words[0], path}, words[1:]...)
}

// TestInterruptedBefore sees that a command that is interrupted before it did
// anything does nothing and ends with 130.
func TestInterruptedBefore(t *testing.T) {
	for _, line := range append(writing, "migrate") {
		m := newMachine(t)
		path := filepath.Join(m.dir, "s.jsonl")
		old := strings.Replace(aSession, `"version":3`, `"version":2`, 1)
		write(t, path, []byte(old))
		ctx, stop := context.WithCancel(context.Background())
		stop()
		r := m.start(ctx, with(line, path)...)
		if code := <-r.code; code != 130 || !strings.HasSuffix(r.stderr.String(), "cambium: interrupted\n") {
			t.Errorf("%s: exit code %d, stderr %q", line, code, r.stderr.String())
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != old {
			t.Errorf("%s: %v; the file is now %s", line, err, data)
		}
		if names, err := os.ReadDir(m.dir); err != nil || len(names) != 1 {
			t.Errorf("%s: %v, %v", line, names, err)
		}
	}
}

// TestWriteProtected runs the commands that write on a file that may be read
// but not written, in a directory of the same kind: they are refused with one
// line, and nothing changes. A copy elsewhere can still be made.
func TestWriteProtected(t *testing.T) {
	m := newMachine(t)
	dir := filepath.Join(m.dir, "shelf")
	path := filepath.Join(dir, "s.jsonl")
	write(t, path, []byte(aSession))
	for name, mode := range map[string]os.FileMode{path: 0o444, dir: 0o555} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) }) // so that it can be removed
	before := snapshot(t, dir)
	m.heeds = true
	for _, line := range writing {
		if line == "fork --cwd /elsewhere" {
			continue
		}
		m.stdin = hello("no")
		stdout, stderr, code := m.run(with(line, path)...)
		if code != 6 || stdout != "" || !strings.HasSuffix(stderr, "permission denied; make it and its directory writable and try again\n") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", line, code, stdout, stderr)
		}
	}
	if _, stderr, code := m.run("fork", path, "--cwd", m.home); code != 0 || stderr != "" {
		t.Errorf("fork --cwd: exit code %d: %s", code, stderr)
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("something changed (-before +after):\n%s", diff)
	}
}
