package powers

import (
	"context"
	"errors"
	"io"

	"github.com/cambium-dev/cambium/storage"
)

// Sectioner is the power of a Log that has bytes: reading anywhere in it. A
// store of rows lacks it; use Read there.
type Sectioner interface {
	// Section returns the bytes of the log as it is now: a reader, the number
	// of bytes, and the mark that stands for them. The reader is safe for
	// concurrent use and stays on this log when another takes its name, until
	// it is closed. A log not yet begun is ErrNotExist.
	Section(ctx context.Context) (Section, int64, storage.Mark, error)
}

// Section reads the bytes of one log by offset. The caller closes it.
type Section = interface {
	io.ReaderAt
	io.Closer
}

// OpenSection returns the bytes of log. The error is errors.ErrUnsupported if
// the log has none: read it by lines.
func OpenSection(ctx context.Context, log storage.Log) (Section, int64, storage.Mark, error) {
	if s, ok := log.(Sectioner); ok {
		return s.Section(ctx)
	}
	return nil, 0, storage.Mark{}, errors.ErrUnsupported
}
