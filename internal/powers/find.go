package powers

import (
	"context"
	"errors"
	"iter"

	"github.com/cambium-dev/cambium/storage"
)

// A Term is a word to look for, as a line has it.
type Term struct {
	Word string
	// Prefix says that it is the beginning of words.
	Prefix bool
}

// MaxTerms is how many terms a Finder takes at once.
const MaxTerms = 60

// Worded is what a store knows of the words of a log.
type Worded struct {
	// Info is the log as it is now, with all of whose lines this is so.
	Info storage.Info
	// Said is what the lines count for together, by whoever took the words out
	// of them.
	Said int64
	// Has says of each term whether a line has it, All whether one line has all.
	Has []bool
	All bool
}

// Finder is the power of a Store that keeps the words of its lines, as they were
// given to it, and finds lines by them.
type Finder interface {
	// Find tells, of every log in a directory, however deep, of which it knows
	// the words of all lines, which of the terms they have; in any order. It is
	// not given more than MaxTerms. The error is errors.ErrUnsupported if the
	// store turns out not to have the power.
	Find(ctx context.Context, dir string, terms []Term) iter.Seq2[Worded, error]
	// Index has the words taken out of all lines in a directory, however deep,
	// of which they are not known. It may be broken off at any time; the next
	// one goes on there.
	Index(ctx context.Context, dir string) error
}

// Find is that of store; the error is errors.ErrUnsupported if it has not the
// power.
func Find(ctx context.Context, store storage.Store, dir string, terms []Term) iter.Seq2[Worded, error] {
	if f, ok := store.(Finder); ok {
		return f.Find(ctx, dir, terms)
	}
	return func(yield func(Worded, error) bool) { yield(Worded{}, errors.ErrUnsupported) }
}

// Index is that of store; errors.ErrUnsupported if it has not the power.
func Index(ctx context.Context, store storage.Store, dir string) error {
	if f, ok := store.(Finder); ok {
		return f.Index(ctx, dir)
	}
	return errors.ErrUnsupported
}
