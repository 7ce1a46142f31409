package work_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cambium-dev/cambium/internal/work"
)

// lateContext is canceled from the call of Err on that left is zero at.
type lateContext struct {
	context.Context
	left int
}

func (c *lateContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCanceledAtEveryLook: a verb that is canceled at any of its looks at its context ends
// with that, or is through.
func TestCanceledAtEveryLook(t *testing.T) {
	l, path, _ := library(t)
	for n := range 200 {
		ctx := &lateContext{t.Context(), n}
		_, err := l.Rename(ctx, path, work.RenameOptions{Name: "water"})
		var step *work.Error
		if errors.As(err, &step) && step.Err == nil {
			t.Fatalf("canceled at look %d: the error has no cause", n)
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("canceled at look %d: %v", n, err)
		}
		if ctx.left >= 0 {
			return
		}
	}
	t.Error("there are more than 200 looks")
}
