package browse

import (
	"context"
	"iter"
	"sync"

	"github.com/cambium-dev/cambium/catalog"
)

// A memoryIndex keeps what was found while the process runs, where there is no
// other index, so that looking anew reads what changed only.
type memoryIndex struct {
	mu      sync.Mutex
	records map[string]catalog.Record // guarded by mu
}

var _ catalog.Index = (*memoryIndex)(nil)

// Known yields what is kept.
func (x *memoryIndex) Known(context.Context) iter.Seq2[catalog.Record, error] {
	x.mu.Lock()
	all := make([]catalog.Record, 0, len(x.records))
	for _, r := range x.records {
		all = append(all, r)
	}
	x.mu.Unlock()
	return func(yield func(catalog.Record, error) bool) {
		for _, r := range all {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Keep keeps records and forgets those of gone.
func (x *memoryIndex) Keep(_ context.Context, records []catalog.Record, gone []string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, r := range records {
		x.records[r.Path] = r
	}
	for _, path := range gone {
		delete(x.records, path)
	}
	return nil
}
