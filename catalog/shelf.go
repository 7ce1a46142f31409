package catalog

import (
	"context"
	"errors"
	"io/fs"
)

// A shelf is what an index keeps, by directory, once all of it was told.
type shelf struct {
	told chan struct{} // closed when it was
	dirs map[string]*shelfDir
	err  error // then there is nothing on it
}

// A shelfDir is what an index keeps of a directory.
type shelfDir struct {
	parts []Bundle
	taken bool
}

// shelve asks an index, nil for none, in the background for all that it keeps, or
// for one directory if dir is not "".
func shelve(ctx context.Context, index Index, dir string) *shelf {
	s := &shelf{told: make(chan struct{})}
	if index == nil {
		close(s.told)
		return s
	}
	go func() {
		defer close(s.told)
		dirs := map[string]*shelfDir{}
		for kept, err := range bundles(ctx, index, dir) {
			if err != nil {
				s.err = err
				return
			}
			if !kept.Bundle.sound() {
				continue // it is of another form: the files are read again
			}
			at := dirs[kept.Dir]
			if at == nil {
				at = &shelfDir{}
				dirs[kept.Dir] = at
			}
			at.parts = append(at.parts, kept.Bundle)
		}
		s.dirs = dirs
	}()
	return s
}

// full reports whether all was told.
func (s *shelf) full() bool {
	select {
	case <-s.told:
		return true
	default:
		return false
	}
}

// wait returns the shelf when all was told.
func (s *shelf) wait() *shelf {
	<-s.told
	return s
}

// take returns what is kept of a directory that was looked into, with that error:
// nothing is known, nor gone, of one that could not be read. It is called once for
// each.
func (s *shelf) take(dir string, err error) []Bundle {
	at := s.dirs[dir]
	if at == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if at.taken = true; err != nil {
		return nil
	}
	return at.parts
}

// left returns what is kept of directories that were not looked into.
func (s *shelf) left() map[string][]Bundle {
	left := map[string][]Bundle{}
	for dir, at := range s.dirs {
		if !at.taken {
			left[dir] = at.parts
		}
	}
	return left
}
