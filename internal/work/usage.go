package work

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

// cleanAge is how old has to be what goes though it could be taken back.
const cleanAge = 30 * 24 * time.Hour

// unfinishedAge is how old a copy must be that was never finished.
const unfinishedAge = time.Hour

// Usages returns what Cambium keeps beside the sessions, by kind, and what of it is
// waste.
func (l *Library) Usages(ctx context.Context) ([]state.Usage, error) {
	all, err := l.Journal().Usage(ctx, l.Now().Add(-cleanAge))
	if err != nil {
		return nil, l.RecordError("", err)
	}
	cache := state.Usage{Kind: "cache", Dir: places.Own(l.Env).Cache, Policy: "the index, and copies of what is in stores; as much as the sessions need, made anew when it is deleted"}
	beside := state.Usage{Kind: "leftovers", Policy: "beside sessions, of copies and rewrites that were killed; `cambium doctor --fix` looks what is in them, unfinished copies go when it is cleaned"}
	err = walk(cache.Dir, func(_ string, info vfs.Info) { cache.Files, cache.Bytes = cache.Files+1, cache.Bytes+info.Size })
	for _, name := range places.Names() {
		dir := places.For(name, l.Env, layout.Overrides{}).Sessions
		err = errors.Join(err, walk(dir, func(path string, info vfs.Info) {
			base := filepath.Base(path)
			if !strings.HasPrefix(base, ".") || !strings.Contains(base, ".cambium-") {
				return
			}
			beside.Files, beside.Bytes = beside.Files+1, beside.Bytes+info.Size
			if strings.Contains(base, ".cambium-new-") && l.Now().Sub(time.Unix(0, info.ModTime)) > unfinishedAge {
				beside.Waste = append(beside.Waste, state.NewWaste(path, "a copy that was never finished", info.Size, func(context.Context) error {
					return removeUnused(path, info)
				}))
			}
		}))
	}
	if err != nil {
		return nil, saving("", err)
	}
	return append(all, cache, beside), nil
}

// removeUnused deletes a file that nobody has open, if it is still the one of info.
func removeUnused(path string, info vfs.Info) error {
	if now, err := vfs.OS().Lstat(path); err != nil || !now.SameFile(info) {
		return err
	}
	if used, err := vfs.OS().InUse(info); err == nil && used {
		return state.ErrBusy
	}
	return vfs.OS().Remove(path)
}

// walk calls f with the files below a directory; links are not followed.
func walk(dir string, f func(path string, info vfs.Info)) error {
	infos, err := vfs.OS().ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, info := range infos {
		path := filepath.Join(dir, info.Name)
		if info.Mode.IsDir() {
			err = errors.Join(err, walk(path, f))
		} else {
			f(path, info)
		}
	}
	return err
}
