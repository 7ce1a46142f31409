//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json"
)

// crowd is how many processes append at once.
const crowd = 8

// writers has processes of this program append to one session at once. Of what
// they say it keeps the median of their medians as usPerEntry, the longest that
// any append took as largestUs, and as fairness how many entries the slowest
// writer appended for each one of the fastest.
func (b *bench) writers() error {
	file := filepath.Join(b.scratch, "s.jsonl")
	if err := copyFile(b.file, file, false); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// They open first and begin when their input ends.
	start, gate, err := os.Pipe()
	if err != nil {
		return err
	}
	var all [crowd]*exec.Cmd
	var said, complaints [crowd]bytes.Buffer
	var errs []error
	for i := range all {
		all[i] = exec.CommandContext(b.ctx, self, "writer", file, strconv.Itoa(b.count))
		all[i].Stdin, all[i].Stdout, all[i].Stderr = start, &said[i], &complaints[i]
		errs = append(errs, all[i].Start())
	}
	errs = append(errs, start.Close())
	time.Sleep(200 * time.Millisecond) // all are there by then, or begin late
	errs = append(errs, gate.Close())
	for i, c := range all {
		if c.Process == nil {
			continue
		}
		if err := c.Wait(); err != nil {
			errs = append(errs, fmt.Errorf("writer %d: %w: %s", i+1, err, complaints[i].Bytes()))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return b.together(said[:])
}

// together sums up what the writers said.
func (b *bench) together(said []bytes.Buffer) error {
	var medians []float64
	least, most := 0, 0
	for i := range said {
		var r result
		if err := json.Unmarshal(bytes.TrimSpace(said[i].Bytes()), &r); err != nil {
			return fmt.Errorf("read answer of writer %d: %w", i+1, err)
		}
		medians = append(medians, r.PerEntry)
		b.out.Largest = max(b.out.Largest, r.Largest)
		b.out.Entries += r.Entries
		if i == 0 {
			least = r.Entries
		}
		least, most = min(least, r.Entries), max(most, r.Entries)
	}
	slices.Sort(medians)
	b.out.PerEntry = medians[len(medians)/2]
	b.out.Fairness = float64(least) / float64(max(most, 1))
	b.out.MS = float64(b.count)
	return nil
}

// writer appends to the file itself, from when its input ends, for so many
// milliseconds.
func (b *bench) writer() error {
	o := b.options()
	o.ReadOnly, o.Sync = false, session.SyncNone
	s, err := b.opened(b.file, o)
	if err != nil {
		return err
	}
	body, err := appended()
	if err != nil {
		return err
	}
	var one [1]byte
	_, _ = os.Stdin.Read(one[:]) // its end is what is waited for
	var took []time.Duration
	for end := time.Now().Add(time.Duration(b.count) * time.Millisecond); ; {
		from := time.Now()
		if from.After(end) {
			break
		}
		if _, err := s.Append(b.ctx, body); err != nil {
			return err
		}
		took = append(took, time.Since(from))
	}
	if len(took) == 0 {
		return errors.New("not one append came through")
	}
	slices.Sort(took)
	b.out.Entries = len(took)
	b.out.PerEntry, b.out.Largest = us(took[len(took)/2]), us(took[len(took)-1])
	return s.Close()
}
