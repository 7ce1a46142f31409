package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// WriteSlot overwrites the start of the log.
func (l *log) WriteSlot(ctx context.Context, after storage.Mark, old, new []byte) (storage.Mark, error) {
	if len(old) != len(new) {
		return after, l.fail("write slot of", fmt.Errorf("%d bytes for %d", len(new), len(old)))
	}
	f, err := l.lock(ctx, after)
	if err != nil {
		return after, l.fail("write slot of", err)
	}
	defer l.unlock(f)
	switch {
	case f == nil:
		err = storage.ErrNotExist
	case !bytes.HasPrefix(f.data, old):
		err = &storage.Changed{Kind: storage.Touched, Now: f.mark()}
	}
	if err != nil {
		return after, l.fail("write slot of", err)
	}
	f.data = append(bytes.Clone(new), f.data[len(new):]...)
	l.store.changed(f)
	return f.mark(), nil
}

// Salvage returns the bytes of the log before it was replaced or removed.
func (l *log) Salvage(ctx context.Context) (powers.Section, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.held == nil {
		return nil, 0, l.fail("salvage", storage.ErrNotExist)
	}
	return snapshot{bytes.NewReader(l.held.data)}, int64(len(l.held.data)), nil
}

// Restore gives the log that was removed its name back.
func (l *log) Restore(ctx context.Context, after storage.Mark) (storage.Mark, error) {
	if err := ctx.Err(); err != nil {
		return after, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	err := l.look()
	switch {
	case err == nil:
		return after, l.fail("restore", storage.ErrExist)
	case !errors.Is(err, storage.ErrNotExist) || l.held == nil:
		return after, l.fail("restore", err)
	}
	words := after.Words()
	if words[1] != l.held.id || words[2] > uint64(len(l.held.data)) {
		return after, l.fail("restore", &storage.Changed{Kind: storage.Gone})
	}
	data := l.held.data
	l.f, l.held = l.store.newFile(l.name), nil
	l.f.data = bytes.Clone(data)
	return l.f.markAt(int(words[2])), nil
}

// Watch waits for changes; it does not poll.
func (l *log) Watch(ctx context.Context, after storage.Mark) iter.Seq2[storage.Mark, error] {
	return func(yield func(storage.Mark, error) bool) {
		last := after
		for ctx.Err() == nil {
			now, next, err := l.peek()
			if err != nil {
				yield(storage.Mark{}, l.fail("watch", err))
				return
			}
			if now != last {
				last = now
				if !yield(now, nil) {
					return
				}
				continue
			}
			select {
			case <-next:
			case <-ctx.Done():
			}
		}
	}
}

// peek returns the mark of the log and what is closed at the next change.
func (l *log) peek() (storage.Mark, <-chan struct{}, error) {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	err := l.look()
	if errors.Is(err, storage.ErrNotExist) {
		return storage.Mark{}, l.store.birth, nil
	}
	if err != nil {
		return storage.Mark{}, nil, err
	}
	return l.f.mark(), l.f.next, nil
}
