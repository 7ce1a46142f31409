package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/go-json-experiment/json"
)

// A Measurement is one operation timed in a fresh process of a program.
type Measurement struct {
	// Op is the operation: open, context, tree, append, fork or import.
	Op string `json:"op"`
	// Milliseconds is the operation alone, timed inside the process; for
	// context, opening included.
	Milliseconds float64 `json:"ms"`
	// OpenMilliseconds is the opening that came before it, where one did.
	OpenMilliseconds float64 `json:"openMs"`
	// MicrosecondsPerEntry and Entries are set for append.
	MicrosecondsPerEntry float64 `json:"usPerEntry"`
	Entries              int     `json:"entries"`
	// Messages is the size of the context, set for context.
	Messages int `json:"messages"`
	// PeakKB is the greatest resident memory of the whole process, in KiB.
	PeakKB int64 `json:"rssKb"`
	// ImportMilliseconds is how long loading the program took before.
	ImportMilliseconds float64 `json:"importMs"`
}

// Measure runs one operation of interop/bench.mjs on a session file in a fresh
// process and returns what it measured. The file is only read. Count is the
// number of entries to append; 0 means 2,000. When ctx ends the process is
// killed. Without an installation the error wraps ErrNotInstalled.
func Measure(ctx context.Context, p Program, op, file string, count int) (m Measurement, err error) {
	root, err := Root()
	if err != nil {
		return m, err
	}
	if err := p.Check(root); err != nil {
		return m, err
	}
	private, err := os.MkdirTemp("", "cambium-bench-")
	if err != nil {
		return m, fmt.Errorf("measure %s %s: %w", p, op, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(private)) }()
	args := []string{filepath.Join(root, "interop", "bench.mjs"), string(p), op, file}
	if count > 0 {
		args = append(args, strconv.Itoa(count))
	}
	cmd := exec.CommandContext(ctx, p.Runtime(root), args...)
	var out bytes.Buffer
	complaints := &tail{}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = private, Env(private), &out, complaints
	if err := cmd.Run(); err != nil {
		return m, fmt.Errorf("measure %s %s: %w: %s", p, op, err, complaints)
	}
	if err := json.Unmarshal(bytes.TrimSpace(out.Bytes()), &m); err != nil {
		return m, fmt.Errorf("measure %s %s: read answer: %w", p, op, err)
	}
	return m, nil
}
