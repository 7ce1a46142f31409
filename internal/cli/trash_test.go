package cli_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/cli"
)

// TestEmptyAsks sees that the whole trash is deleted on a terminal only when the
// answer is yes.
func TestEmptyAsks(t *testing.T) {
	for answer, gone := range map[string]bool{"\n": false, "n\n": false, "maybe\n": false, "y\n": true, "YES\n": true} {
		m := newMachine(t)
		write(t, filepath.Join(m.dir, "s.jsonl"), []byte(aSession))
		if _, stderr, code := m.run("rm", "./s.jsonl"); code != 0 {
			t.Fatal(stderr)
		}
		code, shown, _ := talk{question: "for good? [y/N] ", answer: answer}.hold(t, m, "trash", "empty", "--all")
		left, _, _ := m.run("trash", "ls")
		if gone != (left == "") || gone != (code == 0) || gone != strings.Contains(shown, "s.jsonl") {
			t.Errorf("answer %q: exit code %d, shown %q, left %q", answer, code, shown, left)
		}
	}
}

// TestC45NothingAges sees that what is in the trash stays for years, whatever
// else is done.
func TestC45NothingAges(t *testing.T) {
	m := newMachine(t)
	at := func(year int, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		code := cli.Run(context.Background(), args, cli.System{
			Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Env: m.env, Dir: m.dir,
			Now:    func() time.Time { return time.Date(year, 3, 10, 12, 0, 0, 0, time.UTC) },
			Random: rand.NewChaCha8([32]byte{byte(year)}),
		})
		if code != 0 {
			t.Fatalf("%v in %d: exit code %d: %s", args, year, code, errs.String())
		}
		return out.String()
	}
	path, other := filepath.Join(m.dir, "s.jsonl"), filepath.Join(m.dir, "t.jsonl")
	write(t, path, []byte(aSession))
	write(t, other, []byte(aSession))
	at(2001, "rm", path)
	for _, args := range [][]string{{"ls"}, {"rename", other, "a name"}, {"rm", other}, {"undo"}, {"trash", "ls"}} {
		at(2026, args...)
	}
	if list := at(2090, "trash", "ls"); !strings.Contains(list, path) {
		t.Errorf("trash: %q", list)
	}
	at(2091, "undo") // of the rename
	at(2092, "undo")
	if got := read(t, path); got != aSession {
		t.Errorf("came back as %q", got)
	}
}

// TestC64BlobsStay sees that no removal deletes a blob: who else uses it cannot
// be known.
func TestC64BlobsStay(t *testing.T) {
	m := newMachine(t)
	ref := strings.Repeat("ab", 32)
	blob := filepath.Join(m.home, ".omp/agent/blobs", ref)
	path := filepath.Join(m.home, ".omp/agent/sessions/-a/s.jsonl")
	write(t, blob, []byte("picture"))
	write(t, path, []byte(strings.Replace(aSession, `"content":"hi"`, `"content":[{"type":"image","mimeType":"image/png","data":"blob:sha256:`+ref+`"}]`, 1)))
	for _, args := range [][]string{{"rm", path}, {"trash", "empty", "--all", "--yes"}} {
		if _, stderr, code := m.run(args...); code != 0 {
			t.Fatalf("%v: %s", args, stderr)
		}
	}
	if got := read(t, blob); got != "picture" {
		t.Errorf("blob: %q", got)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
