package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/storefs"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

// An Artifact is a file kept beside a session: the whole output of a tool, as
// a rule.
type Artifact struct {
	// N is its number, Path its file.
	N    int
	Path string
	// Size is in bytes.
	Size int64
}

// ArtifactDir returns the directory of the session's artifacts, which need not
// exist; "" when the session cannot have any, because it is in memory or on a
// store that is not the local disk.
func (s *Session) ArtifactDir() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.artifactDir(s.cur.log.Name())
}

func (s *Session) artifactDir(path string) string {
	if path == "" || !s.local {
		return ""
	}
	return layout.ArtifactDir(path)
}

// shelves is where the artifacts of sessions lie: files on the local disk; in
// another store what lists them, as logs in the place of their directory (package
// unite has the form). It works on when ctx has ended: a step that was begun is
// done or taken back.
func (s *Session) shelves(ctx context.Context) vfs.FS {
	if s.local {
		return s.opt.FS
	}
	return storefs.NewWritable(context.WithoutCancel(ctx), s.store)
}

// NewArtifact makes the next artifact of the session, named after a tool, and
// returns its path and where to write it. The caller closes w. The file is
// private and made at once.
func (s *Session) NewArtifact(ctx context.Context, tool string) (path string, w io.WriteCloser, err error) {
	if err := ctx.Err(); err != nil {
		return "", nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.writable(); err != nil {
		return "", nil, err
	}
	dir := s.artifactDir(s.cur.log.Name())
	if dir == "" {
		return "", nil, fmt.Errorf("create artifact: %w", errors.ErrUnsupported)
	}
	fsys := s.opt.FS
	if _, err := vfs.MkdirAll(fsys, dir); err != nil {
		return "", nil, fmt.Errorf("create artifact: %w", err)
	}
	names, err := fileNames(fsys, dir)
	if err != nil {
		return "", nil, fmt.Errorf("create artifact: %w", err)
	}
	// Another process may take a number between the look and the creation:
	// O_EXCL notices, and the next number is tried.
	for n := layout.NextArtifact(names); ; n++ {
		path = filepath.Join(dir, layout.ArtifactName(n, tool))
		if layout.FindArtifact(names, n) != "" {
			continue
		}
		f, err := fsys.Open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", nil, fmt.Errorf("create artifact: %w", err)
		}
		return path, f, nil
	}
}

// Artifact returns the path of artifact n. The error is ErrNotFound when there
// is none.
func (s *Session) Artifact(n int) (string, error) {
	dir := s.ArtifactDir()
	if dir != "" {
		names, err := fileNames(s.opt.FS, dir)
		if err != nil {
			return "", fmt.Errorf("find artifact %d: %w", n, err)
		}
		if name := layout.FindArtifact(names, n); name != "" {
			return filepath.Join(dir, name), nil
		}
	}
	return "", fmt.Errorf("find artifact %d: %w", n, ErrNotFound)
}

// Artifacts returns the artifacts of the session in the order of their names;
// none when it has no directory of them.
func (s *Session) Artifacts() ([]Artifact, error) {
	dir := s.ArtifactDir()
	if dir == "" {
		return nil, nil
	}
	infos, err := s.opt.FS.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list artifacts: %w", err)
	}
	var all []Artifact
	for _, info := range infos {
		n := layout.NextArtifact([]string{info.Name}) - 1
		if n >= 0 && info.Regular() {
			all = append(all, Artifact{N: n, Path: filepath.Join(dir, info.Name), Size: info.Size})
		}
	}
	return all, nil
}

// fileNames returns the names of the regular files in a directory, none when
// it is not there.
func fileNames(fsys vfs.FS, dir string) ([]string, error) {
	infos, err := fsys.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, info := range infos {
		if info.Regular() {
			names = append(names, info.Name)
		}
	}
	return names, err
}

// copyArtifacts copies the artifacts of the session at the path old for the
// one at now.
func (s *Session) copyArtifacts(ctx context.Context, old, now string) error {
	from, to := layout.ArtifactDir(old), layout.ArtifactDir(now)
	if from == "" || to == "" {
		return nil
	}
	fsys := s.shelves(ctx)
	if err := copyTree(fsys, from, to); err != nil {
		return errors.Join(err, removeTree(fsys, to)) // it is new
	}
	return nil
}

// removeTree removes a directory and what is in it, if it is there.
func removeTree(fsys vfs.FS, dir string) error {
	infos, err := fsys.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, info := range infos {
		path := filepath.Join(dir, info.Name)
		if info.Mode.IsDir() {
			errs = append(errs, removeTree(fsys, path))
		} else {
			errs = append(errs, fsys.Remove(path))
		}
	}
	return errors.Join(append(errs, removeDir(fsys, dir))...)
}

// removeDir removes an empty directory, which a store loses with the last that was
// in it.
func removeDir(fsys vfs.FS, dir string) error {
	err := fsys.Remove(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// copyTree copies the regular files of a directory, and of those in it, if it
// is there.
func copyTree(fsys vfs.FS, from, to string) error {
	infos, err := fsys.ReadDir(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := makeDir(fsys, to); err != nil {
		return err
	}
	for _, info := range infos {
		a, b := filepath.Join(from, info.Name), filepath.Join(to, info.Name)
		switch {
		case info.Mode.IsDir():
			err = copyTree(fsys, a, b)
		case info.Regular():
			err = copyFile(fsys, a, b)
		}
		if err != nil {
			return err
		}
	}
	return fsys.SyncDir(to)
}

func copyFile(fsys vfs.FS, from, to string) (err error) {
	r, err := fsys.Open(from, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	info, err := r.Stat()
	if err != nil {
		return err
	}
	w, err := fsys.Open(to, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if _, err := io.Copy(w, io.NewSectionReader(r, 0, info.Size)); err != nil {
		return err
	}
	return w.SyncData()
}
