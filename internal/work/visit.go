package work

import (
	"context"
	"path/filepath"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/breadcrumb"
	"github.com/cambium-dev/cambium/internal/engine"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
)

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
