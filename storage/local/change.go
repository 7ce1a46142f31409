package local

import (
	"errors"
	"syscall"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// compare answers what became of the file since a mark: nil if nothing. info
// and err are what look returned. l.mu is held.
func (l *log) compare(after storage.Mark, info vfs.Info, err error) error {
	switch {
	case err != nil && !errors.Is(err, storage.ErrNotExist):
		return err
	case err != nil && after.IsZero():
		return nil
	case err != nil:
		return &storage.Changed{Kind: storage.Gone}
	case after.IsZero() && l.fresh && info.Size == 0:
		return nil
	}
	after = l.current(after)
	kind := changeOf(after, info)
	if kind == 0 && !l.moved {
		return nil
	}
	c := &storage.Changed{Kind: kind, Now: markOf(info)}
	if l.moved {
		l.moved = false
		if !l.detached {
			c.Name = l.name
		}
		// The move is told first; what else there is, the next time.
		if c.Kind != storage.Replaced {
			c.Kind, c.Now = storage.Moved, after
		}
	}
	return c
}

// current returns what a mark that we made stale ourselves is now. l.mu is held.
func (l *log) current(m storage.Mark) storage.Mark {
	if m == l.trail.mark && !l.trail.open {
		m = l.trail.is
	}
	if m == l.was {
		m = l.is
	}
	return m
}

// changeOf tells a file from what a mark says of it; 0 for no difference.
func changeOf(m storage.Mark, info vfs.Info) storage.Change {
	switch {
	case !sameFile(m, info):
		return storage.Replaced
	case sizeOf(m) < info.Size:
		return storage.Grown
	case sizeOf(m) > info.Size:
		return storage.Truncated
	case m != markOf(info):
		return storage.Touched
	}
	return 0
}

// isNotDir reports whether a parent of a name is no directory any more.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
