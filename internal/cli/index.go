package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
)

// A lazyIndex is the index of sessions, once it is asked for.
type lazyIndex struct {
	mu    sync.Mutex
	index *index.Index // guarded by mu
	told  atomic.Bool  // trouble was
	dirs  sync.Map     // the directories that unread told of
}

// useIndex has a listing use the index: it lies in Cambium's cache directory, is
// opened when it is first asked, and is done without when something is wrong
// with it, which is told once.
func (a *app) useIndex(o *catalog.Options) {
	if x := a.index(); x != nil {
		o.Index, o.Trouble = x, a.indexTrouble
	}
}

// index returns the index, nil when it is not to be used.
func (a *app) index() *index.Index {
	dir := a.indexDir()
	if a.flags.noIndex || !filepath.IsAbs(dir) {
		return nil
	}
	a.known.mu.Lock()
	defer a.known.mu.Unlock()
	if a.known.index == nil {
		a.known.index = index.New(index.Options{Dir: dir, Report: a.indexTrouble})
	}
	return a.known.index
}

// memory returns what keeps the offsets of large sessions: the index, nil when
// it is not to be used.
func (a *app) memory() session.Memory {
	x := a.index()
	if x == nil {
		return nil
	}
	return memory{x, a}
}

// A memory is the index that tells what is wrong with it.
type memory struct {
	*index.Index
	a *app
}

// Recall is that of the index.
func (m memory) Recall(ctx context.Context, name string) (storage.Mark, []byte, error) {
	mark, data, err := m.Index.Recall(ctx, name)
	if err != nil && ctx.Err() == nil {
		m.a.indexTrouble(err)
	}
	return mark, data, err
}

// indexTrouble says what is wrong with the index; the answer is complete without.
func (a *app) indexTrouble(err error) {
	if !a.known.told.Swap(true) {
		a.note("", err.Error())
	}
}

// unread says, once, that a directory with sessions cannot be read.
func (a *app) unread(dir string, err error) {
	if _, told := a.known.dirs.LoadOrStore(dir, true); told {
		return
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	a.note(dir, fmt.Sprintf("it cannot be read (%v); its sessions are left out", err))
}

// closeIndex closes what useIndex opened.
func (a *app) closeIndex() {
	a.known.mu.Lock()
	defer a.known.mu.Unlock()
	if a.known.index != nil {
		_ = a.known.index.Close() // it is never the truth
	}
}
