//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/cambium-dev/cambium/interop/peers"
)

// growth is the group of rows about stores of many sessions.
const growth = "growth: many sessions of 6 KB, in the homes of four programs"

// smallSession is the size of each of them, in bytes.
const smallSession = 6000

// growth measures listings of more and more sessions, of which some changed
// since the last.
func (b *bench) growth() (rows []row, err error) {
	sizes := []int{2000, 10_000}
	if b.many {
		sizes = append(sizes, 100_000)
	}
	for _, n := range sizes {
		more, err := b.grown(n)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// grown measures the listing of n sessions.
func (b *bench) grown(n int) (rows []row, err error) {
	home := filepath.Join(b.dir, "grown")
	if _, err := b.output(nil, "corpus", "store", strconv.Itoa(n*smallSession), home, strconv.Itoa(n), "pi", "omp", "xcsh", "cambium"); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	index := []string{"BENCH_INDEX=" + filepath.Join(home, "index")}
	if _, err := b.output(index, "warm", home); err != nil {
		return nil, err
	}
	for _, op := range []struct {
		name, op       string
		changed, cores int
	}{
		{"cold, the index made and filled", "cold", 0, 0},
		{"asking the state of each file, nothing else, on one core", "states", 0, 1},
		{"asking the state of each file, nothing else", "states", 0, 2},
		{"warm, none changed since", "warm", 0, 0},
		{"warm, 10 changed since", "warm", 10, 0},
		{"warm, 1,000 changed since", "warm", 1000, 0},
	} {
		name := fmt.Sprintf("%s: %s", thousands(n), op.name)
		if !b.wants(name) {
			continue
		}
		r, err := b.row([]measure{func() (peers.Measurement, error) {
			if op.changed > 0 {
				if _, err := b.output(nil, "grow", home, strconv.Itoa(op.changed)); err != nil {
					return peers.Measurement{}, err
				}
			}
			return b.ours(index, op.op, home, op.cores)
		}, nil, nil}, false)
		if err != nil {
			return nil, err
		}
		r.file, r.name = growth, name
		rows = append(rows, r)
	}
	if name := thousands(n) + ": cambium ls, warm, from start to end"; b.wants(name) {
		ls := func() (peers.Measurement, error) { return b.whole(home, b.command, "ls") }
		if _, err := ls(); err != nil { // fills the index
			return nil, err
		}
		r, err := b.row([]measure{ls, nil, nil}, false)
		if err != nil {
			return nil, err
		}
		r.file, r.name = growth, name
		rows = append(rows, r)
	}
	if n == 10_000 {
		more, err := b.browsed(home, thousands(n)+": ")
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// thousands writes a number of thousands with its comma.
func thousands(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }
