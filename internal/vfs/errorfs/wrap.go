package errorfs

import (
	"io/fs"
	"sync"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// Wrap returns fsys with inject before each operation.
func Wrap(fsys vfs.FS, inject Injector) vfs.FS {
	return &wrapped{fs: fsys, inject: inject}
}

// Serial returns inject for one operation at a time. What inject remembers needs no
// lock of its own then: a store gives a lock back by a timer, in between.
func Serial(inject Injector) Injector {
	var one sync.Mutex
	return func(op Op) *Fault {
		one.Lock()
		defer one.Unlock()
		return inject(op)
	}
}

type wrapped struct {
	fs     vfs.FS
	inject Injector
}

// Under is that of the file system below, with the same faults.
func (w *wrapped) Under(roots ...string) vfs.FS {
	return &wrapped{fs: vfs.Under(w.fs, roots...), inject: w.inject}
}

// Hold is as Under.
func (w *wrapped) Hold(roots ...string) (vfs.FS, func()) {
	held, release := vfs.Hold(w.fs, roots...)
	return &wrapped{fs: held, inject: w.inject}, release
}

// Pin injects into what is below the directories, too.
func (w *wrapped) Pin(dirs ...string) (vfs.FS, func()) {
	pinned, release := vfs.Pin(w.fs, dirs...)
	return &wrapped{fs: pinned, inject: w.inject}, release
}

// PinToo pins nothing where nothing is pinned.
func (w *wrapped) PinToo(dir string) { vfs.PinToo(w.fs, dir) }

// do runs call unless a fault forbids it, and answers with the fault's error.
func (w *wrapped) do(op Op, call func() error) error {
	fault := w.inject(op)
	if fault == nil {
		return call()
	}
	if fault.After {
		if err := call(); err != nil {
			return err
		}
	}
	return fault.as(op)
}

func (f *Fault) as(op Op) error {
	err := f.Err
	if err == nil {
		err = ErrInjected
	}
	return &fs.PathError{Op: string(op.Kind), Path: op.Name, Err: err}
}

func (w *wrapped) Open(name string, flag int) (vfs.File, error) {
	kind := Open
	if flag&createFlag != 0 {
		kind = Create
	}
	var f vfs.File
	err := w.do(Op{Kind: kind, Name: name}, func() (err error) {
		f, err = w.fs.Open(name, flag)
		return err
	})
	if err != nil {
		if f != nil {
			_ = f.Close() // the fault came after the opening
		}
		return nil, err
	}
	return &file{f: f, w: w, name: name}, nil
}

func (w *wrapped) Mkdir(name string) error {
	return w.do(Op{Kind: Mkdir, Name: name}, func() error { return w.fs.Mkdir(name) })
}

func (w *wrapped) Stat(name string) (info vfs.Info, err error) {
	err = w.do(Op{Kind: Stat, Name: name}, func() (err error) {
		info, err = w.fs.Stat(name)
		return err
	})
	return info, err
}

func (w *wrapped) Lstat(name string) (info vfs.Info, err error) {
	err = w.do(Op{Kind: Lstat, Name: name}, func() (err error) {
		info, err = w.fs.Lstat(name)
		return err
	})
	return info, err
}

func (w *wrapped) Names(name string) (names []string, err error) {
	err = w.do(Op{Kind: Names, Name: name}, func() (err error) {
		names, err = w.fs.Names(name)
		return err
	})
	return names, err
}

func (w *wrapped) ReadDir(name string) (list []vfs.Info, err error) {
	err = w.do(Op{Kind: ReadDir, Name: name}, func() (err error) {
		list, err = w.fs.ReadDir(name)
		return err
	})
	return list, err
}

// Survey is injected as ReadDir is.
func (w *wrapped) Survey(dir, suffix string, to *vfs.Roll) error {
	return w.do(Op{Kind: ReadDir, Name: dir}, func() error { return vfs.Survey(w.fs, dir, suffix, to) })
}

func (w *wrapped) Readlink(name string) (target string, err error) {
	err = w.do(Op{Kind: Readlink, Name: name}, func() (err error) {
		target, err = w.fs.Readlink(name)
		return err
	})
	return target, err
}

func (w *wrapped) Rename(old, new string) error {
	return w.do(Op{Kind: Rename, Name: old, To: new}, func() error { return w.fs.Rename(old, new) })
}

func (w *wrapped) RenameNew(old, new string) error {
	return w.do(Op{Kind: RenameNew, Name: old, To: new}, func() error { return w.fs.RenameNew(old, new) })
}

func (w *wrapped) Link(old, new string) error {
	return w.do(Op{Kind: Link, Name: old, To: new}, func() error { return w.fs.Link(old, new) })
}

func (w *wrapped) Remove(name string) error {
	return w.do(Op{Kind: Remove, Name: name}, func() error { return w.fs.Remove(name) })
}

func (w *wrapped) Chmod(name string, mode fs.FileMode) error {
	return w.do(Op{Kind: Chmod, Name: name}, func() error { return w.fs.Chmod(name, mode) })
}

func (w *wrapped) SyncDir(name string) error {
	return w.do(Op{Kind: SyncDir, Name: name}, func() error { return w.fs.SyncDir(name) })
}

func (w *wrapped) InUse(info vfs.Info) (used bool, err error) {
	err = w.do(Op{Kind: InUse, Name: info.Name}, func() (err error) {
		used, err = w.fs.InUse(info)
		return err
	})
	return used, err
}
