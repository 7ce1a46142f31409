package problem

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
	if p := Of(&work.Error{Step: work.Recording, Path: "/x", Err: err}); p.Exit != ExitPartly || p.Todo == "" {
		t.Errorf("ends with %d: %q", p.Exit, p.Todo)
	}
}
