package vfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// MoveTree gives the directory from the name to, or, if that is there, moves
// what is in it one by one; a name that is taken there is an error before
// anything is moved. It returns how to undo it.
func MoveTree(fsys FS, from, to string) (func() error, error) {
	nothing := func() error { return nil }
	infos, err := fsys.ReadDir(from)
	if errors.Is(err, os.ErrNotExist) {
		return nothing, nil
	}
	if err != nil {
		return nil, err
	}
	synced := func() error {
		return errors.Join(fsys.SyncDir(filepath.Dir(to)), fsys.SyncDir(filepath.Dir(from)))
	}
	err = renamed(fsys, from, to)
	if err == nil {
		back := func() error { return errors.Join(renamed(fsys, to, from), synced()) }
		if err := synced(); err != nil {
			return nil, errors.Join(err, back())
		}
		return back, nil
	}
	if !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	for _, info := range infos {
		if _, err := fsys.Lstat(filepath.Join(to, info.Name)); !errors.Is(err, os.ErrNotExist) {
			return nil, errors.Join(fmt.Errorf("%q: %w", filepath.Join(to, info.Name), os.ErrExist), err)
		}
	}
	var undo []func() error
	for _, info := range infos {
		a, b := filepath.Join(from, info.Name), filepath.Join(to, info.Name)
		if err := renamed(fsys, a, b); err != nil {
			return nil, errors.Join(err, Rollback(undo))
		}
		undo = append(undo, func() error { return renamed(fsys, b, a) })
	}
	if err := errors.Join(fsys.SyncDir(to), fsys.SyncDir(from)); err != nil {
		return nil, errors.Join(err, Rollback(undo))
	}
	if err := RemoveEmpty(fsys, from); err != nil {
		return nil, errors.Join(err, Rollback(undo))
	}
	back := func() error {
		return errors.Join(fsys.Mkdir(from), Rollback(undo), fsys.SyncDir(from), synced())
	}
	if err := fsys.SyncDir(filepath.Dir(from)); err != nil {
		return nil, errors.Join(err, back())
	}
	return back, nil
}

// MakeDir makes a directory and those above it, durably.
func MakeDir(fsys FS, dir string) error {
	changed, err := MkdirAll(fsys, dir)
	for _, dir := range changed {
		err = errors.Join(err, fsys.SyncDir(dir))
	}
	return err
}

// RemoveEmpty removes an empty directory, which a store loses with the last that was
// in it.
func RemoveEmpty(fsys FS, dir string) error {
	err := fsys.Remove(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// renamed gives a file or directory another name that is free. What was done is
// done, whatever the file system says of it.
func renamed(fsys FS, from, to string) error {
	err := fsys.RenameNew(from, to)
	if err == nil || errors.Is(err, os.ErrExist) {
		return err
	}
	if _, gone := fsys.Lstat(from); !errors.Is(gone, os.ErrNotExist) {
		return err
	}
	if _, there := fsys.Lstat(to); there != nil {
		return err
	}
	return nil
}

// Rollback undoes the steps of a move, last first.
func Rollback(undo []func() error) error {
	var errs []error
	for i := len(undo) - 1; i >= 0; i-- {
		errs = append(errs, undo[i]())
	}
	return errors.Join(errs...)
}
