package cli

import (
	"context"
	"path/filepath"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/breadcrumb"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// What a terminal last used in a shared store is noted as of files (two lines),
// but by itself: the agents' programs would take the path of a store for that of
// a file.

// crumbThere is the note of this terminal about the shared store; "" for none.
func (a *app) crumbThere() (dir, id string) {
	id, ok := layout.TerminalID(string(dialect.Cambium), a.device(), a.env)
	own := a.storeState()
	if !ok || own == "" {
		return "", ""
	}
	return filepath.Join(own, "terminals"), id
}

// visitedThere notes that a session of the shared store is in use in this
// terminal.
func (a *app) visitedThere(v session.Visit) {
	if dir, id := a.crumbThere(); dir != "" {
		_ = breadcrumb.Write(dir, id, breadcrumb.Crumb{CWD: a.homely(v.CWD), Path: v.Path}) // a convenience, never an error
	}
}

// next says what to go on with in this directory: on the disk, or in the shared
// store, where it is what this terminal last used of it, else the newest of the
// directory.
func (a *app) next(ctx context.Context) (catalog.Next, error) {
	o := a.catalogOptions()
	o.CWD = a.Dir
	if a.shared == nil {
		return catalog.Continue(ctx, a.device(), o)
	}
	if dir, id := a.crumbThere(); dir != "" {
		crumb, ok := breadcrumb.Read(vfs.OS(), filepath.Join(dir, id))
		whose := dialect.Name(layout.Owner(crumb.Path, a.storeEnv()))
		if ok && crumb.Of(a.Dir, a.env.Real) && (a.agent == "" || a.agent == whose) {
			if info, err := a.statPath(crumb.Path); err == nil && info.Mode().IsRegular() {
				return catalog.Next{Path: crumb.Path}, nil
			}
		}
	}
	return catalog.Continue(ctx, "", o)
}
