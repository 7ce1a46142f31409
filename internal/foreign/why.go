package foreign

import (
	"context"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

// An Explainer is a Program of which it is known what it shows.
type Explainer interface {
	Program
	// Why says what keeps a session out of the program's lists, or is about to.
	Why(ctx context.Context, fsys vfs.FS, name string, env layout.Env, now time.Time) ([]Reason, error)
}

// A Reason is one thing that keeps a session out of lists.
type Reason struct {
	// Hides says that the program does not show the session for it; otherwise it is only
	// worth knowing.
	Hides bool
	// What is one sentence without a full stop; Mend says what would mend it, "" for
	// nothing. Both are our own words but for what they quote.
	What, Mend string
}
