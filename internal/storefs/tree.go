package storefs

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/cambium-dev/cambium/storage"
)

// renameTree gives all logs of a directory names in another one, which must be
// free. On an error they are where they were; where that could not be achieved
// the error says so.
func (f *files) renameTree(old, now string) error {
	if _, err := f.store.Stat(f.ctx, now); !errors.Is(err, storage.ErrNotExist) {
		if err == nil {
			err = fs.ErrExist
		}
		return err
	}
	names, err := f.below(old)
	if err != nil {
		return err
	}
	for i, name := range names {
		to := path.Join(now, strings.TrimPrefix(name, path.Clean(old)))
		if err := f.store.Rename(f.ctx, name, to); err != nil {
			return errors.Join(err, f.renameBack(names[:i], old, now))
		}
	}
	return nil
}

// renameBack undoes renameTree for some names, also when the context has ended.
func (f *files) renameBack(names []string, old, now string) (err error) {
	ctx := context.WithoutCancel(f.ctx)
	for _, name := range names {
		err = errors.Join(err, f.store.Rename(ctx, path.Join(now, strings.TrimPrefix(name, path.Clean(old))), name))
	}
	return err
}

// below returns the names of all logs in a directory and in those in it.
func (f *files) below(dir string) (names []string, err error) {
	var dirs []string
	for info, err := range f.store.List(f.ctx, dir) {
		switch {
		case err != nil:
			return nil, err
		case info.Mode.IsDir():
			dirs = append(dirs, info.Name)
		default:
			names = append(names, info.Name)
		}
	}
	for _, dir := range dirs {
		more, err := f.below(dir)
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	return names, nil
}
