//go:build linux

package main

import (
	"errors"
	"os"
	"path/filepath"
)

// switching is what a running agent does: it goes to the session, to append to it.
func switching(f file) operation {
	wanted := map[string]float64{"110 MB": 10, "110 MB dense": 1, "117 MB small": 1}[f.name]
	return operation{"switch a running agent", "switch", "open", 0, wanted, 0, nil, both()}
}

// reopen measures a session that was read once and is opened again through the
// index. For the programs it is as the first time.
func (b *bench) reopen(f file, path string) (rows []row, err error) {
	wanted := map[string]float64{"110 MB": 100, "110 MB dense": 1, "117 MB small": 50}[f.name]
	const name, going = "reopen through the index, last 200 entries", "switch through the index"
	if wanted == 0 || !b.wants(name) && !b.wants(going) {
		return nil, nil
	}
	kept := filepath.Join(b.dir, "reopen")
	index := []string{"BENCH_INDEX=" + kept}
	if _, err := b.output(index, "remember", path); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(kept)) }()
	rows, err = b.operations(f.name, path, []operation{
		{name, "reopen", "open", 200, wanted, 10, index, both()},
		{going, "switch", "open", 0, wanted, 0, index, both()},
	}, perRun)
	if err != nil {
		return nil, err
	}
	read, err := b.operations(f.name, filepath.Join(kept, "*.sqlite"), []operation{
		{"the machine: read(2) of what the index keeps", "bytes", "", 0, 0, 0, nil, nil},
	}, perRun)
	return append(rows, read...), err
}
