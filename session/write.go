package session

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// batch is how many bytes of a new session are written at once.
const batch = 1 << 20

// writeWhole writes a new log: the header line, then the given ones. It is written
// under a name that no program lists, made durable and renamed, so that the log is
// there whole or not at all; in a store that is no file system a short one is one
// write. It fails with storage.ErrExist if the name is taken.
func (s *Session) writeWhole(ctx context.Context, path string, header []byte, lines iter.Seq2[[]byte, error]) error {
	w := &writer{s: s, path: path, part: [][]byte{header}, size: len(header)}
	err := w.all(ctx, lines)
	if w.log != nil {
		err = errors.Join(err, w.log.Close())
	}
	if err == nil && w.name != path {
		err = s.store.Rename(ctx, w.name, path)
	}
	if err != nil {
		if w.log != nil {
			err = errors.Join(err, s.remove(ctx, w.name))
		}
		return fmt.Errorf("write session %q: %w", path, err)
	}
	return nil
}

// A writer is a new log on its way.
type writer struct {
	s    *Session
	path string
	name string // what it is called for now
	log  storage.Log
	mark storage.Mark
	part [][]byte // lines not written yet
	size int
}

func (w *writer) all(ctx context.Context, lines iter.Seq2[[]byte, error]) error {
	for line, err := range lines {
		if err != nil {
			return err
		}
		w.part = append(w.part, line)
		w.size += len(line)
		if w.size < batch {
			continue
		}
		if err := w.flush(ctx, false); err != nil {
			return err
		}
	}
	if err := w.flush(ctx, true); err != nil {
		return err
	}
	if w.s.opt.Sync == SyncNone && w.name == w.path {
		return nil
	}
	return powers.Sync(ctx, w.log)
}

// flush writes what is collected. last says that it is all there is.
func (w *writer) flush(ctx context.Context, last bool) error {
	if w.log == nil {
		w.name = w.path
		if !last || w.s.local {
			var tag [4]byte
			if _, err := io.ReadFull(w.s.opt.Random, tag[:]); err != nil {
				return err
			}
			dir, base := filepath.Split(w.path)
			w.name = dir + "." + base + ".cambium-new-" + hex.EncodeToString(tag[:])
		}
		log, err := w.s.store.Open(ctx, w.name, storage.Create)
		if err != nil {
			return err
		}
		w.log = log
	}
	if len(w.part) == 0 {
		return nil
	}
	mark, err := w.log.Append(ctx, w.mark, w.part)
	if err != nil {
		return err
	}
	w.mark = mark
	w.part, w.size = w.part[:0], 0
	return nil
}
