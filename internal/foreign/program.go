package foreign

import (
	"context"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/mosaic"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

// A Program is an agent whose sessions are read and never written. Its methods are safe for
// concurrent use. Names are absolute paths; one that leads into a database goes on behind it,
// with the session's id, as if the database were a directory.
type Program interface {
	// Name is what the program is called where a dialect could stand.
	Name() dialect.Name
	// Folders returns the directories that hold sessions of the program, directly, and
	// tells of those that cannot be read. A home that is not there has none.
	Folders(ctx context.Context, fsys vfs.FS, env layout.Env, unread func(dir string, err error)) []string
	// Roots returns the directories in or below which all of its sessions are that are files
	// for themselves. It looks at nothing.
	Roots(env layout.Env) []string
	// Owns reports whether a name is one of the program's sessions, or would be if it were
	// there. It looks at nothing.
	Owns(name string, env layout.Env) bool
	// Survey adds the sessions directly in a directory to a roll. Of each it tells a state
	// that changes whenever the session does.
	Survey(ctx context.Context, fsys vfs.FS, dir string, to *vfs.Roll) error
	// Stat returns that state of one session.
	Stat(ctx context.Context, fsys vfs.FS, name string) (source.State, error)
	// Read returns the lines of a session. The caller closes them.
	Read(ctx context.Context, fsys vfs.FS, name string) (*mosaic.Mosaic, error)
}
