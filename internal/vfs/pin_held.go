package vfs

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
)

// Pin opens the directories that are there.
func (osFS) Pin(dirs ...string) (FS, func()) {
	p := &osPinned{held: make(map[string]dirFD)}
	for _, dir := range dirs {
		p.PinToo(dir)
	}
	return p, p.release
}

// PinToo does nothing: nothing is pinned in the file system of the machine itself.
func (osFS) PinToo(string) {}

// osPinned is the file system of the machine with directories that are held open.
type osPinned struct {
	mu   sync.RWMutex
	held map[string]dirFD // descriptors by clean name; guarded by mu
	// shut are directories that were links of somebody else's; guarded by mu. Nothing
	// below them is reached by another way.
	shut []string
}

var (
	_ FS       = (*osPinned)(nil)
	_ Confiner = (*osPinned)(nil)
	_ Pinner   = (*osPinned)(nil)
)

// Pin adds to what is pinned already.
func (p *osPinned) Pin(dirs ...string) (FS, func()) {
	for _, dir := range dirs {
		p.PinToo(dir)
	}
	return p, func() {}
}

// PinToo opens the directory below what is pinned already, where it lies there.
// One that is not there is not pinned.
func (p *osPinned) PinToo(dir string) {
	dir = filepath.Clean(dir)
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.held[dir]; known {
		return
	}
	switch fd, err := p.under().openDir(dir); {
	case err == nil:
		p.held[dir] = fd
	case errors.Is(err, ErrLink):
		p.shut = append(p.shut, dir)
	}
}

func (p *osPinned) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for dir, fd := range p.held {
		closeDir(fd)
		delete(p.held, dir)
	}
}

// under is the file system of what is pinned. p.mu is held.
func (p *osPinned) under() osUnder {
	u := osUnder{held: make(map[string]dirFD, len(p.held)), roots: slices.Clone(p.shut), open: true}
	for dir, fd := range p.held {
		u.roots = append(u.roots, dir)
		u.held[dir] = fd
	}
	return u
}

// of is the file system to look for a name in.
func (p *osPinned) of(name string) FS {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if u := p.under(); u.inside(name) {
		return u
	}
	return osFS{}
}

// both is the file system for two names.
func (p *osPinned) both() osUnder {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.under()
}

// Under has the roots that are pinned as they are held.
func (p *osPinned) Under(roots ...string) FS {
	u := osUnder{roots: cleaned(roots), held: make(map[string]dirFD)}
	pinned := p.both()
	for _, root := range u.roots {
		if fd, ok := pinned.held[root]; ok {
			u.held[root] = fd
		}
	}
	return u
}

// Hold opens the roots that are not pinned.
func (p *osPinned) Hold(roots ...string) (FS, func()) {
	pinned := p.both()
	rest := slices.DeleteFunc(cleaned(roots), func(root string) bool { _, ok := pinned.held[root]; return ok })
	u, release := pinned.hold(rest...)
	u.open = false
	for _, root := range cleaned(roots) {
		if fd, ok := pinned.held[root]; ok {
			u.roots, u.held[root] = append(u.roots, root), fd
		}
	}
	return u, release
}

func (p *osPinned) Open(name string, flag int) (File, error) { return p.of(name).Open(name, flag) }

func (p *osPinned) Mkdir(name string) error { return p.of(name).Mkdir(name) }

func (p *osPinned) Stat(name string) (Info, error) { return p.of(name).Stat(name) }

func (p *osPinned) Lstat(name string) (Info, error) { return p.of(name).Lstat(name) }

func (p *osPinned) Names(name string) ([]string, error) { return p.of(name).Names(name) }

func (p *osPinned) ReadDir(name string) ([]Info, error) { return p.of(name).ReadDir(name) }

func (p *osPinned) Readlink(name string) (string, error) { return p.of(name).Readlink(name) }

func (p *osPinned) Rename(old, new string) error { return p.both().Rename(old, new) }

func (p *osPinned) RenameNew(old, new string) error { return p.both().RenameNew(old, new) }

func (p *osPinned) Link(old, new string) error { return p.both().Link(old, new) }

func (p *osPinned) Remove(name string) error { return p.of(name).Remove(name) }

func (p *osPinned) Chmod(name string, mode fs.FileMode) error { return p.of(name).Chmod(name, mode) }

func (p *osPinned) SyncDir(name string) error { return p.of(name).SyncDir(name) }

func (p *osPinned) InUse(info Info) (bool, error) { return osFS{}.InUse(info) }
