package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"

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

// Index returns the index, nil when it is not to be used. It lies in Cambium's cache
// directory, is opened when it is first asked, and is done without when something is
// wrong with it, which is noted once.
func (l *Library) Index() *index.Index {
	dir := l.indexDir()
	if l.NoIndex || !filepath.IsAbs(dir) {
		return nil
	}
	l.known.mu.Lock()
	defer l.known.mu.Unlock()
	if l.known.index == nil {
		l.known.index = index.New(index.Options{Dir: dir, Report: l.IndexTrouble})
	}
	return l.known.index
}

// Memory returns what keeps the offsets of large sessions: the index, nil when
// it is not to be used.
func (l *Library) Memory() session.Memory {
	x := l.Index()
	if x == nil {
		return nil
	}
	return memory{x, l}
}

// A memory is the index that tells what is wrong with it.
type memory struct {
	*index.Index
	l *Library
}

// Recall is that of the index.
func (m memory) Recall(ctx context.Context, name string) (storage.Mark, []byte, error) {
	mark, data, err := m.Index.Recall(ctx, name)
	if err != nil && ctx.Err() == nil {
		m.l.IndexTrouble(err)
	}
	return mark, data, err
}

// IndexTrouble says what is wrong with the index; the answer is complete without.
func (l *Library) IndexTrouble(err error) {
	if !l.known.told.Swap(true) {
		l.note("", err.Error())
	}
}

// IndexTroubled reports whether something is wrong with the index.
func (l *Library) IndexTroubled() bool { return l.known.told.Load() }

// unread says, once, that a directory with sessions cannot be read.
func (l *Library) unread(dir string, err error) {
	if _, told := l.known.dirs.LoadOrStore(dir, true); told {
		return
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	l.note(dir, fmt.Sprintf("it cannot be read (%v); its sessions are left out", err))
}

// CloseIndex closes the index, if it is open.
func (l *Library) CloseIndex() {
	l.known.mu.Lock()
	defer l.known.mu.Unlock()
	if l.known.index != nil {
		_ = l.known.index.Close() // it is never the truth
	}
}
