package local_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

// entry is a line of 2 KB.
var entry = bytes.Repeat([]byte("0123456789abcdef"), 128)

func openBench(b *testing.B, path string, mode storage.Mode) storage.Log {
	log, err := local.New(local.Options{}).Open(b.Context(), path, mode)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := log.Close(); err != nil {
			b.Error(err)
		}
	})
	return log
}

func BenchmarkAppend(b *testing.B) {
	for name, sync := range map[string]bool{"none": false, "synced": true} {
		b.Run(name, func(b *testing.B) {
			log := openBench(b, filepath.Join(b.TempDir(), "a"), storage.Create)
			lines, mark, err := [][]byte{entry}, storage.Mark{}, error(nil)
			ctx := b.Context()
			b.ReportAllocs()
			for b.Loop() {
				if mark, err = log.Append(ctx, mark, lines); err == nil && sync {
					err = powers.Sync(ctx, log)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAppendBusy appends from eight goroutines, each with a Log of its own.
func BenchmarkAppendBusy(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a")
	if _, err := openBench(b, path, storage.Create).Append(b.Context(), storage.Mark{}, [][]byte{entry}); err != nil {
		b.Fatal(err)
	}
	b.SetParallelism(4)
	b.RunParallel(func(pb *testing.PB) {
		log := openBench(b, path, storage.Write)
		info, err := log.Stat(b.Context())
		mark := info.Mark
		for err == nil && pb.Next() {
			for {
				mark, err = log.Append(b.Context(), mark, [][]byte{entry})
				var c *storage.Changed
				if !errors.As(err, &c) {
					break
				}
				mark = c.Now
			}
		}
		if err != nil {
			b.Error(err)
		}
	})
}
