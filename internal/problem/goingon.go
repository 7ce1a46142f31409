package problem

import (
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/internal/workplace"
)

// GoingOn says how a command ends that could not go on with a session because of where
// that belongs: it is of another project, its directory is gone, or it was recorded
// elsewhere. quoted is a value as questions show it. ok is false for any other error.
func GoingOn(err error, quoted func(string) string) (p Problem, ok bool) {
	var (
		other *work.OtherProject
		gone  *work.Gone
		where *work.Elsewhere
	)
	switch {
	case errors.As(err, &other):
		return otherProject(other), true
	case errors.As(err, &gone):
		return goneHouse(gone), true
	case errors.As(err, &where):
		return elsewhere(where, quoted), true
	}
	return p, false
}

// otherProject says what to do with a session of another project.
func otherProject(e *work.OtherProject) Problem {
	p := Problem{Exit: ExitRefused, Path: e.Target.Path, Text: e.Error(), Err: e}
	if e.Asked {
		return p
	}
	by, of := string(e.By), CalledAs(e.Arg, e.Target)
	ways := []Hint{forksIt(by, of, "goes on with a fork of it in this directory")}
	if e.Place.Unfit == "" {
		ways = append(ways, worksIn(by, e.Place.Dir, of, "with itself in its own"))
	}
	p.Todo = Advice(ways...)
	return p
}

// goneHouse says what to do with a session whose directory is gone.
func goneHouse(e *work.Gone) Problem {
	p := Problem{Exit: ExitRefused, Path: e.Target.Path, Todo: "run it on a terminal to be asked, or move the session first", Text: e.Error()}
	for _, h := range e.Houses {
		p.Candidates = append(p.Candidates, h.Dir)
		if line, ok := (Hint{Run: []string{Program, "move"}, Of: []string{e.Target.Path, h.Dir}}).Line(); ok {
			p.Hints = append(p.Hints, line+"  ("+h.Why+")")
		}
	}
	return p
}

// elsewhere says what a person can do with a session that was recorded elsewhere, who
// means it.
func elsewhere(e *work.Elsewhere, quoted func(string) string) Problem {
	p := Problem{Exit: ExitRefused, Path: e.Target.Path}
	var all []Hint
	by, path := string(e.By), e.Target.Path
	if where := PlaceNamed(e.Place, quoted); e.Place.Unfit == "" {
		p.Text = fmt.Sprintf("go on with session %q: it was recorded in another directory, %s", e.Target.ID, where)
		all = append(all, worksIn(by, e.Place.Dir, path, "goes on with it there"))
	} else {
		p.Text = fmt.Sprintf("go on with session %q: it was recorded in %s, where nothing is run: %s", e.Target.ID, where, e.Place.Unfit)
	}
	if e.Own {
		all = append(all, worksIn(by, e.Dir, path, "goes on with it here"))
	}
	p.Todo = Advice(append(all, forksIt(by, path, "goes on with a fork of it here"))...)
	return p
}

// PlaceNamed names a place, every character of it.
func PlaceNamed(p workplace.Place, quoted func(string) string) string {
	if p.Dir != "" && p.Dir != p.Named {
		return quoted(p.Named) + ", which is " + quoted(p.Dir)
	}
	return quoted(p.Named)
}

// worksIn is how a command goes on with a session in a directory that a person
// names.
func worksIn(by, dir, session, does string) Hint {
	h := Hint{Run: []string{Program, by, "--cwd", dir}, Of: []string{session}, Does: does}
	if by == "run" {
		h.Run, h.Of = append(h.Run, "--resume", session), nil
	}
	return h
}

// forksIt is how a command goes on with a fork of a session in this directory.
func forksIt(by, session, does string) Hint {
	h := Hint{Run: []string{Program, by, "--fork"}, Of: []string{session}, Does: does}
	if by != "resume" { // there it is a flag without a value
		h.Run, h.Of = append(h.Run, session), nil
	}
	return h
}

// InStore says what to do with a session of the shared store, which its program
// cannot go on with.
func InStore(l *work.Library, t work.Target) Problem {
	sync, here := Hint{Run: []string{Program, "sync"}}, ""
	if l.Env.Getenv("CAMBIUM_STORE") != l.Store {
		sync.Of = []string{work.PlainURL(l.Store)}
	}
	if l.Env.Getenv("CAMBIUM_STORE") != "" {
		here = "CAMBIUM_STORE= "
	}
	p := Problem{Exit: ExitRefused, Path: t.Path, Text: fmt.Sprintf("resume session %q: it is in a shared store, and %s goes on with files", t.ID, t.Agent)}
	if t.Path == "" {
		p.Text = fmt.Sprintf("continue: no session of %q is in the shared store, and %s begins files", t.CWD, t.Agent)
		p.Todo = "`cambium run` begins one there"
		return p
	}
	first, ok := sync.Line()
	then, also := Hint{Run: []string{Program, "resume"}, Of: []string{CalledAs(t.ID, t)}}.Line()
	if ok && also {
		p.Todo = "`" + first + " && " + here + then + "` brings it here and goes on with it; "
	}
	p.Todo += Advice(Hint{Run: []string{Program, "run", "--resume", CalledAs(t.ID, t)}, Does: "goes on with it there"})
	return p
}
