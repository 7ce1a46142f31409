//go:build large

package interop_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// longLine writes a session whose second message, of the role, is a line of
// size bytes, and returns its name.
func longLine(t *testing.T, role string, size int) (name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "session.jsonl")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	entry := func(n int, parent, message, end string) string {
		return fmt.Sprintf(`{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-01-02T03:04:0%d.000Z","message":{"role":%s%s`, n, parent, n, message, end)
	}
	const end = `","timestamp":1}}` + "\n"
	fmt.Fprintln(w, `{"type":"session","version":3,"id":"long0001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/"}`)
	w.WriteString(entry(1, "null", `"user","content":"hello`, end))
	after := end
	if role == "user" {
		w.WriteString(entry(2, `"00000001"`, `"user","content":"`, ""))
	} else {
		w.WriteString(entry(2, `"00000001"`, `"assistant","content":[{"type":"text","text":"`, ""))
		after = `"}],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1}}` + "\n"
	}
	const text = `the session branch reads a line and keeps every byte\n`
	for range size / len(text) {
		w.WriteString(text)
	}
	w.WriteString(after)
	w.WriteString(entry(3, `"00000002"`, `"user","content":"bye`, end))
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

// peak runs a program, in an empty home, and returns the greatest memory it ever
// had, in KiB, and how much it printed.
func peak(t *testing.T, program string, args ...string) (kib int64, printed *bytes.Buffer) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	home := t.TempDir()
	cmd.Env = []string{"HOME=" + home, "TMPDIR=" + home, "PATH=" + os.Getenv("PATH")}
	var complaints bytes.Buffer
	printed = new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = &first{to: printed, n: 1 << 20}, &complaints
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v: %s", filepath.Base(program), strings.Join(args, " "), err, complaints.Bytes())
	}
	return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss, printed
}

// first keeps the first n bytes that are written to it.
type first struct {
	to *bytes.Buffer
	n  int
}

func (w *first) Write(p []byte) (int, error) {
	keep := min(len(p), w.n)
	w.n -= keep
	w.to.Write(p[:keep])
	return len(p), nil
}

// TestLargeLine opens a session with one line of 600 MB: the line is never held
// to open it, and once at most to rebuild the context and to read its messages.
// The command shows a line of 300 MB within twice that.
func TestLargeLine(t *testing.T) {
	const size, mega = 600_000_000, 1_000_000 / 1024.0
	bench, cambium := built(t, "./bench"), built(t, "github.com/cambium-dev/cambium/cmd/cambium")
	for _, role := range []string{"user", "assistant"} {
		path := longLine(t, role, size)
		for _, tt := range []struct {
			op    string
			limit float64 // in megabytes
		}{{"open", 100}, {"context", 1.1 * size / 1e6}, {"read", 1.1 * size / 1e6}} {
			kib, _ := peak(t, bench, tt.op, path)
			t.Logf("%s, %s: at most %.0f MB", role, tt.op, float64(kib)/mega)
			if float64(kib) > tt.limit*mega {
				t.Errorf("%s %s took %d KiB, limit %.0f MB", role, tt.op, kib, tt.limit)
			}
		}
		path = longLine(t, role, size/2)
		for _, args := range [][]string{
			{"context"}, {"context", "--json"}, {"context", "--llm"}, {"context", "--llm", "--json"}, {"show"}, {"tree"},
		} {
			kib, out := peak(t, cambium, append(args, path)...)
			t.Logf("%s, %v: at most %.0f MB", role, args, float64(kib)/mega)
			if float64(kib) > 700*mega {
				t.Errorf("%s %v took %d KiB, limit 700 MB", role, args, kib)
			}
			if !strings.Contains(out.String(), "keeps every byte") {
				t.Errorf("%s %v does not show the message", role, args)
			}
		}
	}
}

// TestLargeList lists a directory with a session of 2 GB: of large entries, and
// of more than three million small ones.
func TestLargeList(t *testing.T) {
	bench, cambium := built(t, "./bench"), built(t, "github.com/cambium-dev/cambium/cmd/cambium")
	for kind, messages := range map[string]string{"big": `"messageCount":165`, "small": `"messageCount":31`} {
		dir := t.TempDir()
		path := filepath.Join(dir, "2026-01-02T03-04-05-000Z_00000001.jsonl")
		if out, err := exec.CommandContext(t.Context(), bench, "corpus", kind, fmt.Sprint(2*gigabyte), path).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		kib, out := peak(t, cambium, "ls", "--session-dir", dir, "--json")
		t.Logf("%s: at most %d KiB", kind, kib)
		if kib > 64_000_000/1024 {
			t.Errorf("the listing of %s entries took %d KiB, limit 64 MB", kind, kib)
		}
		if !strings.Contains(out.String(), path) || !strings.Contains(out.String(), messages) {
			t.Errorf("listed %s", out)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// built builds a command of this module.
func built(t *testing.T, dir string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}
