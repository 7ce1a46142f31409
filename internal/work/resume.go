package work

import (
	"context"
	"errors"

	"github.com/cambium-dev/cambium/internal/workplace"
	"github.com/cambium-dev/cambium/session"
)

// By is the command that goes on with a session.
type By string

// The commands.
const (
	ByResume By = "resume" // and continue: in the program of the session
	ByRun    By = "run"    // the built-in agent
	ByChat   By = "chat"   // the built-in agent, on a screen
)

// ErrStays says that a person wants a session to stay where it is, whose directory is
// gone.
var ErrStays = errors.New("cancelled")

// ResumeOptions say how a session is gone on with by its program.
type ResumeOptions struct {
	// Leaf names the entry to go on from, "" for where the session stands.
	Leaf string
	// Fork goes on with a fork of it in this working directory.
	Fork bool
	// Here says that a person named the working directory.
	Here bool
	// Only says that nothing is started.
	Only bool
}

// Resume makes the session that arg names ready to be gone on with by its program. The
// error may be an [*OtherProject], a [*Gone], an [*Elsewhere], or ErrStays.
func Resume(ctx context.Context, l *Library, arg string, o ResumeOptions) (Target, error) {
	path, err := l.Resolve(ctx, arg)
	if err != nil {
		return Target{}, err
	}
	t, err := o.find(ctx, l, path)
	if err != nil {
		return t, err
	}
	if !o.Fork {
		if o.Fork, err = forks(ctx, l, arg, t, ByResume); err != nil {
			return t, err
		}
	}
	return o.ready(ctx, l, arg, t)
}

// Continue makes the session that this terminal last used here ready to be gone on
// with, else the newest of this working directory. A target without a path is none:
// its agent is the one that was used here.
func Continue(ctx context.Context, l *Library, o ResumeOptions) (Target, error) {
	next, err := l.Next(ctx)
	if err != nil {
		return Target{}, &Error{Listing, l.SessionDir, err}
	}
	if next.Path == "" {
		t := Target{Agent: next.Agent, CWD: l.Dir, Dir: l.Dir}
		if l.Agent != "" {
			t.Agent = l.Agent
		}
		return t, nil
	}
	t, err := o.find(ctx, l, next.Path)
	if err != nil {
		return t, err
	}
	return o.ready(ctx, l, next.Path, t)
}

func (o *ResumeOptions) find(ctx context.Context, l *Library, path string) (Target, error) {
	if o.Only {
		return Find(ctx, l, path)
	}
	return glance(ctx, l, path, ByResume)
}

// ready does to a session what was asked for.
func (o *ResumeOptions) ready(ctx context.Context, l *Library, arg string, t Target) (Target, error) {
	t, err := settle(ctx, l, arg, t, o.Fork)
	if err != nil {
		return t, err
	}
	if !o.Only && l.Shared == nil && t.Dir == "" { // else nothing is started, or it is agreed to
		if t.Dir, err = agreedPlace(ctx, l, t, ByResume, o.Here); err != nil {
			return t, err
		}
	}
	dir := t.Dir
	if o.Leaf != "" {
		t, err = leafAt(ctx, l, t, o.Leaf)
	} else {
		t, err = beside(ctx, l, t)
	}
	t.Dir = dir
	return t, err
}

// settle returns the session to go on with: a fork of it in this directory, or
// itself, moved if its directory is gone.
func settle(ctx context.Context, l *Library, arg string, t Target, fork bool) (Target, error) {
	switch {
	case fork:
		return forked(ctx, l, t)
	case l.Shared == nil && workplace.Look(t.CWD, machine(l)).Gone:
		return rehoused(ctx, l, arg, t)
	}
	return t, nil
}

// forked makes a fork of a session in this directory.
func forked(ctx context.Context, l *Library, t Target) (Target, error) {
	s, err := session.ForkFrom(ctx, t.Path, l.Dir, l.Session())
	if err != nil {
		return t, saving(t.Path, err)
	}
	now := TargetOf(s)
	if err := s.Close(); err != nil {
		return t, saving(now.Path, err)
	}
	l.note(now.Path, "a fork of "+t.Path)
	return now, nil
}

// leafAt makes an entry the place where the session goes on.
func leafAt(ctx context.Context, l *Library, t Target, leaf string) (Target, error) {
	s, err := l.OpenAny(ctx, t.Path)
	if err != nil {
		return t, err
	}
	at, err := EntryID(s, leaf)
	if now, ok := s.Leaf(); err == nil && (!ok || now != at) {
		_, err = s.SaveLeaf(ctx, at)
	}
	now := TargetOf(s)
	if closed := s.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return t, saving(t.Path, err)
	}
	return now, nil
}

// beside does what the options say with a session that others have open.
func beside(ctx context.Context, l *Library, t Target) (Target, error) {
	others, err := l.Who(ctx, t.Path)
	if err != nil || len(others) == 0 {
		return t, err
	}
	if l.GoesBeside() {
		l.note(t.Path, session.Busily(others)+"; what each appends is a branch of its own")
		return t, nil
	}
	s, err := l.OpenBeside(ctx, t.Path, others)
	if err != nil {
		return t, err
	}
	now := TargetOf(s)
	return now, s.Close()
}
