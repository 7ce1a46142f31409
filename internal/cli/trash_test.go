package cli_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/cli"
	"github.com/creack/pty"
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
		master, slave, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, master) }() // ends when the terminal closes
		if _, err := master.WriteString(answer); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		code := cli.Run(context.Background(), []string{"trash", "empty", "--all"}, cli.System{
			Stdin: slave, Stdout: &out, Stderr: slave, Env: m.env, Dir: m.dir,
			Now: time.Now, Random: rand.NewChaCha8([32]byte{2}),
		})
		if err := slave.Close(); err != nil {
			t.Fatal(err)
		}
		if err := master.Close(); err != nil {
			t.Fatal(err)
		}
		left, _, _ := m.run("trash", "ls")
		if gone != (left == "") || gone != (code == 0) || gone != strings.Contains(out.String(), "s.jsonl") {
			t.Errorf("answer %q: exit code %d, printed %q, left %q", answer, code, out.String(), left)
		}
	}
}
