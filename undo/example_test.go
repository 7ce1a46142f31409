package undo_test

import (
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/undo"
)

// What was changed since is not taken back.
func Example() {
	err := fmt.Errorf("undo: %w", undo.ErrConflict)
	fmt.Println(errors.Is(err, undo.ErrConflict), undo.Operation{Status: "undone"}.Undoable())
	// Output: true false
}
