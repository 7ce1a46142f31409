package offline

import (
	"context"
	"path/filepath"
)

// Far returns the store itself, past what is kept of it here, for who must see
// what it holds. The error is that of reaching it. It is closed with s.
func (s *Store) Far(ctx context.Context) (*Remote, error) { return s.reach(ctx) }

// KeptBlobs is the directory with the blobs that were read of the store.
func (s *Store) KeptBlobs() string { return filepath.Join(s.opt.Cache, "blobs") }
