package work

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/engine"
	"github.com/cambium-dev/cambium/internal/workplace"
)

// A Whither is what a person wants done with a session of another project.
type Whither int

// The ways.
const (
	Leave Whither = iota // leave it
	There                // go where it is
	Here                 // fork it into this project
)

// An OtherProject error is for a session that was found by a name and belongs to
// another project, which is there.
type OtherProject struct {
	Arg    string
	Target Target
	By     By
	// Place is the directory that the session names.
	Place workplace.Place
	// Asked says that a person wants to leave it.
	Asked bool
}

// Error says where it belongs.
func (e *OtherProject) Error() string { return engine.InOtherProject(e.Arg, e.Target.CWD) }

// Foreign reports whether a session that was found by a name is of another project,
// which is there: the one place that decides it.
func Foreign(l *Library, arg string, t Target) bool {
	return !catalog.IsPath(arg) && l.SessionDir == "" && !l.SameDir(t.CWD, l.Dir) && IsDir(t.CWD)
}

// forks reports whether a fork is to be gone on with, as a person says, because the
// session is of another project. The error is an [*OtherProject].
func forks(ctx context.Context, l *Library, arg string, t Target, by By) (bool, error) {
	if !Foreign(l, arg, t) {
		return false, nil
	}
	other := &OtherProject{Arg: arg, Target: t, By: by, Place: workplace.Look(l.Homely(t.CWD), machine(l))}
	if !l.front.asks() {
		return false, other
	}
	way, err := l.front.Foreign(ctx, other)
	if err == nil && way == Leave {
		other.Asked = true
		err = other
	}
	return way == Here, err
}

// An Elsewhere is a session that is gone on with and was recorded in another directory
// than this one: a question, and the error where nobody can be asked, or says no.
type Elsewhere struct {
	Target Target
	By     By
	// Own says that the built-in agent goes on, which can work where it is told.
	Own bool
	// Place is the directory that the session names, Dir the one that the person is in.
	Place workplace.Place
	Dir   string
}

// Error says where it was recorded.
func (e *Elsewhere) Error() string {
	return fmt.Sprintf("go on with session %q: it was recorded in another directory, %q", e.Target.ID, e.Place.Named)
}

// agreedPlace returns the directory in which a session is gone on with: the one
// place that decides it. That is where the person is, or what they named (here), if
// the session was recorded there; what else its header names is shown and asked about,
// or refused where nobody can be asked. The built-in agent can work where it is
// told; other programs go where the session says. The error is an [*Elsewhere].
func agreedPlace(ctx context.Context, l *Library, t Target, by By, here bool) (string, error) {
	recorded := l.Homely(t.CWD)
	own := by != ByResume || t.Own()
	switch {
	case filepath.IsAbs(recorded) && l.SameDir(recorded, l.Dir):
		return l.Dir, nil
	case own && here:
		return l.Dir, nil
	}
	q := &Elsewhere{Target: t, By: by, Own: own, Place: workplace.Look(recorded, machine(l)), Dir: l.Dir}
	if q.Place.Unfit != "" && !own || !l.front.asks() {
		return "", q
	}
	yes, err := l.front.Place(ctx, q)
	switch {
	case err != nil:
		return "", err
	case !yes:
		return "", q
	case q.Place.Unfit != "":
		return l.Dir, nil
	}
	return q.Place.Dir, nil
}

// machine is what is asked of the disk about a place.
func machine(l *Library) workplace.Machine {
	return workplace.Machine{Home: l.Env.Home, Real: l.Env.Real, IsDir: IsDir}
}
