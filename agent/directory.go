package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// A MissingDirectoryError says that the working directory of a session of pi is
// gone. It is fs.ErrNotExist.
type MissingDirectoryError struct {
	// Recorded is the directory, Session the session's file, and Current where
	// the agent works.
	Recorded, Session, Current string
}

// Error returns the published text (pi 0.87.1), three lines.
func (e *MissingDirectoryError) Error() string {
	return fmt.Sprintf("Stored session working directory does not exist: %s\nSession file: %s\nCurrent working directory: %s",
		e.Recorded, e.Session, e.Current)
}

// Unwrap returns fs.ErrNotExist.
func (e *MissingDirectoryError) Unwrap() error { return fs.ErrNotExist }

// mayWork decides whether the agent may go to a session because of where that was
// recorded, and where it works then. One that is not gone to is closed.
func (a *Agent) mayWork(ctx context.Context, from place, t *target) (ok bool, err error) {
	if !t.own || a.sameDirectory(from.dir, t.s.CWD()) {
		return true, nil
	}
	defer func() {
		if !ok || err != nil {
			err = errors.Join(err, t.s.Close()) // nothing was written
		}
	}()
	recorded, current := t.s.CWD(), from.dir
	if a.opt.OnDirectory != nil {
		t.dir, err = a.opt.OnDirectory(ctx, recorded, current)
		if err != nil {
			return false, fmt.Errorf("go to directory %q: %w", recorded, err)
		}
		return t.dir != "", ctx.Err()
	}
	switch t.s.Dialect() {
	case dialect.Omp:
		a.say(fmt.Sprintf("The session belongs to %s, and nobody can be asked whether to go there.", recorded))
		return false, nil
	case dialect.Pi:
		info, err := a.fs().Stat(recorded)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode.IsDir() {
			return false, &MissingDirectoryError{Recorded: recorded, Session: t.s.Path(), Current: current}
		}
		if err != nil {
			return false, fmt.Errorf("go to directory %q: %w", recorded, err)
		}
	}
	return true, nil
}

// sameDirectory reports whether two directories are one, by their names.
func (a *Agent) sameDirectory(x, y string) bool {
	real := func(dir string) string {
		if r := a.opt.Session.Env.Real; r != nil {
			if path, ok := r(dir); ok {
				return path
			}
		}
		return filepath.Clean(dir)
	}
	return x == y || real(x) == real(y)
}

// fs returns the file system.
func (a *Agent) fs() vfs.FS {
	if given := vfs.Of(a.opt.Session); given != nil {
		return given
	}
	return vfs.OS()
}
