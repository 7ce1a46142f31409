package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
)

// resolve returns the path of the session that arg names. A path is not looked
// at.
func (a *app) resolve(ctx context.Context, arg string) (string, error) {
	path, err := a.lib.Resolve(ctx, arg)
	return path, explained(a, arg, err)
}

// explained is an error of the library as the command ends with it. Of a name that
// no session has it says where a file of that name is.
func explained(a *app, arg string, err error) error {
	var none *catalog.NotFound
	if errors.As(err, &none) {
		p := classify(err)
		if _, here := vfs.OS().Lstat(filepath.Join(a.lib.Dir, arg)); arg != "" && here == nil {
			if line, ok := (hint{of: []string{"./" + arg}}).line(); ok {
				p.todo = "for the file of that name say " + line
			}
		}
		return p
	}
	return told(err)
}

// openRead opens the session that arg names to look at it. What is wrong with it
// is said on stderr. The caller closes it.
func openRead(ctx context.Context, a *app, arg string) (*session.Session, error) {
	s, err := a.lib.OpenRead(ctx, arg)
	return s, explained(a, arg, err)
}

// openSource opens the session that arg names to look at it before something is
// made of it. The caller closes it.
func (a *app) openSource(ctx context.Context, arg string) (*session.Session, error) {
	s, err := a.lib.OpenSource(ctx, arg)
	return s, explained(a, arg, err)
}

// present returns the path of the session that arg names, and what is there.
// One that is missing is refused.
func present(ctx context.Context, a *app, arg string) (string, work.Sight, error) {
	sight, err := a.lib.Present(ctx, arg)
	return sight.Path, sight, explained(a, arg, err)
}

// openWith opens the session at a path to change it, with further options; one that
// is missing or empty becomes a new session there. What others do to it while it is
// open is said on stderr. The caller closes it.
func openWith(ctx context.Context, a *app, path string, set func(*session.Options)) (*session.Session, error) {
	s, err := a.lib.OpenWith(ctx, path, set)
	return s, told(err)
}

// trouble says of an error that came of opening path what to do about it.
func trouble(path string, err error) error {
	p := classify(err)
	p.path = path
	var link *vfs.LinkError
	thing := &journal.ThingError{Thing: journal.Irregular}
	errors.As(err, &thing)
	switch {
	case errors.As(err, &link) && link.Theirs:
		p.text = fmt.Sprintf("open session %q: %q is a symbolic link of somebody else's, which is not followed", path, link.Link)
		p.todo = "remove it, or make one of your own in its place"
	case errors.Is(err, vfs.ErrNotRegular):
		p.text, p.todo = fmt.Sprintf("open session %q: not a regular file", path), "name the session file itself"
		switch thing.Thing {
		case journal.Directory:
			p.text = fmt.Sprintf("open session %q: it is a directory", path)
			p.todo = "name a session file in it; `cambium ls --session-dir DIR` lists them"
		case journal.Pipe:
			p.text = fmt.Sprintf("open session %q: it is a named pipe", path)
		}
	case errors.Is(err, fs.ErrPermission):
		p.todo = "make it readable and try again"
	case errors.Is(err, syscall.ELOOP):
		p.exit, p.text = exitDamaged, fmt.Sprintf("open session %q: its links lead in a circle", path)
		p.todo = "name the session file itself"
	case thing.Thing == journal.Torn:
		p.text = fmt.Sprintf("open session %q: not a session: all that is there is a header that is cut off", path)
		p.todo = "nothing was said in it; `cambium rm` moves it to the trash"
	case errors.Is(err, session.ErrNotSession) && !errors.Is(err, session.ErrNoHeader):
		p.todo = "name a file that pi, omp, xcsh or cambium wrote; `cambium ls` lists them"
	case errors.Is(err, session.ErrReadOnly) && p.todo == "":
		p.todo = "`cambium fork` makes a copy that can be written"
	case errors.Is(err, fs.ErrNotExist) && p.todo == "":
		p.text, p.todo = fmt.Sprintf("open session %q: no such file", path), "`cambium ls` lists the sessions"
	}
	return p
}
