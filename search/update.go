package search

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/texts"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// Update has o.Index keep the text of every session that o covers as it is now;
// those it has are not read. It may be interrupted: what was done stays. Progress is
// told how many bytes of session files of how many were read, in KiB.
func Update(ctx context.Context, o catalog.Options) error { return updateSome(ctx, o, nil) }

// updateSome is Update of the sessions at some paths, of all for nil.
func updateSome(ctx context.Context, o catalog.Options, only map[string]bool) error {
	index, ok := o.Index.(texts.Index)
	if !ok {
		return nil
	}
	u := &update{o: &o, from: catalogSource(o), only: only}
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

// An update is one run of Update.
type update struct {
	o           *catalog.Options
	from        source.Source
	only        map[string]bool // paths; nil for all
	stale       []*staleSession
	done, total int // KiB
	group       sync.WaitGroup
}

// catalogSource is where a catalog finds sessions.
func catalogSource(o catalog.Options) source.Source {
	own := source.Of(o.Store, vfs.Of(o))
	if o.Store != nil {
		return own
	}
	return foreign.Source(own, vfs.Of(o), foreign.From(o))
}

// A staleSession is one whose text is not known as it is now.
type staleSession struct {
	info   catalog.Info
	file   file
	chunks chan texts.Chunk // once it is its turn
	err    error            // valid after chunks is closed
}

// errUnsettled says that a file may change without looking so.
var errUnsettled = errors.New("index text: the file changed just now")

// list finds the sessions that must be read.
func (u *update) list(ctx context.Context, index texts.Index) error {
	o := *u.o
	o.Progress, o.Text = nil, false
	known, err := knownTexts(ctx, index)
	if err != nil {
		return err
	}
	for f, err := range catalog.Files(ctx, o) {
		if err != nil {
			return err
		}
		at := fileOf(&f)
		if u.only != nil && !u.only[f.Info.Path] || known[f.Info.Path] == at.stamp || !f.Settled {
			continue
		}
		u.stale = append(u.stale, &staleSession{info: f.Info, file: at})
		u.total += kib(at)
	}
	return ctx.Err()
}

func kib(f file) int { return int((f.stamp.Size + 1023) / 1024) }

// knownTexts returns which state of which file is kept.
func knownTexts(ctx context.Context, index texts.Index) (map[string]source.Stamp, error) {
	view, err := index.Texts(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = view.Close() }() // nothing was written
	known := map[string]source.Stamp{}
	for r, err := range view.Known(ctx) {
		if err != nil {
			return nil, err
		}
		known[r.Path] = r.Stamp
	}
	return known, nil
}

// files reads the sessions on all cores and yields them in their order.
func (u *update) files(ctx context.Context) iter.Seq[texts.File] {
	workers := min(runtime.GOMAXPROCS(0), len(u.stale))
	work, next := make(chan *staleSession), make(chan *staleSession, workers+1)
	u.group.Go(func() {
		defer close(work)
		defer close(next)
		for n, s := range u.stale {
			s.chunks = make(chan texts.Chunk, spare)
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
	return func(yield func(texts.File) bool) {
		for s := range next {
			if ctx.Err() != nil || !yield(texts.File{Path: s.info.Path, Stamp: s.file.stamp, Chunks: s.each(ctx)}) {
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
func (u *update) read(ctx context.Context, s *staleSession) {
	defer close(s.chunks)
	t := tally{}
	err := eachChunk(ctx, u.from.Store(), s.file.name, &s.info, func(c *chunk) bool {
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
	if now, failed := u.from.Stat(ctx, s.file.name); err == nil && (failed != nil || now.Stamp != s.file.stamp) {
		err = errUnsettled
	}
	s.err = err
}

// each yields the chunks as they come.
func (s *staleSession) each(ctx context.Context) iter.Seq2[texts.Chunk, error] {
	return func(yield func(texts.Chunk, error) bool) {
		for {
			select {
			case c, ok := <-s.chunks:
				if !ok {
					if s.err != nil {
						yield(texts.Chunk{}, s.err)
					}
					return
				}
				if !yield(c, nil) {
					return
				}
			case <-ctx.Done():
				yield(texts.Chunk{}, ctx.Err())
				return
			}
		}
	}
}
