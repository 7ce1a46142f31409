package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/storefs"
	"github.com/cambium-dev/cambium/internal/vfs"
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
	return ident.ArtifactDir(path)
}

// shelves is where the artifacts of the sessions at some paths lie: files on the
// local disk, beside the session and reached through no link, which somebody else
// may have put there; in another store what lists them, as logs in the place of
// their directory (package unite has the form). It works on when ctx has ended: a
// step that was begun is done or taken back.
func (s *Session) shelves(ctx context.Context, paths ...string) vfs.FS {
	if !s.local {
		return storefs.NewWritable(context.WithoutCancel(ctx), s.store)
	}
	for i, path := range paths {
		paths[i] = filepath.Dir(path)
	}
	return vfs.Under(s.opt.fs, paths...)
}

// leftAlone says of a link among artifacts that it was met and not followed.
func (s *Session) leftAlone(link string) {
	s.opt.Log.Warn("a symbolic link beside a session is not followed: what it leads to was left out; put a copy in its place to keep it", "path", link)
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
	fsys := s.shelves(ctx, dir)
	if _, err := vfs.MkdirAll(fsys, dir); err != nil {
		return "", nil, fmt.Errorf("create artifact: %w", err)
	}
	names, err := fileNames(fsys, dir)
	if err != nil {
		return "", nil, fmt.Errorf("create artifact: %w", err)
	}
	// Another process may take a number between the look and the creation:
	// O_EXCL notices, and the next number is tried.
	for n := ident.NextArtifact(names); ; n++ {
		path = filepath.Join(dir, ident.ArtifactName(n, tool))
		if ident.FindArtifact(names, n) != "" {
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
		names, err := fileNames(s.shelves(context.Background(), dir), dir)
		if err != nil {
			return "", fmt.Errorf("find artifact %d: %w", n, err)
		}
		if name := ident.FindArtifact(names, n); name != "" {
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
	infos, err := s.shelves(context.Background(), dir).ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list artifacts: %w", err)
	}
	var all []Artifact
	for _, info := range infos {
		n := ident.NextArtifact([]string{info.Name}) - 1
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
// one at now. Links among them are said and left out. On an error what it made is
// taken away again, and undo takes it away later.
func (s *Session) copyArtifacts(ctx context.Context, old, now string) (undo func() error, err error) {
	from, to := ident.ArtifactDir(old), ident.ArtifactDir(now)
	if from == "" || to == "" {
		return func() error { return nil }, nil
	}
	c := copying{fsys: s.shelves(ctx, from, to), link: s.leftAlone}
	if err := c.tree(from, to); err != nil {
		return nil, errors.Join(err, c.undo())
	}
	return c.undo, nil
}
