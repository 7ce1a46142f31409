package powers

import (
	"context"

	"github.com/cambium-dev/cambium/storage"
)

// Hasty is the power of a Log that appends sooner when it need not look at once
// at what it wrote.
type Hasty interface {
	// AppendHastily is Append, but the mark is known to this Log only, and no
	// Info has it. What Append would have seen behind the write is seen when
	// the Log is used the next time, with the same result: if a writer that
	// takes no lock slipped in, the next Append answers Grown, and reading
	// from the mark gives its lines and, perhaps, these again.
	AppendHastily(ctx context.Context, after storage.Mark, lines [][]byte) (storage.Mark, error)
}

// AppendHastily appends to log. One without the power does as Append does.
func AppendHastily(ctx context.Context, log storage.Log, after storage.Mark, lines [][]byte) (storage.Mark, error) {
	if h, ok := log.(Hasty); ok {
		return h.AppendHastily(ctx, after, lines)
	}
	return log.Append(ctx, after, lines)
}
