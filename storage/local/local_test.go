package local_test

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/storage/local"
	"github.com/cambium-dev/cambium/storage/storagetest"
)

// breaker lets one write stop after so many bytes.
type breaker struct{ after atomic.Int64 }

func (b *breaker) inject(op errorfs.Op) *errorfs.Fault {
	n := b.after.Load() - 1
	if op.Kind != errorfs.Write || n < 0 || n >= int64(op.Len) {
		return nil
	}
	b.after.Store(0)
	return &errorfs.Fault{Err: errorfs.ErrNoSpace, Short: int(n)}
}

func (b *breaker) set(n int) { b.after.Store(int64(n) + 1) }

func TestStore(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storagetest.Fixture {
		dir := t.TempDir()
		b := new(breaker)
		later := time.Now()
		return storagetest.Fixture{
			Store: local.New(vfs.On(local.Options{Report: report(t)}, errorfs.Wrap(vfs.OS(), b.inject))),
			Dir:   filepath.Join(dir, "logs"),
			Set: func(name string, data []byte) {
				if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, data, 0o600); err != nil {
					t.Fatal(err)
				}
				// The clock of files may be too coarse to tell.
				later = later.Add(time.Second)
				if err := os.Chtimes(name, later, later); err != nil {
					t.Fatal(err)
				}
			},
			Break: b.set,
		}
	})
}

// TestStoreWithoutDisk runs the suite on the file system that the crash tests
// use, so that they test the store and not its stage.
func TestStoreWithoutDisk(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storagetest.Fixture {
		b := new(breaker)
		mem := crashfs.New()
		return storagetest.Fixture{
			Store: local.New(vfs.On(local.Options{Report: report(t)}, errorfs.Wrap(mem, b.inject))),
			Dir:   "/logs",
			Break: b.set,
		}
	})
}

// report makes a test fail for what should not have gone wrong.
func report(t *testing.T) func(string, error) {
	return func(name string, err error) { t.Errorf("report of %q: %v", name, err) }
}
