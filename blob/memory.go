package blob

import (
	"bytes"
	"context"
	"fmt"
	"sync"
)

// Memory keeps blobs in memory. The zero value is an empty store, ready to
// use; it must not be copied.
type Memory struct {
	mu    sync.Mutex
	blobs map[Ref][]byte // guarded by mu
}

var _ Store = (*Memory)(nil)

// Put stores a copy of data; ext is ignored.
func (m *Memory) Put(ctx context.Context, data []byte, _ string) (Ref, error) {
	if err := ctx.Err(); err != nil {
		return Ref{}, err
	}
	ref := RefOf(data)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blobs == nil {
		m.blobs = make(map[Ref][]byte)
	}
	if _, ok := m.blobs[ref]; !ok {
		m.blobs[ref] = bytes.Clone(data)
	}
	return ref, nil
}

// Read returns a copy of the bytes.
func (m *Memory) Read(ctx context.Context, ref Ref) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	data, ok := m.blobs[ref]
	m.mu.Unlock()
	if !ok {
		return nil, fmt.Errorf("read blob %q: %w", ref.Hash(), ErrNotExist)
	}
	return append(make([]byte, 0, len(data)), data...), nil
}
