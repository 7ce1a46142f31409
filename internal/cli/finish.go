package cli

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/cambium-dev/cambium/internal/offline"
	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/term"
)

// finish flushes the data, says what went wrong and returns the exit code.
func (a *app) finish(err error) int {
	if flushed := a.Out.Flush(); err == nil {
		err = flushed
	}
	if err == nil || errors.Is(err, syscall.EPIPE) || errors.Is(err, term.ErrPagerClosed) {
		return problem.ExitDone // nobody reads on
	}
	p := problem.Of(err)
	if !p.Printed {
		a.report(p)
	}
	return p.Exit
}

// report prints a problem.
func (a *app) report(p problem.Problem) {
	if a.JSON {
		a.EmitError(p.Form())
		return
	}
	a.Message(p.Message())
	for _, hint := range append(p.Hints, print.Candidates(a.Console, p.Err)...) {
		fmt.Fprintf(a.Stderr, "hint: %s\n", term.Line(hint))
	}
}

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

// offlineOf returns what stands before the shared store, nil for none.
func offlineOf(a *app) *offline.Store {
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
	away := problem.Problem{Exit: problem.ExitFailed, Err: errors.Join(offline.ErrAway, why), Todo: "is it running, and can it be reached from here?"}
	p := problem.Problem{}
	if err != nil {
		p = problem.Of(err)
	}
	switch {
	case p.Exit == problem.ExitNotFound:
		away.Path = p.Path
		away.Text = fmt.Sprintf("%v: %v", err, a.lib.Shared.Offline.Missing(why))
		return away
	case err != nil || !a.shows:
		return err
	case outageOf(a, a.found) == offline.Unreachable:
		away.Text = fmt.Sprintf("list sessions: %v", a.lib.Shared.Offline.Missing(why))
		return away
	}
	// The offline store has said on stderr that this is what was read here before.
	away.Exit, away.Text, away.Todo, away.Printed = problem.ExitPartly, fmt.Sprintf("list sessions: the store cannot be reached: %v", why), "", !a.JSON
	return away
}
