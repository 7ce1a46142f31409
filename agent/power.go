package agent

import (
	"context"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/replay"
)

// Windows is what [Options].Models may know beside: how much models take. Without
// it no session is ever due to be compacted.
type Windows interface {
	// Window returns how many tokens a model takes in all, request and answer; 0
	// where that is not known.
	Window(m replay.Model) int
}

// A Tiered is a [Driver] that asks its model in tiers of service.
type Tiered interface {
	// SetServiceTier chooses the tier as the session has it, a string or for omp
	// an object by family of models; nil is none. What Remember noted of it is
	// put back with the rest.
	SetServiceTier(ctx context.Context, tier entry.JSON) error
}

// A Toolbox is a [Driver] with tools from outside of which some are selected.
type Toolbox interface {
	// SelectTools has the model see the tools of these names; nil selects those
	// that the driver begins with. What Remember noted of it is put back with the
	// rest.
	SelectTools(ctx context.Context, names []string) error
}

// A Located is a [Driver] whose tools work in a directory.
type Located interface {
	// SetDirectory says in which, from now on. What Remember noted of it is put
	// back with the rest.
	SetDirectory(ctx context.Context, dir string) error
}

// window returns the window of the model in use, 0 for not known.
func (a *Agent) window() int {
	w, ok := a.opt.Models.(Windows)
	m, has := a.Model()
	if !ok || !has {
		return 0
	}
	return w.Window(m)
}
