package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

// overtaken is a log of which another one does not know the last line yet.
type overtaken struct {
	*testing.T
	late   storage.Log
	seen   storage.Mark
	ahead  storage.Log
	mark   storage.Mark
	beside vfs.File // a descriptor of the same file
}

func newOvertaken(t *testing.T) *overtaken {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a")
	store := local.New(local.Options{})
	o := &overtaken{T: t}
	o.ahead = o.open(store, path, storage.Create)
	o.seen = o.append(o.ahead, storage.Mark{})
	o.late = o.open(store, path, storage.Write)
	o.mark = o.append(o.ahead, o.seen)
	f, err := vfs.OS().Open(path, os.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	o.beside = f
	t.Cleanup(func() { _ = f.Close() })
	return o
}

func (o *overtaken) open(s storage.Store, path string, mode storage.Mode) storage.Log {
	o.Helper()
	log, err := s.Open(o.Context(), path, mode)
	if err != nil {
		o.Fatal(err)
	}
	o.Cleanup(func() { _ = log.Close() })
	return log
}

func (o *overtaken) append(log storage.Log, after storage.Mark) storage.Mark {
	o.Helper()
	mark, err := log.Append(o.Context(), after, [][]byte{[]byte("line")})
	if err != nil {
		o.Fatal(err)
	}
	return mark
}

// told appends with the old mark and returns the one to go on with.
func (o *overtaken) told(lines ...[]byte) storage.Mark {
	o.Helper()
	_, err := o.late.Append(o.Context(), o.seen, lines)
	var c *storage.Changed
	if !errors.As(err, &c) || c.Kind != storage.Grown {
		o.Fatalf("append with an old mark: %v", err)
	}
	return c.Now
}

// free reports whether nobody has the lock.
func (o *overtaken) free() bool {
	o.Helper()
	ok, err := o.beside.TryLock()
	if err == nil && ok {
		err = o.beside.Unlock()
	}
	if err != nil {
		o.Fatal(err)
	}
	return ok
}

// TestKeep: who was told that the log has grown finds it locked for itself when
// it comes again. It may be late for that, so it tries a few times.
func TestKeep(t *testing.T) {
	o := newOvertaken(t)
	for n := range 100 {
		now := o.told([]byte("mine"))
		kept := !o.free()
		if _, err := o.late.Append(o.Context(), now, [][]byte{[]byte("mine")}); err != nil {
			t.Fatal(err)
		}
		if !o.free() {
			t.Fatal("the lock was not given back by the append that it was kept for")
		}
		if kept {
			return
		}
		t.Logf("try %d: late", n+1)
	}
	t.Error("the lock was never kept")
}

// TestKeepEnds: a lock that was kept for nothing goes back, by itself, by
// anything else that is done under the lock, and when the log is closed.
func TestKeepEnds(t *testing.T) {
	for name, end := range map[string]func(o *overtaken){
		"time":  func(o *overtaken) { _ = o.beside.Lock(o.Context()); _ = o.beside.Unlock() },
		"close": func(o *overtaken) { _ = o.late.Close() },
		"check": func(o *overtaken) { _, _ = o.late.Append(o.Context(), o.mark, nil) },
		"slot": func(o *overtaken) {
			_, _ = powers.WriteSlot(o.Context(), o.late, o.mark, []byte("line"), []byte("slot"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOvertaken(t)
			o.told([]byte("mine"))
			end(o)
			if !o.free() {
				t.Error("still locked")
			}
			o.append(o.ahead, func() storage.Mark {
				info, err := o.ahead.Stat(o.Context())
				if err != nil {
					t.Fatal(err)
				}
				return info.Mark
			}())
		})
	}
	o := newOvertaken(t)
	o.told()
	if !o.free() {
		t.Error("a mere check kept the lock")
	}
}
