package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// Directories returns the directories of the session's workspace beside its working
// directory, as its header has them (omp).
func (s *Session) Directories() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.cur.log.Header().AdditionalDirectories)
}

// AddDirectory adds a directory to the workspace (published addWorkspaceDirectory) and
// returns its path, "" when it was there already. A relative one is of the working
// directory, "~" is the home.
func (s *Session) AddDirectory(ctx context.Context, dir string) (string, error) {
	s.mu.Lock()
	defer s.unlock()
	dir = s.workspace(dir)
	if dir == filepath.Clean(s.cur.cwd) {
		return "", &Error{Text: "The current working directory is already the primary workspace root."}
	}
	all := s.cur.log.Header().AdditionalDirectories
	if slices.Contains(all, dir) {
		return "", nil
	}
	return dir, s.setDirectories(ctx, append(slices.Clone(all), dir))
}

// RemoveDirectory takes a directory out of the workspace (published
// removeWorkspaceDirectory) and returns its path, "" when it was not there.
func (s *Session) RemoveDirectory(ctx context.Context, dir string) (string, error) {
	s.mu.Lock()
	defer s.unlock()
	dir = s.workspace(dir)
	was := s.cur.log.Header().AdditionalDirectories
	all := slices.DeleteFunc(slices.Clone(was), func(d string) bool { return filepath.Clean(d) == dir })
	if len(all) == len(was) {
		return "", nil
	}
	return dir, s.setDirectories(ctx, all)
}

// SetDirectories makes the given ones, each once and without the working directory,
// the further directories of the workspace (published setAdditionalDirectories).
func (s *Session) SetDirectories(ctx context.Context, dirs []string) error {
	s.mu.Lock()
	defer s.unlock()
	var all []string
	for _, dir := range dirs {
		if dir = s.workspace(dir); dir != filepath.Clean(s.cur.cwd) && !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	if slices.Equal(all, s.cur.log.Header().AdditionalDirectories) {
		return nil
	}
	return s.setDirectories(ctx, all)
}

// workspace returns the path that a person means by a directory.
func (s *Session) workspace(dir string) string {
	if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || rest[0] == '/') {
		return filepath.Join(s.opt.Env.Home, rest)
	}
	if !filepath.IsAbs(dir) {
		return filepath.Join(s.cur.cwd, dir)
	}
	return filepath.Clean(dir)
}

// setDirectories writes the directories into the header. A session without a log keeps
// them until it has one.
func (s *Session) setDirectories(ctx context.Context, all []string) error {
	if err := s.writable(); err != nil {
		return err
	}
	if !s.cur.rules.ExtraDirs {
		return fmt.Errorf("keep the directories of the workspace: sessions of %s have one: %w", s.cur.rules.Name, errors.ErrUnsupported)
	}
	header := func(line []byte) []byte {
		if len(all) == 0 {
			return jsonedit.Delete(line, "additionalDirectories")
		}
		return jsonedit.Set(line, "additionalDirectories", entry.JSON(jsonedit.Strings(all...)))
	}
	if !s.cur.log.OnDisk() {
		h, ok := entry.ParseHeader(header(s.cur.log.Header().Raw))
		if !ok {
			return fmt.Errorf("keep the directories of the workspace: %w", ErrNotSession)
		}
		return s.rehold(ctx, s.cur.log.Name(), h)
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	err := s.rewriteHeader(ctx, header, nil)
	s.followed()
	return err
}
