//go:build linux

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/cambium-dev/cambium/interop/peers"
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
	_, r, err := b.run(home, program, args...)
	return peers.Measurement{Milliseconds: milliseconds(r.took), PeakKB: r.kb}, err
}

// A report is what is known of a program that has ended: when it was started, how
// long it ran, and its greatest memory in KiB.
type report struct {
	from time.Time
	took time.Duration
	kb   int64
}

// run runs a program in a home through one that is small, and returns what it wrote.
func (b *bench) run(home, program string, args ...string) (out []byte, r report, err error) {
	file := filepath.Join(b.dir, "report")
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, r, err
	}
	cmd := exec.CommandContext(b.ctx, b.start, append([]string{file, program}, args...)...)
	cmd.Dir, cmd.Env = home, peers.Env(home)
	if out, err = cmd.CombinedOutput(); err != nil {
		return out, r, fmt.Errorf("run %s: %w: %s", filepath.Base(program), err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return out, r, err
	}
	var from int64
	_, err = fmt.Sscan(string(text), &from, &r.took, &r.kb)
	r.from = time.Unix(0, from)
	return out, r, err
}
