package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// maxEditor is the longest text of an editor that is read.
const maxEditor = 64 << 20

// editorFile is where a program keeps what was typed and not sent (omp 18.2.3), "" for
// a session that has no artifacts.
func (s *Session) editorFile() string {
	dir := s.artifactDir(s.cur.log.Name())
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "draft.txt")
}

// SaveEditor keeps what was typed and not sent (published saveDraft), "" for nothing.
// It makes the session's file, so that the text is found again. In memory, and on a
// store that is not the local disk, nothing is kept.
func (s *Session) SaveEditor(ctx context.Context, text string) error {
	s.mu.Lock()
	defer s.unlock()
	if err := s.writable(); err != nil {
		return err
	}
	name := s.editorFile()
	if name == "" {
		return nil
	}
	fsys := s.shelves(ctx, filepath.Dir(name))
	if text == "" {
		if err := fsys.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if !s.cur.log.OnDisk() {
		s.cur.due = true
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	if _, err := vfs.MkdirAll(fsys, filepath.Dir(name)); err != nil {
		return fmt.Errorf("keep what was typed: %w", err)
	}
	return vfs.ReplaceFile(fsys, name, name+".cambium-tmp", []byte(text))
}

// TakeEditor returns what SaveEditor kept, and keeps it no longer (published
// consumeDraft); false when there is nothing.
func (s *Session) TakeEditor(ctx context.Context) (string, bool, error) {
	s.mu.Lock()
	defer s.unlock()
	if err := s.writable(); err != nil {
		return "", false, err
	}
	name := s.editorFile()
	if name == "" {
		return "", false, nil
	}
	fsys := s.shelves(ctx, filepath.Dir(name))
	text, err := vfs.ReadFile(fsys, name, maxEditor)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err == nil {
		err = fsys.Remove(name)
	}
	return string(text), err == nil, err
}
