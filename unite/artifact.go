package unite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

const (
	// maxDeep is how deep artifacts are looked for in their directory.
	maxDeep = 4
	// maxArtifact is the largest that is copied.
	maxArtifact = 1 << 30
)

// artifacts copies the files beside a session that the other side has none of
// that name. A side without a file system cannot take any: they are counted.
func (s *sending) artifacts(ctx context.Context) error {
	if s.from.side.fsys == nil {
		return nil
	}
	dir := layout.ArtifactDir(s.from.at.name)
	if dir == "" {
		return nil
	}
	err := s.artifactsIn(ctx, dir, layout.ArtifactDir(s.to.at.name), maxDeep)
	if err != nil {
		return fmt.Errorf("copy artifacts: %w", err)
	}
	return nil
}

func (s *sending) artifactsIn(ctx context.Context, from, to string, deep int) error {
	list, err := s.from.side.fsys.ReadDir(from)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || dirLink(err) {
			return nil
		}
		return err
	}
	for _, info := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case info.Name[0] == '.' || !plain(info.Name):
		case info.Mode.IsDir() && deep > 0:
			next := ""
			if to != "" {
				next = filepath.Join(to, info.Name)
			}
			if err := s.artifactsIn(ctx, filepath.Join(from, info.Name), next, deep-1); err != nil {
				return err
			}
		case !info.Regular():
		case s.to.side.fsys == nil || to == "":
			s.left++
		default:
			if err := s.artifact(filepath.Join(from, info.Name), to, info.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// artifact copies one file, whole or not at all.
func (s *sending) artifact(from, dir, base string) error {
	fsys := s.to.side.fsys
	name := filepath.Join(dir, base)
	if _, err := fsys.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return err // it has it
	}
	if !s.opt.DryRun {
		data, err := vfs.ReadFile(s.from.side.fsys, from, maxArtifact)
		if err != nil {
			return err
		}
		if _, err := vfs.MkdirAll(fsys, dir); err != nil {
			return err
		}
		temp := filepath.Join(dir, s.tempName(base))
		if err := fsys.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		err = writeFile(fsys, temp, data, true)
		if err == nil {
			err = fsys.RenameNew(temp, name)
		}
		if err != nil {
			err = errors.Join(err, fsys.Remove(temp))
		}
		if errors.Is(err, fs.ErrExist) {
			return nil // somebody was quicker
		}
		if err != nil {
			return err
		}
	}
	s.amount.Artifacts++
	return nil
}
