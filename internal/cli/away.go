package cli

import (
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/internal/offline"
)

// A store that does not answer is not an empty one, and what is kept of it here is not
// all that is there: a command that finds nothing then has failed, and one that finds
// something has done its work in part.

// noteFound notes how much a command found that shows what there is.
func noteFound(a *app, n int) {
	a.shows, a.found = true, a.found+n
}

// outOfReach reports whether a shared store was found not to answer.
func outOfReach(a *app) bool {
	return outageOf(a, 0) != offline.None
}

// outageOf reports how a shared store answered a command that found so much.
func outageOf(a *app, found int) offline.Outage {
	if a.lib.Shared == nil {
		return offline.None
	}
	o, _ := a.lib.Shared.Asked.Outage(found > 0)
	return o
}

// offline returns what stands before the shared store, nil for none.
func (a *app) offline() *offline.Store {
	if a.lib.Shared == nil {
		return nil
	}
	return a.lib.Shared.Offline
}

// unlessAway returns the error of a command, or what counts instead where a shared store
// did not answer.
func unlessAway(a *app, err error) error {
	if !outOfReach(a) {
		return err
	}
	_, why := a.lib.Shared.Asked.Outage(false)
	away := problem{exit: exitFailed, err: errors.Join(offline.ErrAway, why), todo: "is it running, and can it be reached from here?"}
	p := problem{}
	if err != nil {
		p = classify(err)
	}
	switch {
	case p.exit == exitNotFound:
		away.path = p.path
		away.text = fmt.Sprintf("%v: %v", err, a.lib.Shared.Offline.Missing(why))
		return away
	case err != nil || !a.shows:
		return err
	case outageOf(a, a.found) == offline.Unreachable:
		away.text = fmt.Sprintf("list sessions: %v", a.lib.Shared.Offline.Missing(why))
		return away
	}
	// The offline store has said on stderr that this is what was read here before.
	away.exit, away.text, away.todo, away.printed = exitPartly, fmt.Sprintf("list sessions: the store cannot be reached: %v", why), "", !a.flags.json
	return away
}
