package storefs

import (
	"context"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// FindWords calls tell with every log of which the store knows the words: see
// storage.Finder.
func (f *files) FindWords(ctx context.Context, terms []storage.Term, tell func(path string, file vfs.Info, w storage.Worded)) error {
	for w, err := range storage.Find(ctx, f.store, "/", terms) {
		if err != nil {
			return err
		}
		tell(w.Info.Name, describe(w.Info), w)
	}
	return nil
}

// LearnWords has the store know the words of all its logs.
func (f *files) LearnWords(ctx context.Context) error { return storage.Index(ctx, f.store, "/") }
