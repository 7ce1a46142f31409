package storage

import (
	"context"
	"iter"
)

// Watcher is the power of a Log that can tell of changes by itself.
type Watcher interface {
	// Watch yields the mark of the log each time that it is another than the
	// one before, from after on; the zero Mark while there is no log. It ends
	// when the context does, with no error.
	Watch(ctx context.Context, after Mark) iter.Seq2[Mark, error]
}
