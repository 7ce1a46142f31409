package cli_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/cli"
	"github.com/creack/pty"
)

// TestProgress lists with a clock on which every look takes a second: the bar
// comes, and is gone before the first row; nobody but a terminal sees it.
func TestProgress(t *testing.T) {
	for line, want := range map[string]bool{"ls": true, "recent --all": true, "ls --json": false} {
		t.Run(line, func(t *testing.T) {
			m := furnished(t)
			master, slave, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer master.Close()
			received := make(chan []byte)
			go func() {
				var b bytes.Buffer
				_, _ = io.Copy(&b, master) // ends with an error when the terminal closes
				received <- b.Bytes()
			}()
			now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
			var stdout bytes.Buffer
			code := cli.Run(context.Background(), strings.Fields(line), cli.System{
				Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: slave, Dir: m.dir,
				Env:    append([]string{"PATH=" + os.Getenv("PATH"), "TERM=xterm"}, m.env...),
				Now:    func() time.Time { now = now.Add(time.Second); return now },
				Random: rand.NewChaCha8([32]byte{1}),
			})
			if err := slave.Close(); err != nil {
				t.Fatal(err)
			}
			shown := string(<-received)
			if code != 0 || strings.Count(stdout.String(), "garden") < 2 {
				t.Errorf("exit code %d, rows:\n%s", code, stdout.String())
			}
			if got := strings.Contains(shown, "read sessions:"); got != want {
				t.Errorf("a bar: %v, want %v: %q", got, want, shown)
			}
			if want && !strings.HasSuffix(shown, "\r\x1b[K") {
				t.Errorf("the bar stays: %q", shown)
			}
		})
	}
}
