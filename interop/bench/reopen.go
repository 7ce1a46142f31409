//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/session"
)

// remembering returns the options to open a session to write with an index in
// the directory BENCH_INDEX. The caller closes it.
func (b *bench) remembering() (session.Options, *index.Index) {
	known := index.New(index.Options{Dir: os.Getenv("BENCH_INDEX")})
	o := b.options()
	o.ReadOnly, o.Memory = false, known
	return o, known
}

// remember has the index keep what reading the session finds.
func (b *bench) remember() error {
	at := time.Now().Add(-time.Hour)
	if err := os.Chtimes(b.file, at, at); err != nil {
		return err
	}
	o, known := b.remembering()
	s, err := b.opened(b.file, o)
	if err != nil {
		return errors.Join(err, known.Close())
	}
	from := time.Now()
	err = errors.Join(s.Close(), known.Close())
	b.out.MS = ms(time.Since(from))
	return err
}

// reopen opens the session and reads its last entries.
func (b *bench) reopen() error {
	from := time.Now()
	o, known := b.remembering()
	s, err := b.opened(b.file, o)
	if err != nil {
		return errors.Join(err, known.Close())
	}
	path := tree.Of(s.Tree()).Path(s.LeafPosition(), tree.Healed)
	for line, err := range s.Lines(slices.Values(path[max(0, len(path)-b.count):])) {
		if err != nil {
			return err
		}
		b.out.Entries++
		b.out.Bytes += int64(len(line))
	}
	b.out.MS = ms(time.Since(from))
	if s.ReadOnly() {
		return fmt.Errorf("reopen: the session cannot be written: %s", s.ReadOnlyReason())
	}
	return errors.Join(s.Close(), known.Close())
}
