package work

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/presence"
	"github.com/cambium-dev/cambium/session"
)

// GoOnOptions say with which session the built-in agent goes on. Without Continue,
// Resume and Fork it is a new one.
type GoOnOptions struct {
	By By
	// Continue goes on with what this terminal last used here.
	Continue bool
	// Resume and Fork name the session.
	Resume, Fork string
	// Here says that a person named the working directory.
	Here bool
}

// A Going is the session that the built-in agent goes on with.
type Going struct {
	// Target is the session, with the directory in which it is gone on with; that of a
	// new one has no path.
	Target
	// Restored says that it was a draft until now: nobody else can have it open.
	Restored bool
}

// GoOn finds the session that the built-in agent goes on with. The error may be an
// [*OtherProject], a [*Gone], an [*Elsewhere], or ErrStays.
func GoOn(ctx context.Context, l *Library, o GoOnOptions) (Going, error) {
	g, err := o.find(ctx, l)
	if err != nil || g.Path == "" || g.Dir != "" {
		return g, err
	}
	g.Dir, err = agreedPlace(ctx, l, g.Target, o.By, o.Here)
	return g, err
}

func (o *GoOnOptions) find(ctx context.Context, l *Library) (g Going, err error) {
	switch {
	case o.Continue:
		return o.continued(ctx, l)
	case o.Resume != "":
		g.Target, err = o.resumed(ctx, l)
	case o.Fork != "":
		path, err := l.Resolve(ctx, o.Fork)
		if err != nil {
			return g, err
		}
		if g.Target, err = glance(ctx, l, path, o.By); err != nil {
			return g, err
		}
		g.Target, err = forked(ctx, l, g.Target)
		return g, err
	}
	return g, err
}

// resumed finds the session that is named.
func (o *GoOnOptions) resumed(ctx context.Context, l *Library) (Target, error) {
	path, err := l.Resolve(ctx, o.Resume)
	if err != nil {
		return Target{}, err
	}
	t, err := glance(ctx, l, path, o.By)
	if err != nil {
		return t, err
	}
	fork, err := forks(ctx, l, o.Resume, t, o.By)
	if err != nil {
		return t, err
	}
	return o.settle(ctx, l, o.Resume, t, fork)
}

// settle is that of all, but for a session that is gone on with where a person says:
// it may be one of a directory that is gone.
func (o *GoOnOptions) settle(ctx context.Context, l *Library, arg string, t Target, fork bool) (Target, error) {
	if o.Here && !fork {
		return t, nil
	}
	return settle(ctx, l, arg, t, fork)
}

// continued finds what is gone on with here: where a prompt of this directory was
// interrupted before it was answered, and nothing was said since, its session; else
// what Continue does.
func (o *GoOnOptions) continued(ctx context.Context, l *Library) (g Going, err error) {
	opt := foreign.On(l.Catalog(), foreign.Programs{}) // nothing of theirs is gone on with
	opt.CWD = l.Dir
	next, err := catalog.Continue(ctx, l.Terminal, opt)
	if err != nil {
		return g, &Error{Listing, l.SessionDir, err}
	}
	if path := interrupted(ctx, l, next.Path); path != "" {
		next.Path, g.Restored = path, true
	}
	if next.Path == "" {
		return g, nil
	}
	if g.Target, err = glance(ctx, l, next.Path, o.By); err != nil {
		return g, err
	}
	g.Target, err = o.settle(ctx, l, next.Path, g.Target, false)
	return g, err
}

// interrupted restores the newest draft of this directory that holds a prompt or a
// person's own command and is newer than the session at a path, and returns where
// it is; "" for none. What cannot be restored stays a draft.
func interrupted(ctx context.Context, l *Library, path string) string {
	const most = 8 // are looked into
	if l.Shared != nil {
		return "" // drafts are of files
	}
	all, err := l.Journal().Drafts(ctx)
	if err != nil {
		return ""
	}
	var since time.Time
	if info, err := vfs.OS().Stat(path); err == nil {
		since = time.Unix(0, info.ModTime)
	}
	all = slices.DeleteFunc(all, func(k state.Kept) bool {
		return k.Busy || k.Saved || !k.Marked || !k.Modified.After(since) || l.Agent != "" && string(l.Agent) != k.Agent ||
			l.SessionDir != "" && filepath.Dir(k.Path) != l.SessionDir
	})
	slices.SortStableFunc(all, func(x, y state.Kept) int { return y.Modified.Compare(x.Modified) })
	for _, k := range all[:min(len(all), most)] {
		d := l.Describe(ctx, k)
		if d.Damaged || d.First == "" || !l.SameDir(d.CWD, l.Dir) {
			continue
		}
		done, err := l.Journal().RestoreDraft(ctx, k, "")
		if err != nil {
			return ""
		}
		l.note(done.Now, "what was begun here, and not answered, is gone on with")
		return done.Now
	}
	return ""
}

// Begin is how the built-in agent begins and opens sessions: as published, with the
// first answer. They are those of the agent in whose home they lie.
func Begin(l *Library) session.Options {
	o := l.Session()
	o.FirstWrite, o.OnEvent = session.FirstAssistant, l.Happened("")
	if o.Dialect == "" {
		o.Dialect = inHome(l, o.Dir)
	}
	return o
}

// Open opens the session to go on with. hears, if it is not nil, is told what happens
// to it instead of notes.
func (g *Going) Open(ctx context.Context, l *Library, hears func(session.Event)) (*session.Session, error) {
	return l.OpenWith(ctx, g.Path, func(o *session.Options) {
		o.FirstWrite = session.FirstAssistant
		if g.Restored { // nobody else can have it open: it has its file since just now
			o.IfBusy, o.OnEvent = nil, withoutGuesses(o.OnEvent)
		}
		if hears != nil {
			o.OnEvent = func(e session.Event) {
				if !g.Restored || e.Kind != session.Busy {
					hears(e)
				}
			}
		}
	})
}

// withoutGuesses tells of others who have a session open only where that is sure.
func withoutGuesses(tell func(session.Event)) func(session.Event) {
	sure := func(h presence.Holder) bool { return h.Sure }
	return func(e session.Event) {
		if e.Kind != session.Busy || slices.ContainsFunc(e.Holders, sure) {
			tell(e)
		}
	}
}
