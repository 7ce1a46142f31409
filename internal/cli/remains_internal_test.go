package cli

import (
	"fmt"
	"testing"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/work"
)

// TestRemains: a deletion that leaves what is not Cambium's ends as one that is partly
// done, and says what to do.
func TestRemains(t *testing.T) {
	err := fmt.Errorf("empty trash: a mount: %w", state.ErrNotOurs)
	if p := classify(&work.Error{Step: work.Recording, Path: "/x", Err: err}); p.exit != exitPartly || p.todo == "" {
		t.Errorf("ends with %d: %q", p.exit, p.todo)
	}
}
