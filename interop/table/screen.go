//go:build linux

package main

import (
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
)

// browsed measures the browser of a home, from the start of the process until
// its first frame stands, against 100 ms in the column of pi, and until there
// are sessions in it. What the rows are called begins with name.
func (b *bench) browsed(home, name string) (rows []row, err error) {
	if _, err := b.whole(home, b.command, "ls", "--limit", "1"); err != nil { // fills the index
		return nil, err
	}
	for _, see := range []struct {
		name, text string
		limit      float64 // ms
	}{
		{"the browser's first frame (beside 100 ms)", "type to search", 100},
		{"the browser, first sessions shown", "›", 0},
	} {
		name := name + see.name
		if !b.wants(name) {
			continue
		}
		r, err := b.row([]measure{func() (peers.Measurement, error) { return b.until(home, see.text) }, nil, nil}, false)
		if err != nil {
			return nil, err
		}
		r.file, r.name = growth, name
		if see.limit > 0 {
			r.wanted, r.cells[1].time = 1, see.limit
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// until runs the browser on a terminal of 120 by 40 until the text stands on it.
func (b *bench) until(home, text string) (m peers.Measurement, err error) {
	cmd := exec.CommandContext(b.ctx, b.command)
	cmd.Dir, cmd.Env = home, append(peers.Env(home), "TERM=xterm-256color")
	from := time.Now()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		return m, err
	}
	defer func() { _ = tty.Close() }() // only read from
	var seen strings.Builder
	part := make([]byte, 1<<16)
	for !strings.Contains(ansi.Strip(seen.String()), text) {
		n, err := tty.Read(part)
		seen.Write(part[:n])
		if err != nil {
			_ = cmd.Wait()
			return m, fmt.Errorf("browse: %q never stood on the screen: %w", text, err)
		}
	}
	m.Milliseconds = float64(time.Since(from).Microseconds()) / 1000
	if m.PeakKB, err = peers.PeakKB(cmd.Process.Pid); err != nil {
		return m, err
	}
	if _, err := tty.Write([]byte{3}); err != nil { // ctrl+c
		return m, err
	}
	for {
		if _, err := tty.Read(part); err != nil {
			break // it has ended
		}
	}
	if err := cmd.Wait(); err != nil {
		return m, fmt.Errorf("browse: %w", err)
	}
	return m, nil
}
