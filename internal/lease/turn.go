package lease

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/cambium-dev/cambium/storage"
)

// A Turn is had by one caller at a time. The zero Turn is of no use; make one with
// NewTurn.
type Turn struct{ had chan struct{} }

// NewTurn returns a turn that nobody has.
func NewTurn() Turn { return Turn{make(chan struct{}, 1)} }

// Take waits for the turn to write a log that was opened in a mode. Who has it
// gives it back. The error is fs.ErrPermission for a log that was opened for
// reading, storage.ErrLocked when the context ends while another has it.
func (t Turn) Take(ctx context.Context, mode storage.Mode) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if mode == storage.Read {
		return fmt.Errorf("opened for reading: %w", fs.ErrPermission)
	}
	select {
	case t.had <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", storage.ErrLocked, context.Cause(ctx))
	}
}

// Give gives it back.
func (t Turn) Give() { <-t.had }
