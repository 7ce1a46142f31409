package powers

import (
	"bytes"
	"context"
	"errors"
	"iter"

	"github.com/cambium-dev/cambium/storage"
)

// Hit is a line that holds what was searched for.
type Hit struct {
	// Name is the log's.
	Name string
	// Line is the line; its bytes are valid until the next step.
	Line storage.Line
}

// Searcher is the power of a Store that finds bytes without reading all of
// them to the caller.
type Searcher interface {
	// Search yields the lines that hold text, of all logs directly in a
	// directory, log by log in the order of names.
	Search(ctx context.Context, dir string, text []byte) iter.Seq2[Hit, error]
}

// Search yields the lines that hold text, of all logs directly in a directory.
// In a store without the power it reads them all. A log that cannot be read
// yields its error with a Hit that has only the name, and the search goes on.
func Search(ctx context.Context, store storage.Store, dir string, text []byte) iter.Seq2[Hit, error] {
	if s, ok := store.(Searcher); ok {
		return s.Search(ctx, dir, text)
	}
	return func(yield func(Hit, error) bool) {
		for info, err := range store.List(ctx, dir) {
			if err != nil {
				yield(Hit{}, err)
				return
			}
			if info.IsLog() && !searchLog(ctx, store, info.Name, text, yield) {
				return
			}
		}
	}
}

// searchLog reports whether to go on.
func searchLog(ctx context.Context, store storage.Store, name string, text []byte, yield func(Hit, error) bool) bool {
	log, err := store.Open(ctx, name, storage.Read)
	if errors.Is(err, storage.ErrNotExist) {
		return true // removed since it was listed
	}
	if err != nil {
		return yield(Hit{Name: name}, err)
	}
	defer func() { _ = log.Close() }() // only read from
	for line, err := range log.Read(ctx, storage.Mark{}) {
		if err != nil {
			return yield(Hit{Name: name}, err)
		}
		if bytes.Contains(line.Bytes, text) && !yield(Hit{Name: name, Line: line}, nil) {
			return false
		}
	}
	return true
}
