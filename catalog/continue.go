package catalog

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"syscall"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/breadcrumb"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/layout"
)

// errNotDir is the cause of looking below what is no directory.
const errNotDir = syscall.ENOTDIR

// A Next is what to go on with in a working directory.
type Next struct {
	// Path is the session to open; "" when a new one is to be begun.
	Path string
	// Agent is whose new session it is to be, "" when nothing says so.
	Agent dialect.Name
	// From is the working directory that the session at Path belonged to, when
	// it has become the present one (the same directory under another name):
	// the session is to be moved. "" otherwise.
	From string
}

// Continue says what to go on with in o.CWD, in the published order (P3): the
// session that this terminal last used there, by the notes that the programs
// keep; else the session of the directory whose file changed last, passing over
// those of omp that are hollow (18.3); else a new one. tty is the terminal's device, "" when only the environment tells which it
// is.
//
// Of several programs' notes the one written last counts first. omp's own rules
// hold for its notes (18.2.3): one of a session that was begun and never
// written means a new session; one of a file among a session's artifacts means
// that session; and if its directory is gone, no session of o.CWD exists, and
// o.CWD is the directory that it was (by device and inode), the session is to be
// moved there. omp's and pi's sessions must lie in SessionDir, if that is set;
// the others' need not.
func Continue(ctx context.Context, tty string, o Options) (Next, error) {
	crumbs := o.crumbs(tty)
	for _, c := range crumbs {
		if next, ok := o.follow(c); ok {
			return next, nil
		}
	}
	info, err := o.newest(ctx, func(i *Info) bool { return i.Agent != dialect.Omp || !i.hollow() })
	var none *NotFound
	switch {
	case err == nil:
		return Next{Path: info.Path}, nil
	case !errors.As(err, &none) && !errors.Is(err, fs.ErrNotExist):
		return Next{}, err
	}
	for _, c := range crumbs {
		if c.agent == dialect.Omp && o.became(c) {
			return Next{Path: c.Path, From: c.CWD}, nil
		}
	}
	return Next{}, nil
}

// A note is what one program noted about this terminal.
type note struct {
	breadcrumb.Crumb
	agent   dialect.Name // who wrote it
	written int64        // when, and
	changed int64        // when its session changed, in ns
}

// crumbs returns the notes about this terminal, the last one first. Cambium's own
// are about sessions of all agents. Programs note files only, nothing of a store.
func (o *Options) crumbs(tty string) []note {
	if o.Store != nil {
		return nil
	}
	homes := o.places()
	own := func(p places.Place) bool { return p.Name == string(dialect.Cambium) }
	if !slices.ContainsFunc(homes, own) {
		homes = append(homes, places.For(string(dialect.Cambium), o.Env, layout.Overrides{}))
	}
	var all []note
	for _, place := range homes {
		id, ok := places.TerminalID(place.Name, tty, o.Env)
		if !ok || place.Breadcrumbs == "" {
			continue
		}
		name := path.Join(place.Breadcrumbs, id)
		crumb, ok := breadcrumb.Read(o.fsys(), name)
		if !ok {
			continue
		}
		c := note{Crumb: crumb, agent: dialect.Name(place.Name)}
		if c.agent == dialect.Omp {
			c.Path = o.lift(c.Path)
		}
		if !o.counts(c) {
			continue
		}
		if info, err := o.fsys().Stat(name); err == nil {
			c.written = info.ModTime
		}
		if info, err := o.fsys().Stat(c.Path); err == nil {
			c.changed = info.ModTime
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b note) int {
		return cmp.Or(cmp.Compare(b.written, a.written), cmp.Compare(b.changed, a.changed))
	})
	return all
}

// counts reports whether a note is about a session that was asked for.
func (o *Options) counts(c note) bool {
	whose := c.agent
	if whose == dialect.Cambium {
		owner := dialect.Name(places.Owner(c.Path, o.Env))
		if owner != "" {
			whose = owner
		}
	}
	if len(o.Agents) > 0 && !slices.Contains(o.Agents, whose) {
		return false
	}
	inside := o.SessionDir == "" || path.Dir(c.Path) == path.Clean(o.SessionDir)
	return inside || whose != dialect.Omp && whose != dialect.Pi
}

// follow returns what a note says to go on with.
func (o *Options) follow(c note) (Next, bool) {
	info, err := o.fsys().Stat(c.Path)
	there := err == nil && info.Regular()
	if c.agent == dialect.Omp && c.Fresh && !there {
		return Next{Agent: dialect.Omp}, true
	}
	if !there || !c.Of(o.CWD, o.Env.Real) && !machine(o.Env).Same(c.CWD, o.CWD) {
		return Next{}, false
	}
	return Next{Path: c.Path}, true
}

// became reports whether the directory of a note is gone and has become o.CWD.
func (o *Options) became(c note) bool {
	is, ok := breadcrumb.Identify(o.fsys(), o.CWD)
	info, err := o.fsys().Stat(c.Path)
	return ok && c.Dir == is && err == nil && info.Regular() && !isDir(o.fsys(), c.CWD)
}

// maxLift is how many sessions inside one another's artifacts are stepped out
// of.
const maxLift = 8

// lift returns the session to whose artifacts a file belongs: the path itself
// when it belongs to none.
func (o *Options) lift(file string) string {
	for range maxLift {
		owner := path.Dir(file) + ident.Ext
		info, err := o.fsys().Stat(owner)
		if err != nil || !info.Regular() {
			break
		}
		file = owner
	}
	return file
}
