package cli

import (
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/layout"
)

// presence says which sessions this process has open, and who else has.
func (a *app) presence() *state.Presence {
	if a.here == nil {
		a.here = state.NewPresence(state.PresenceOptions{
			Dir: layout.Own(a.env).State, Env: a.env, Terminal: a.device(), Now: a.Now,
		})
	}
	return a.here
}
