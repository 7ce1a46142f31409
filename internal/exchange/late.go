package exchange

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"sync"

	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// Marks of what lies beside a session.
const (
	noShelf   = "-"
	noShelves = noShelf + "," + noShelf
	// unknownShelf is never what was seen last.
	unknownShelf = "?"
)

// shelfMark tells what lies beside a session from what lay there before: the names and
// sizes of files, in a store without files the mark of their list.
func (s *Side) shelfMark(ctx context.Context, l *logAt) string {
	dir := ident.ArtifactDir(l.name)
	if dir == "" || s.fsys == nil && s.blobs == nil {
		return noShelf
	}
	if s.fsys == nil {
		info, err := s.store.Stat(ctx, path.Join(dir, listName))
		switch {
		case errors.Is(err, storage.ErrNotExist):
			return noShelf
		case err != nil:
			return unknownShelf
		}
		return info.Mark.String()
	}
	met := false
	f := folder{fsys: vfs.Under(s.fsys, filepath.Dir(dir)), dir: dir, link: func(string) { met = true }}
	all, err := f.all(ctx)
	if err != nil || met {
		return unknownShelf
	}
	if len(all) == 0 {
		return noShelf
	}
	sum := sha256.New()
	for _, a := range all {
		fmt.Fprintf(sum, "%q %d\n", a.path, a.size)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
}

// lateShelves returns the logs here beside which, or beside whose other side, something
// else lies than when they were united last.
func (r *run) lateShelves(ctx context.Context, here []*logAt, there map[string]*logAt) map[string]bool {
	var mu sync.Mutex
	late := make(map[string]bool)
	r.each(len(here), func(i int) {
		l := here[i]
		k, ok := r.known.of(l.name)
		other := there[k.there]
		if !ok || other == nil || k.here != l.mark || k.thereMark != other.mark {
			return // it is looked at anyway
		}
		now := noShelves
		if l.shelved || other.shelved {
			now = r.here.shelfMark(ctx, l) + "," + r.there.shelfMark(ctx, other)
		}
		if now != k.beside {
			mu.Lock()
			defer mu.Unlock()
			late[l.name] = true
		}
	})
	return late
}
