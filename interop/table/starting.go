package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/cambium-dev/cambium/internal/peers"
)

// starting is the group of rows about what starting a process takes.
const starting = "starting a process"

// starting measures the shortest thing that the programs do, whole processes.
func (b *bench) starting() ([]row, error) {
	home, err := os.MkdirTemp(b.dir, "home-")
	if err != nil {
		return nil, err
	}
	one := []measure{func() (peers.Measurement, error) { return b.whole(home, b.command, "--version") }, nil, nil}
	for i, p := range both() {
		if err := p.Check(b.root); err != nil {
			return nil, err
		}
		program := filepath.Join(b.root, "interop", string(p), "node_modules", ".bin", string(p))
		one[1+i] = func() (peers.Measurement, error) { return b.whole(home, p.Runtime(b.root), program, "--version") }
	}
	r, err := b.row(one, false)
	r.file, r.name, r.wanted, r.wantedMemory = starting, "--version, from start to end", 10, 1
	return []row{r}, err
}

// listed measures cambium ls of a directory in a new process with what the index
// kept, from its start to its end, against 60 ms in the column of pi.
func (b *bench) listed(dir string) (row, error) {
	home, err := os.MkdirTemp(b.dir, "home-")
	if err != nil {
		return row{}, err
	}
	ls := func() (peers.Measurement, error) {
		return b.whole(home, b.command, "ls", "--session-dir", dir, "--limit", "0")
	}
	if _, err := ls(); err != nil { // fills the index
		return row{}, err
	}
	r, err := b.row([]measure{ls, nil, nil}, false)
	r.file, r.name, r.wanted = listing, "cambium ls, warm, from start to end (beside 60 ms)", 1
	r.cells[1].time = 60
	return r, err
}

// whole runs a program from its start to its end.
func (b *bench) whole(home, program string, args ...string) (m peers.Measurement, err error) {
	cmd := exec.CommandContext(b.ctx, program, args...)
	cmd.Dir, cmd.Env = home, peers.Env(home)
	from := time.Now()
	out, err := cmd.CombinedOutput()
	m.Milliseconds = float64(time.Since(from).Microseconds()) / 1000
	if err != nil {
		return m, fmt.Errorf("run %s: %w: %s", filepath.Base(program), err, out)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.PeakKB = usage.Maxrss
	}
	return m, nil
}
