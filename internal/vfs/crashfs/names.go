package crashfs

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Rename replaces what has the name new.
func (s *FS) Rename(old, new string) error {
	return linkError("rename", old, new, s.rename(old, new, true))
}

// RenameNew does not.
func (s *FS) RenameNew(old, new string) error {
	return linkError("rename", old, new, s.rename(old, new, false))
}

func (s *FS) rename(old, new string, replace bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.walk(old, false, 0)
	if err != nil {
		return err
	}
	from, oldBase, err := s.parent(old, 0)
	if err != nil {
		return err
	}
	to, newBase, err := s.parent(new, 0)
	if err != nil {
		return err
	}
	switch there := to.names[newBase]; {
	case there == nil:
	case !replace:
		return syscall.EEXIST
	case there == n:
		return nil // two names of one file: POSIX leaves both
	case there.mode.IsDir():
		return syscall.EISDIR
	default:
		there.nlink--
	}
	s.leave(new)
	s.follow(old, clean(new))
	s.apply(change{{from, oldBase, nil}, {to, newBase, n}})
	return nil
}

// follow gives the open files that have a name, or one below it, the new one.
func (s *FS) follow(old, new string) {
	old = clean(old)
	for f := range s.open {
		switch rest, below := strings.CutPrefix(f.path, old+"/"); {
		case f.path == old && !f.gone:
			f.path = new
		case below:
			f.path = path.Join(new, rest)
		}
	}
}

// leave notes that the open files that have a name have it no more.
func (s *FS) leave(name string) {
	for f := range s.open {
		f.gone = f.gone || f.path == clean(name)
	}
}

// Link gives a file a second name.
func (s *FS) Link(old, new string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.walk(old, false, 0)
	if err == nil && n.mode.IsDir() {
		err = syscall.EPERM
	}
	var dir *node
	var base string
	if err == nil {
		dir, base, err = s.parent(new, 0)
	}
	if err == nil && dir.names[base] != nil {
		err = syscall.EEXIST
	}
	if err != nil {
		return linkError("link", old, new, err)
	}
	n.nlink++
	s.apply(change{{dir, base, n}})
	return nil
}

// Remove removes a name.
func (s *FS) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.walk(name, false, 0)
	if err == nil && len(n.names) > 0 {
		err = syscall.ENOTEMPTY
	}
	if err != nil {
		return pathError("remove", name, err)
	}
	dir, base, err := s.parent(name, 0)
	if err != nil {
		return pathError("remove", name, err)
	}
	n.nlink--
	s.leave(name)
	s.apply(change{{dir, base, nil}})
	return nil
}

// SyncDir makes the changes of names in a directory durable.
func (s *FS) SyncDir(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.walk(name, true, 0)
	if err == nil && !n.mode.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return pathError("sync", name, err)
	}
	touches := func(c change) bool {
		return slices.ContainsFunc(c, func(e edit) bool { return e.dir == n })
	}
	for _, c := range s.pending {
		if touches(c) {
			persist(c, func(n *node) *node { return n })
		}
	}
	s.pending = slices.DeleteFunc(s.pending, touches)
	return nil
}

// persist makes a change of names durable, in the directories that as gives.
func persist(c change, as func(*node) *node) {
	for _, e := range c {
		if e.node == nil {
			delete(as(e.dir).durable, e.name)
		} else {
			as(e.dir).durable[e.name] = as(e.node)
		}
	}
}

// clean is a name with slashes, as it is known here on all systems.
func clean(name string) string { return path.Clean(filepath.ToSlash(name)) }
