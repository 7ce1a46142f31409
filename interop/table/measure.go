//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/go-json-experiment/json"
)

// A file is a session that is measured on.
type file struct {
	name, kind string
	bytes      int
	// wanted is how many times as fast opening and rebuilding the context must
	// be, 1 where it must only not be slower; wantedMemory how many times as
	// small the memory.
	wanted, wantedMemory float64
	// few says that nothing but opening and rebuilding the context is measured.
	few bool
}

// files are the sessions, from small to large.
func files() []file {
	return []file{
		{"1 MB", "big", 1_000_000, 1, 1, false},
		{"10 MB", "big", 10_000_000, 1, 1, false},
		{"110 MB", "big", 110_000_000, 10, 10, false},
		{"110 MB dense", "dense", 110_000_000, 5, 10, false},
		{"117 MB small", "small", 117_000_000, 5, 10, false},
		{"1,000,000 entries, 289 MB", "tiny", 289_000_000, 3, 3, true},
	}
}

// A row is one operation on one file.
type row struct {
	file, name string
	// cells are the medians, Cambium's first; a cell without milliseconds was
	// not measured.
	cells [3]cell
	// perEntry says that times are microseconds an entry, not milliseconds.
	perEntry bool
	// wanted is how many times as fast as the better program Cambium must be,
	// wantedMemory how many times as small; 0 says nothing.
	wanted, wantedMemory float64
}

// A cell is what one program took, medians.
type cell struct{ time, kb float64 }

// faster is how many times as fast as the better program Cambium was, 0 when
// no program was measured.
func (r row) faster() float64 { return r.better(func(c cell) float64 { return c.time }) }

// smaller is how many times as small its memory was.
func (r row) smaller() float64 { return r.better(func(c cell) float64 { return c.kb }) }

func (r row) better(of func(cell) float64) float64 {
	best := 0.0
	for _, c := range r.cells[1:] {
		if v := of(c); v > 0 && (best == 0 || v < best) {
			best = v
		}
	}
	if best == 0 {
		return 0
	}
	return best / of(r.cells[0])
}

// bench runs the measurements.
type bench struct {
	ctx     context.Context
	dir     string
	root    string
	program string // measures operations of Cambium
	turn    string // measures turns of its agent
	command string // cambium
	start   string // runs programs and says what they took
	many    bool   // 100,000 sessions too
	repeat  int
	rows    string // measure the rows whose names contain this only
}

// wants reports whether a row is to be measured.
func (b *bench) wants(name string) bool { return strings.Contains(name, b.rows) }

// A measure is one process.
type measure func() (peers.Measurement, error)

// file writes a session, reads it once so that the system has it at hand, and
// measures every operation on it.
func (b *bench) file(f file) (rows []row, err error) {
	path := filepath.Join(b.dir, "session.jsonl")
	if _, err := b.output(nil, "corpus", f.kind, strconv.Itoa(f.bytes), path); err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(path) }() // the directory goes anyway
	if err := warm(path); err != nil {
		return nil, err
	}
	rows, err = b.operations(f.name, path, []operation{
		{"open", "open", "open", 0, 1, 1, nil, both()},
		{"open + context", "context", "context", 0, f.wanted, f.wantedMemory, nil, both()},
		{"open + context, bytes read", "read", "context", 0, max(1, map[string]float64{"110 MB": 8}[f.name]), 1, nil, both()},
		{"the machine: read(2) of the file", "bytes", "", 0, 0, 0, nil, nil},
		{"tree", "tree", "tree", 0, 1, 1, nil, both()},
		{"open to append, and the first append", "first", "open", 0, 1, 1, nil, both()},
		{"append", "append", "append", 2000, 1.5, 1, nil, both()},
		{"the machine: lock, stat, write, unlock", "calls", "", 2000, 0, 0, nil, nil},
		{"append as pi", "append", "append", 2000, 1, 1, []string{"BENCH_DIALECT=pi"}, both()[:1]},
		{"append as omp", "append", "append", 2000, 1, 1, []string{"BENCH_DIALECT=omp"}, both()[1:]},
		{"fork", "fork", "fork", 0, 1, 1, nil, both()},
		switching(f),
	}, perEntry)
	if err != nil {
		return nil, err
	}
	again, err := b.reopen(f, path)
	if err != nil {
		return nil, err
	}
	rows = append(rows, again...)
	for _, r := range []row{
		{name: "append, bare write", wanted: 0.25},
		{name: "append, synced", wanted: 1 / 1.3},
	} {
		r.file, r.perEntry = f.name, true
		if r.cells, err = b.beside(r.name, path); err != nil {
			return nil, err
		}
		if r.cells[0].time > 0 {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// An operation is what a row measures: what the measuring program calls ours and
// theirs, how many of them, what is wanted, and who has it.
type operation struct {
	name, ours, theirs string
	count              int
	wanted, memory     float64
	env                []string
	peers              []peers.Program
}

// both are the programs in the order of the columns.
func both() []peers.Program { return []peers.Program{peers.Pi, peers.Omp} }

// perEntry says that an operation that is done many times is told by the time
// of one; perRun that the whole is told.
func perEntry(op operation) bool { return op.count > 0 }
func perRun(operation) bool      { return false }

// operations measures each operation on a file or directory.
func (b *bench) operations(group, path string, all []operation, per func(operation) bool) (rows []row, err error) {
	for _, op := range all {
		if !b.wants(op.name) {
			continue
		}
		one := []measure{func() (peers.Measurement, error) { return b.ours(op.env, op.ours, path, op.count) }, nil, nil}
		for _, p := range op.peers {
			at := 1 + slices.Index(both(), p)
			one[at] = func() (peers.Measurement, error) { return peers.Measure(b.ctx, p, op.theirs, path, op.count) }
		}
		r, err := b.row(one, per(op))
		if err != nil {
			return nil, err
		}
		r.file, r.name, r.wanted, r.wantedMemory = group, op.name, op.wanted, op.memory
		rows = append(rows, r)
	}
	return rows, nil
}

// beside measures an append beside a bare write of as much, synced or neither
// synced, which stands in the place of a program. One process does both in turn.
func (b *bench) beside(name, path string) (cells [3]cell, err error) {
	if !b.wants(name) {
		return cells, nil
	}
	op, count := "plain", "2000"
	if name == "append, synced" {
		op, count = "beside", "300"
	}
	var appended, raw, memory []float64
	for range b.repeat {
		out, err := b.output(nil, op, path, count)
		if err != nil {
			return cells, err
		}
		var m struct {
			PerEntry float64 `json:"usPerEntry"`
			Raw      float64 `json:"rawUsPerEntry"`
			PeakKB   float64 `json:"rssKb"`
		}
		if err := json.Unmarshal(bytes.TrimSpace(out), &m); err != nil {
			return cells, fmt.Errorf("measure %s: read answer: %w", op, err)
		}
		appended, raw, memory = append(appended, m.PerEntry), append(raw, m.Raw), append(memory, m.PeakKB)
	}
	return [3]cell{{median(appended), median(memory)}, {median(raw), 0}, {}}, nil
}

// row runs the measurements in turn, the order rotating, and keeps the medians.
func (b *bench) row(one []measure, perEntry bool) (row, error) {
	times, memory := make([][]float64, len(one)), make([][]float64, len(one))
	for n := range b.repeat {
		for i := range one {
			at := (i + n) % len(one)
			if one[at] == nil {
				continue
			}
			m, err := one[at]()
			if err != nil {
				return row{}, err
			}
			took := m.Milliseconds
			if perEntry {
				took = m.MicrosecondsPerEntry
			}
			times[at], memory[at] = append(times[at], took), append(memory[at], float64(m.PeakKB))
		}
	}
	r := row{perEntry: perEntry}
	for i := range one {
		r.cells[i] = cell{median(times[i]), median(memory[i])}
	}
	return r, nil
}

// median returns the middle one, 0 of none.
func median(of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	n := len(of)
	return (of[(n-1)/2] + of[n/2]) / 2
}

// ours runs one operation of Cambium in a fresh process.
func (b *bench) ours(env []string, op, path string, count int) (m peers.Measurement, err error) {
	return b.measured(b.program, env, op, path, count)
}

// measured runs one operation of a measuring program.
func (b *bench) measured(program string, env []string, op, path string, count int) (m peers.Measurement, err error) {
	args := []string{op, path}
	if count > 0 {
		args = append(args, strconv.Itoa(count))
	}
	out, err := b.outputOf(program, env, args...)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(bytes.TrimSpace(out), &m); err != nil {
		return m, fmt.Errorf("measure %s: read answer: %w", op, err)
	}
	return m, nil
}

// output runs the measuring program of all rows but one.
func (b *bench) output(env []string, args ...string) ([]byte, error) {
	return b.outputOf(b.program, env, args...)
}

// outputOf runs a measuring program.
func (b *bench) outputOf(program string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(b.ctx, program, args...)
	cmd.Env = append(os.Environ(), append(env, "TMPDIR="+b.dir)...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run %s %s: %w: %s", filepath.Base(program), args[0], err, complaints.Bytes())
	}
	return out, nil
}

// warm reads a file once.
func warm(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read from
	_, err = io.Copy(io.Discard, f)
	return err
}
