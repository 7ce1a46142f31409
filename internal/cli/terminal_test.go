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
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/creack/pty"
)

// onTerminal runs a command line with stdout on a terminal of 60 columns and
// returns what the terminal received.
func onTerminal(t *testing.T, m *machine, rows uint16, args ...string) string {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	if err := pty.Setsize(slave, &pty.Winsize{Rows: rows, Cols: 60}); err != nil {
		t.Fatal(err)
	}
	received := make(chan []byte)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, master) // ends with an error when the terminal closes
		received <- b.Bytes()
	}()
	var stderr bytes.Buffer
	code := cli.Run(context.Background(), args, cli.System{
		Stdin: strings.NewReader(""), Stdout: slave, Stderr: &stderr, Dir: m.dir,
		Env:    append([]string{"PATH=" + os.Getenv("PATH"), "TERM=xterm"}, m.env...),
		Now:    func() time.Time { return time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC) },
		Random: rand.NewChaCha8([32]byte{1}),
	})
	if code != 0 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	if err := slave.Close(); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(<-received), "\r\n", "\n")
}

// TestTerminal sees what only a terminal gets: colour, unless it is refused, and
// a pager for what is longer than the screen.
func TestTerminal(t *testing.T) {
	m := furnished(t)
	m.env = append(m.env, "PAGER=sed s/^/PAGED:/")
	plain, _, _ := m.run("show", "0195643d")

	coloured := onTerminal(t, m, 100, "show", "0195643d")
	if !strings.Contains(coloured, "\x1b[") {
		t.Errorf("no colour: %q", coloured)
	}
	bare := coloured
	for _, seq := range term.Sequences() {
		bare = strings.ReplaceAll(bare, seq, "")
	}
	if strings.Contains(bare, "\x1b") {
		t.Errorf("sequences that are not ours: %q", bare)
	}
	if strings.Contains(coloured, "PAGED:") {
		t.Error("paged although it fits the screen")
	}
	for _, args := range [][]string{{"--no-color", "show", "0195643d"}, {"show", "0195643d"}} {
		refused := *m
		if args[0] == "show" {
			refused.env = append(refused.env, "NO_COLOR=1")
		}
		if got := onTerminal(t, &refused, 100, args...); strings.Contains(got, "\x1b") || len(got) == 0 {
			t.Errorf("%v: coloured although refused: %q", args, got)
		}
	}
	paged := onTerminal(t, m, 8, "show", "0195643d")
	for line := range strings.Lines(paged) {
		if !strings.HasPrefix(line, "PAGED:") {
			t.Fatalf("not paged: %q", line)
		}
	}
	if strings.Contains(plain, "\x1b") || strings.Contains(plain, "PAGED:") {
		t.Error("what is piped is not plain")
	}
}
