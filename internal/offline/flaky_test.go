package offline_test

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/storagetest"
)

var errGone = errors.New("no answer")

// flaky is a store of rows that can be away, and lose the answer to an append.
type flaky struct {
	*storagetest.Rows
	mu    sync.Mutex
	away  bool // guarded by mu
	lose  int  // guarded by mu: so many appends take place, and are not answered
	asked int  // guarded by mu
}

func (f *flaky) set(away bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.away = away
}

func (f *flaky) there() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	if f.away {
		return errGone
	}
	return nil
}

func (f *flaky) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	if err := f.there(); err != nil {
		return nil, err
	}
	log, err := f.Rows.Open(ctx, name, mode)
	if err != nil {
		return nil, err
	}
	return &flakyLog{log, f}, nil
}

func (f *flaky) Stat(ctx context.Context, name string) (storage.Info, error) {
	if err := f.there(); err != nil {
		return storage.Info{}, err
	}
	return f.Rows.Stat(ctx, name)
}

func (f *flaky) List(ctx context.Context, dir string) iter.Seq2[storage.Info, error] {
	if err := f.there(); err != nil {
		return func(yield func(storage.Info, error) bool) { yield(storage.Info{}, err) }
	}
	return f.Rows.List(ctx, dir)
}

type flakyLog struct {
	storage.Log
	f *flaky
}

func (l *flakyLog) Append(ctx context.Context, after storage.Mark, lines [][]byte) (storage.Mark, error) {
	if err := l.f.there(); err != nil {
		return after, err
	}
	mark, err := l.Log.Append(ctx, after, lines)
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	if err == nil && len(lines) > 0 && l.f.lose > 0 {
		l.f.lose--
		l.f.away = true
		return after, errGone
	}
	return mark, err
}

func (l *flakyLog) Read(ctx context.Context, from storage.Mark) iter.Seq2[storage.Line, error] {
	if err := l.f.there(); err != nil {
		return func(yield func(storage.Line, error) bool) { yield(storage.Line{}, err) }
	}
	return l.Log.Read(ctx, from)
}

func (l *flakyLog) ReadTail(ctx context.Context, n int64) ([]storage.Line, error) {
	if err := l.f.there(); err != nil {
		return nil, err
	}
	return l.Log.ReadTail(ctx, n)
}

func (l *flakyLog) Stat(ctx context.Context) (storage.Info, error) {
	if err := l.f.there(); err != nil {
		return storage.Info{}, err
	}
	return l.Log.Stat(ctx)
}

// flakyBlobs are blobs of a store that can be away.
type flakyBlobs struct {
	blob.Memory
	f *flaky
}

func (b *flakyBlobs) Put(ctx context.Context, data []byte, ext string) (blob.Ref, error) {
	if err := b.f.there(); err != nil {
		return blob.Ref{}, err
	}
	return b.Memory.Put(ctx, data, ext)
}

func (b *flakyBlobs) Read(ctx context.Context, ref blob.Ref) ([]byte, error) {
	if err := b.f.there(); err != nil {
		return nil, err
	}
	return b.Memory.Read(ctx, ref)
}
