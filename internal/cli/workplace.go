package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/internal/workplace"
)

// agreedPlace returns the directory in which a session is gone on with: the one
// place that decides it. That is where the person is, or what --cwd names, if the
// session was recorded there; what else its header names is shown and asked about,
// or refused where nobody can be asked. The built-in agent can work where it is
// told; other programs go where the session says. by is the command that goes on.
func (a *app) agreedPlace(ctx context.Context, t target, by string) (string, error) {
	recorded := a.lib.Homely(t.cwd)
	own := by != "resume" || a.command(t)[0] == ownProgram
	switch {
	case filepath.IsAbs(recorded) && a.lib.SameDir(recorded, a.lib.Dir):
		return a.lib.Dir, nil
	case own && a.flags.cwd != "":
		return a.lib.Dir, nil
	}
	q := placeQuestion{a: a, t: t, by: by, own: own, place: workplace.Look(recorded, a.machine())}
	refusal := problem{exit: exitRefused, path: t.path, text: q.refusal(), todo: q.ways()}
	if q.place.Unfit != "" && !own || !a.asks() {
		return "", refusal
	}
	yes, err := a.agreed(ctx, q.question())
	switch {
	case err != nil:
		return "", err
	case !yes:
		return "", refusal
	case q.place.Unfit != "":
		return a.lib.Dir, nil
	}
	return q.place.Dir, nil
}

// machine is what is asked of the disk about a place.
func (a *app) machine() workplace.Machine {
	return workplace.Machine{Home: a.lib.Env.Home, Real: a.lib.Env.Real, IsDir: work.IsDir}
}

// fit returns the directory that a session names, if it may be asked about.
func (a *app) fit(t target) (string, bool) {
	p := workplace.Look(a.lib.Homely(t.cwd), a.machine())
	return p.Dir, p.Unfit == ""
}

// A placeQuestion is what is asked about the place of a session.
type placeQuestion struct {
	a     *app
	t     target
	by    string
	own   bool // the built-in agent goes on
	place workplace.Place
}

// where names the place, every character of it.
func (q placeQuestion) where() string {
	if q.place.Dir != "" && q.place.Dir != q.place.Named {
		return q.a.quoted(q.place.Named) + ", which is " + q.a.quoted(q.place.Dir)
	}
	return q.a.quoted(q.place.Named)
}

// question is what is asked: who says yes agrees to the place that it names last.
func (q placeQuestion) question() string {
	if q.place.Unfit != "" {
		return fmt.Sprintf("Session was recorded in %s, where nothing is run: %s. Work in this directory, %s?", q.where(), q.place.Unfit, q.a.quoted(q.a.lib.Dir))
	}
	return fmt.Sprintf("Session was recorded in another directory, %s. Work there?", q.where())
}

// refusal says what was met.
func (q placeQuestion) refusal() string {
	text := fmt.Sprintf("go on with session %q: it was recorded in another directory, %s", q.t.id, q.where())
	if q.place.Unfit != "" {
		text = fmt.Sprintf("go on with session %q: it was recorded in %s, where nothing is run: %s", q.t.id, q.where(), q.place.Unfit)
	}
	return text
}

// ways says what a person can do who means it.
func (q placeQuestion) ways() string {
	var all []hint
	if q.place.Unfit == "" {
		all = append(all, worksIn(q.by, q.place.Dir, q.t.path, "goes on with it there"))
	}
	if q.own {
		all = append(all, worksIn(q.by, q.a.lib.Dir, q.t.path, "goes on with it here"))
	}
	return advice(append(all, forksIt(q.by, q.t.path, "goes on with a fork of it here"))...)
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
