package catalog

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync"
)

// UpdateTexts has o.Index, if it is a [TextIndex], keep the text of every session
// that o covers as it is now; those it has are not read. It may be interrupted:
// what was done stays. Progress is told how many bytes of session files of how
// many were read, in KiB.
func UpdateTexts(ctx context.Context, o Options) error { return updateTexts(ctx, o, nil) }

// updateTexts is UpdateTexts of the sessions at some paths, of all for nil.
func updateTexts(ctx context.Context, o Options, only map[string]bool) error {
	index, ok := o.Index.(TextIndex)
	if !ok {
		return nil
	}
	u := &update{o: &o, only: only, begun: o.now().UnixNano()}
	if err := u.list(ctx, index); err != nil || len(u.stale) == 0 {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	files := u.files(ctx)
	err := index.KeepTexts(ctx, files)
	stop()
	u.group.Wait()
	if err == nil && o.Progress != nil {
		o.Progress(u.total, u.total)
	}
	return err
}

// An update is one run of UpdateTexts.
type update struct {
	o           *Options
	only        map[string]bool // paths; nil for all
	begun       int64
	stale       []*stale
	done, total int // KiB
	group       sync.WaitGroup
}

// A stale is a session whose text is not known as it is now.
type stale struct {
	info   Info
	file   file
	chunks chan TextChunk // once it is its turn
	err    error          // valid after chunks is closed
}

// errUnsettled says that a file may change without looking so.
var errUnsettled = errors.New("index text: the file changed just now")

// list finds the sessions that must be read.
func (u *update) list(ctx context.Context, index TextIndex) error {
	o := *u.o
	o.Progress, o.Text = nil, false
	known, err := knownTexts(ctx, index)
	if err != nil {
		return err
	}
	listing, err := newScan(ctx, &o, true)
	if err != nil {
		return err
	}
	defer listing.close(ctx)
	for n := range listing.items {
		if err := ctx.Err(); err != nil {
			return err
		}
		info, f, ok := listing.info(ctx, n)
		if !ok || u.only != nil && !u.only[info.Path] || known[info.Path] == f.stamp || f.stamp.ModTime > u.begun-settled || !f.mode.IsRegular() {
			continue
		}
		u.stale = append(u.stale, &stale{info: info, file: f})
		u.total += kib(f)
	}
	return ctx.Err()
}

func kib(f file) int { return int((f.stamp.Size + 1023) / 1024) }

// knownTexts returns which state of which file is kept.
func knownTexts(ctx context.Context, index TextIndex) (map[string]Stamp, error) {
	texts, err := index.Texts(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = texts.Close() }() // nothing was written
	known := map[string]Stamp{}
	for r, err := range texts.Known(ctx) {
		if err != nil {
			return nil, err
		}
		known[r.Path] = r.Stamp
	}
	return known, nil
}

// files reads the sessions on all cores and yields them in their order.
func (u *update) files(ctx context.Context) iter.Seq[TextFile] {
	workers := min(runtime.GOMAXPROCS(0), len(u.stale))
	work, next := make(chan *stale), make(chan *stale, workers+1)
	u.group.Go(func() {
		defer close(work)
		defer close(next)
		for n, s := range u.stale {
			s.chunks = make(chan TextChunk, spare)
			u.stale[n] = nil // what was read may go
			select {
			case next <- s:
			case <-ctx.Done():
				return
			}
			select {
			case work <- s:
			case <-ctx.Done():
				return
			}
		}
	})
	for range workers {
		u.group.Go(func() {
			for s := range work {
				u.read(ctx, s)
			}
		})
	}
	return func(yield func(TextFile) bool) {
		for s := range next {
			if ctx.Err() != nil || !yield(TextFile{Path: s.info.Path, Stamp: s.file.stamp, Chunks: s.each(ctx)}) {
				return
			}
			if u.done += kib(s.file); u.o.Progress != nil {
				u.o.Progress(u.done, u.total)
			}
		}
	}
}

// spare is how many packed chunks of each session that is read wait for the
// index.
const spare = 8

// read packs the chunks of a session.
func (u *update) read(ctx context.Context, s *stale) {
	defer close(s.chunks)
	t := tally{}
	err := u.o.eachChunk(ctx, s.file, &s.info, func(c *chunk) bool {
		select {
		case s.chunks <- t.pack(c):
			return true
		case <-ctx.Done():
			return false
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	if now, failed := u.o.fsys().Stat(s.file.name()); err == nil && (failed != nil || stampOf(now) != s.file.stamp) {
		err = errUnsettled
	}
	s.err = err
}

// each yields the chunks as they come.
func (s *stale) each(ctx context.Context) iter.Seq2[TextChunk, error] {
	return func(yield func(TextChunk, error) bool) {
		for {
			select {
			case c, ok := <-s.chunks:
				if !ok {
					if s.err != nil {
						yield(TextChunk{}, s.err)
					}
					return
				}
				if !yield(c, nil) {
					return
				}
			case <-ctx.Done():
				yield(TextChunk{}, ctx.Err())
				return
			}
		}
	}
}
