//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/search"
)

// texts builds the text index in the directory BENCH_INDEX from nothing. Bytes is
// the size of the file, textBytes how much text is in it.
func (b *bench) texts() (err error) {
	dir := os.Getenv("BENCH_INDEX")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	from := time.Now()
	known := index.New(index.Options{Dir: dir})
	o := b.listed()
	o.Index, o.Trouble = known, func(trouble error) { err = errors.Join(err, trouble) }
	if failed := search.Update(b.ctx, o); failed != nil {
		return errors.Join(err, failed)
	}
	b.out.MS = ms(time.Since(from))
	if b.out.TextBytes, b.out.Entries, err = b.kept(known); err != nil {
		return err
	}
	if err := known.Close(); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	for _, name := range files {
		info, failed := os.Stat(name)
		if failed != nil {
			return failed
		}
		b.out.Bytes += info.Size()
	}
	return err
}

// kept returns how much text is in an index, and of how many sessions.
func (b *bench) kept(known *index.Index) (size int64, sessions int, err error) {
	texts, err := known.Texts(b.ctx)
	if err != nil {
		return 0, 0, err
	}
	for r, failed := range texts.Known(b.ctx) {
		if failed != nil {
			return 0, 0, errors.Join(failed, texts.Close())
		}
		size, sessions = size+r.Size, sessions+1
	}
	return size, sessions, texts.Close()
}

// search asks the query BENCH_QUERY: ms is the time to the first hit, or to the
// end when there is none, allMs that to the fiftieth. Opening the index, which
// must be filled, is in both. Without BENCH_INDEX the sessions are searched
// directly.
func (b *bench) search() (err error) {
	from := time.Now()
	q, err := search.Parse(os.Getenv("BENCH_QUERY"), from)
	if err != nil {
		return err
	}
	o := search.Options{Options: b.listed(), PerSession: 3}
	if dir := os.Getenv("BENCH_INDEX"); dir != "" {
		known := index.New(index.Options{Dir: dir, Report: func(trouble error) { err = errors.Join(err, trouble) }})
		defer func() { err = errors.Join(err, known.Close()) }()
		o.Index, o.Trouble = known, func(trouble error) { err = errors.Join(err, trouble) }
		o.Progress = func(done, total int) {
			if total > 0 && done == total {
				err = errors.Join(err, fmt.Errorf("search: %d sessions are not in the index", total))
			}
		}
	}
	for _, failed := range search.Run(b.ctx, q, o) {
		if failed != nil {
			return failed
		}
		if b.out.Entries == 0 {
			b.out.MS = ms(time.Since(from))
		}
		if b.out.Entries++; b.out.Entries == 50 {
			break
		}
	}
	b.out.AllMS = ms(time.Since(from))
	if b.out.Entries == 0 {
		b.out.MS = b.out.AllMS
	}
	return err
}
