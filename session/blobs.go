package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// blobStore returns where the large things of a session are.
func (s *Session) blobStore(b *book) blob.Store {
	if s.opt.Blobs != nil {
		return s.opt.Blobs
	}
	if b.place.Blobs == "" {
		return nil
	}
	own := blob.OpenDir(b.place.Blobs, vfs.On(blob.DirOptions{Typed: b.rules.Name == dialect.Omp}, s.opt.fs))
	if b.near = s.near(b); b.near == "" {
		return own
	}
	return &twoStores{Store: own, near: blob.OpenDir(b.near, vfs.On(blob.DirOptions{}, vfs.Under(s.opt.fs, filepath.Dir(b.near))))}
}

// near returns the blobs of the agent directory that a log lies in, when that is
// not the agent's own: a copy, a backup, another machine's. "" for none.
func (s *Session) near(b *book) string {
	if !s.local || b.log == nil || b.log.Name() == "" {
		return ""
	}
	root := filepath.Dir(filepath.Dir(b.log.Name()))
	if filepath.Base(root) != "sessions" {
		return ""
	}
	near := filepath.Join(filepath.Dir(root), filepath.Base(b.place.Blobs))
	if near == b.place.Blobs {
		return ""
	}
	return near
}

// twoStores keeps blobs in one store and reads them from a second one as well.
type twoStores struct {
	blob.Store
	near blob.Store
}

// Read returns the bytes of ref from the store that has them.
func (t *twoStores) Read(ctx context.Context, ref blob.Ref) ([]byte, error) {
	data, err := t.Store.Read(ctx, ref)
	if !errors.Is(err, blob.ErrNotExist) {
		return data, err
	}
	return t.near.Read(ctx, ref)
}

// PutBlob keeps bytes as a blob of the session's agent and returns the reference to
// write into an entry. ext is the extension that the data would have, "" for none. The
// error is errors.ErrUnsupported for an agent without blobs (pi).
func (s *Session) PutBlob(ctx context.Context, data []byte, ext string) (string, error) {
	s.mu.Lock()
	blobs, err := s.cur.blobs, s.writable()
	s.mu.Unlock()
	if err != nil {
		return "", err
	}
	if blobs == nil {
		return "", fmt.Errorf("keep a blob: %w", errors.ErrUnsupported)
	}
	ref, err := blobs.Put(ctx, data, ext)
	return ref.String(), err
}
