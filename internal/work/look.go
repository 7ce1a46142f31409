package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/breadcrumb"
	"github.com/cambium-dev/cambium/internal/engine"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

// A Sight is what is known of a path without opening what is there.
type Sight struct {
	Thing journal.Thing
	// Path is where it is.
	Path string
	// ID, CWD and Agent are those of a session. CWD is "" where its header names none,
	// Agent where only its entries tell.
	ID, CWD string
	Agent   dialect.Name
}

// Look says what is at the path of a session, on the disk or in the shared store: the
// one place that decides it. It reads no further than the header of a session.
func (l *Library) Look(ctx context.Context, path string) (Sight, error) {
	store := storage.Store(local.New(vfs.On(local.Options{}, fsOf(l))))
	if l.Shared != nil {
		store = l.Shared.Store
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(l.Env.Cwd, path)
	}
	home := dialect.Name(places.Owner(path, l.StoreEnv()))
	if p := foreign.From(l.Session()).Of(path); p != nil && l.Shared == nil {
		store, home = foreign.Store(fsOf(l), p), p.Name()
	}
	sight := Sight{Path: path}
	thing, h, err := journal.Look(ctx, journal.Options{Store: store, Name: path, ParseSlot: spelling.ParseSlot})
	switch {
	case errors.Is(err, storage.ErrNotRegular):
		sight.Thing = journal.Irregular
		if info, err := l.Stat(path); err == nil {
			sight.Thing = journal.ThingOf(info.Mode())
		}
		return sight, nil
	case err != nil:
		return sight, fmt.Errorf("open session %q: %w", path, Cause(err))
	}
	sight.Thing = thing
	if thing == journal.Session {
		sight.ID, sight.CWD = h.ID, h.CWD
		sight.Agent = told(cmp.Or(l.Agent, home), &h)
	}
	return sight, nil
}

// told is the dialect of a session that lies in a home and has a header, "" where
// its entries tell it.
func told(home dialect.Name, h *entry.Header) dialect.Name {
	var pi spelling.Marks
	pi.See(entry.SessionInfo, nil)
	name := spelling.NameOf(home, h, spelling.Marks{})
	if name != spelling.NameOf(home, h, pi) {
		return ""
	}
	return name
}

// Begun reports whether there is anything at a path but nothing, or an empty file.
func Begun(l *Library, path string) bool {
	info, err := l.Stat(path)
	return err == nil && (info.Size() > 0 || !info.Mode().IsRegular())
}

// Present looks at the session that arg names. One that is missing is refused.
func (l *Library) Present(ctx context.Context, arg string) (Sight, error) {
	path, err := l.Resolve(ctx, arg)
	if err != nil {
		return Sight{}, err
	}
	sight, err := present(ctx, l, path)
	var empty *Empty
	if errors.As(err, &empty) {
		err = nil
	}
	return sight, err
}

// existing returns the path of the session that arg names. One that is missing
// or empty is refused.
func (l *Library) existing(ctx context.Context, arg string) (string, error) {
	path, err := l.Resolve(ctx, arg)
	if err != nil {
		return "", err
	}
	_, err = present(ctx, l, path)
	return path, err
}

// present looks at a path at which a session is to be. One that is missing or empty is
// refused. What is wrong with others is said when they are opened.
func present(ctx context.Context, l *Library, path string) (Sight, error) {
	sight, err := l.Look(ctx, path)
	switch {
	case ctx.Err() != nil:
		return sight, opening(path, ctx.Err())
	case err != nil:
		sight.Thing = journal.Irregular
	case sight.Thing == journal.Nothing:
		return sight, opening(path, &journal.ThingError{Path: path, Thing: sight.Thing, Err: fs.ErrNotExist})
	case sight.Thing == journal.Blank:
		return sight, &Empty{path}
	}
	return sight, nil
}

// What a terminal last used in a shared store is noted as of files (two lines),
// but by itself: the agents' programs would take the path of a store for that of
// a file.

// Visited notes that a session is in use in this terminal. What cannot be noted
// is not.
func (l *Library) Visited(v session.Visit) {
	if l.Shared != nil {
		l.visitedThere(v)
		return
	}
	o := engine.Options{Env: l.Env, Terminal: l.Terminal, Agent: l.Agent, AgentDir: l.AgentDir}
	o.Visited(v)
}

// crumbThere is the note of this terminal about the shared store; "" for none.
func (l *Library) crumbThere() (dir, id string) {
	id, ok := places.TerminalID(string(dialect.Cambium), l.Terminal, l.Env)
	own := l.storeState()
	if !ok || own == "" {
		return "", ""
	}
	return filepath.Join(own, "terminals"), id
}

// visitedThere notes that a session of the shared store is in use in this
// terminal.
func (l *Library) visitedThere(v session.Visit) {
	if dir, id := l.crumbThere(); dir != "" {
		_ = breadcrumb.Write(dir, id, breadcrumb.Crumb{CWD: l.Homely(v.CWD), Path: v.Path}) // a convenience, never an error
	}
}

// Next says what to go on with in this directory: on the disk, or in the shared
// store, where it is what this terminal last used of it, else the newest of the
// directory.
func (l *Library) Next(ctx context.Context) (catalog.Next, error) {
	o := l.Catalog()
	o.CWD = l.Dir
	if l.Shared == nil {
		return catalog.Continue(ctx, l.Terminal, o)
	}
	if dir, id := l.crumbThere(); dir != "" {
		crumb, ok := breadcrumb.Read(vfs.OS(), filepath.Join(dir, id))
		whose := dialect.Name(places.Owner(crumb.Path, l.StoreEnv()))
		if ok && crumb.Of(l.Dir, l.Env.Real) && (l.Agent == "" || l.Agent == whose) {
			if info, err := l.Stat(crumb.Path); err == nil && info.Mode().IsRegular() {
				return catalog.Next{Path: crumb.Path}, nil
			}
		}
	}
	return catalog.Continue(ctx, "", o)
}
