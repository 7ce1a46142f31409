package errorfs

import (
	"errors"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// Light returns fsys without what costs most: SyncDir and the Sync and SyncData of
// files do nothing and succeed, and InUse answers that no other process has the
// file open, which the real one learns by looking at all of them. It is for tests
// that ask nothing of what a crash of the machine leaves and share their files
// with no other process. Below [Wrap] all these are injected as they always are.
func Light(fsys vfs.FS) vfs.FS { return light{fsys} }

type light struct{ vfs.FS }

func (l light) Open(name string, flag int) (vfs.File, error) {
	f, err := l.FS.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return lightFile{f}, nil
}

func (light) SyncDir(string) error { return nil }

func (light) InUse(vfs.Info) (bool, error) { return false, nil }

// Under is that of the file system below, as light.
func (l light) Under(roots ...string) vfs.FS { return light{vfs.Under(l.FS, roots...)} }

// Hold is as Under.
func (l light) Hold(roots ...string) (vfs.FS, func()) {
	held, release := vfs.Hold(l.FS, roots...)
	return light{held}, release
}

// Pin keeps what syncs out of what is below the directories, too.
func (l light) Pin(dirs ...string) (vfs.FS, func()) {
	pinned, release := vfs.Pin(l.FS, dirs...)
	return light{pinned}, release
}

// PinToo pins nothing where nothing is pinned.
func (l light) PinToo(dir string) { vfs.PinToo(l.FS, dir) }

// Survey is that of the file system below.
func (l light) Survey(dir, suffix string, to *vfs.Roll) error {
	return vfs.Survey(l.FS, dir, suffix, to)
}

// Glance is that of the file system below, if it has one.
func (l light) Glance(name string) (vfs.Info, error) {
	if below, ok := l.FS.(vfs.Glancer); ok {
		return below.Glance(name)
	}
	return vfs.Info{}, errors.ErrUnsupported
}

type lightFile struct{ vfs.File }

func (lightFile) Sync() error { return nil }

func (lightFile) SyncData() error { return nil }
