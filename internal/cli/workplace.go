package cli

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/internal/workplace"
)

// elsewhere says what a person can do with a session that was recorded elsewhere, who
// means it.
func elsewhere(a *app, e *work.Elsewhere) problem {
	return problem{exit: exitRefused, path: e.Target.Path, text: placeRefusal(a, e), todo: placeWays(a, e)}
}

// placeNamed names the place, every character of it.
func placeNamed(a *app, p workplace.Place) string {
	if p.Dir != "" && p.Dir != p.Named {
		return a.quoted(p.Named) + ", which is " + a.quoted(p.Dir)
	}
	return a.quoted(p.Named)
}

// askPlace asks about the place of a session: who says yes agrees to the one that the
// question names last.
func askPlace(ctx context.Context, a *app, e *work.Elsewhere) (bool, error) {
	where := placeNamed(a, e.Place)
	if e.Place.Unfit != "" {
		return a.agreed(ctx, fmt.Sprintf("Session was recorded in %s, where nothing is run: %s. Work in this directory, %s?", where, e.Place.Unfit, a.quoted(a.lib.Dir)))
	}
	return a.agreed(ctx, fmt.Sprintf("Session was recorded in another directory, %s. Work there?", where))
}

// placeRefusal says what was met.
func placeRefusal(a *app, e *work.Elsewhere) string {
	where := placeNamed(a, e.Place)
	if e.Place.Unfit != "" {
		return fmt.Sprintf("go on with session %q: it was recorded in %s, where nothing is run: %s", e.Target.ID, where, e.Place.Unfit)
	}
	return fmt.Sprintf("go on with session %q: it was recorded in another directory, %s", e.Target.ID, where)
}

// placeWays are the command lines for who means it.
func placeWays(a *app, e *work.Elsewhere) string {
	var all []hint
	by, path := string(e.By), e.Target.Path
	if e.Place.Unfit == "" {
		all = append(all, worksIn(by, e.Place.Dir, path, "goes on with it there"))
	}
	if e.Own {
		all = append(all, worksIn(by, a.lib.Dir, path, "goes on with it here"))
	}
	return advice(append(all, forksIt(by, path, "goes on with a fork of it here"))...)
}

// worksIn is how a command goes on with a session in a directory that a person
// names.
func worksIn(by, dir, session, does string) hint {
	h := hint{run: []string{ownProgram, by, "--cwd", dir}, of: []string{session}, does: does}
	if by == "run" {
		h.run, h.of = append(h.run, "--resume", session), nil
	}
	return h
}

// forksIt is how a command goes on with a fork of a session in this directory.
func forksIt(by, session, does string) hint {
	h := hint{run: []string{ownProgram, by, "--fork"}, of: []string{session}, does: does}
	if by != "resume" { // there it is a flag without a value
		h.run, h.of = append(h.run, session), nil
	}
	return h
}
