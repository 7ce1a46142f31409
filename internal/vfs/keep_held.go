package vfs

import (
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// Keep opens the roots that are there.
func (osFS) Keep(roots ...string) (FS, func()) {
	k := &kept{roots: cleaned(roots), open: map[string]dirFD{}}
	for _, root := range slices.Clone(k.roots) {
		if _, err := k.dir(root); err != nil && k.inner(root) {
			k.drop(root)
		}
	}
	return osUnder{kept: k}, k.release
}

// Keep returns the same file system: it is never widened.
func (u osUnder) Keep(...string) (FS, func()) { return u, func() {} }

// kept are roots that are held for long.
type kept struct {
	mu    sync.Mutex
	roots confines         // guarded by mu
	open  map[string]dirFD // guarded by mu: descriptors of those that are there
	ended bool             // guarded by mu
}

// dir returns the descriptor of a root, which stays the kept one's. mu is held, or
// nobody else knows of k.
func (k *kept) dir(root string) (dirFD, error) {
	if k.ended {
		return 0, fs.ErrClosed
	}
	if fd, ok := k.open[root]; ok {
		if gone, err := isGone(fd); err != nil || !gone {
			return fd, err
		}
		closeDir(fd) // it was removed
		delete(k.open, root)
		if k.inner(root) {
			return 0, syscall.ENOENT
		}
	}
	fd, err := openOwn(root)
	if err == nil {
		k.open[root] = fd
	}
	return fd, err
}

// inner reports whether a root lies below another one.
func (k *kept) inner(root string) bool {
	return slices.ContainsFunc(k.roots, func(other string) bool {
		_, below := Below(root, other)
		return below && root != other
	})
}

// drop takes a root away.
func (k *kept) drop(root string) {
	k.roots = slices.DeleteFunc(slices.Clone(k.roots), func(other string) bool { return other == root })
}

// at returns the root that name lies below, opened for the caller, and the elements
// from there on.
func (k *kept) at(op, name string) (dir dirFD, root string, parts []string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for {
		root, parts, err = k.roots.split(op, name)
		if err != nil {
			return 0, "", nil, err
		}
		dir, err = k.dir(root)
		if err == nil {
			dir, err = dupDir(dir)
		} else if _, open := k.open[root]; !open && k.inner(root) {
			k.drop(root) // its name is one below the other root now
			continue
		}
		if err != nil {
			err = pathError(op, name, err)
		}
		return dir, root, parts, err
	}
}

// free reports whether name leads to a root, or is one that is not there.
func (k *kept) free(name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	name = filepath.Clean(name)
	if slices.Contains(k.roots, name) {
		_, err := k.dir(name)
		return err != nil && !k.ended && !k.inner(name)
	}
	return k.roots.above(name)
}

func (k *kept) release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ended = true
	for _, fd := range k.open {
		closeDir(fd)
	}
	clear(k.open)
}
