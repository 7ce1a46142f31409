//go:build linux

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// listing is the group of rows about finding sessions.
const listing = "listing: 2,000 sessions, 446 MB"

// The store that they are measured on.
const (
	listedSessions = 2000
	listedBytes    = 446_000_000
)

// listing writes a store of sessions and measures how they are found. All are
// in one directory: pi and omp cannot be told to look into several.
func (b *bench) listing() (rows []row, err error) {
	home := filepath.Join(b.dir, "store")
	if _, err := b.output(nil, "corpus", "store", strconv.Itoa(listedBytes), home, strconv.Itoa(listedSessions), "pi"); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	dir := filepath.Join(home, "flat")
	if err := flatten(home, dir); err != nil {
		return nil, err
	}
	pi, omp := both()[:1], both()[1:]
	index := []string{"BENCH_INDEX=" + filepath.Join(home, "index")}
	rows, err = b.operations(listing, dir, []operation{
		{"complete, cold", "list", "list", 0, 7, 1, nil, pi},
		{"complete, cold, all text", "text", "list", 0, 7, 1, nil, pi},
		{"complete, cold, beside omp's partial", "list", "list", 0, 1 / 1.3, 1, nil, omp},
		{"complete, the index made and filled", "cold", "list", 0, 7, 1, index, pi},
		{"complete, warm, a new process", "warm", "list", 0, 5, 1, index, omp},
		{"recent", "recent", "recent", 4, 5, 1, nil, omp},
	}, perRun)
	if err != nil {
		return nil, err
	}
	whole, err := b.listed(dir)
	if err != nil {
		return nil, err
	}
	found, err := b.searching(dir, index)
	return append(append(rows, whole), found...), err
}

// flatten moves all sessions under home into one directory and reads each once,
// so that the system has them at hand.
func flatten(home, dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Dir(path) == dir {
			return err
		}
		to := filepath.Join(dir, d.Name())
		if err := os.Rename(path, to); err != nil {
			return err
		}
		return warm(to)
	})
}
