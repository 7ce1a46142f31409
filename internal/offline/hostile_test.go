package offline_test

import (
	"context"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/offline"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/storagetest"
)

// poisoned is a store whose logs hold what they like, under any name.
type poisoned struct {
	storage.Store
	lines [][]byte
}

// Open opens a log that is there whatever it is called.
func (p poisoned) Open(_ context.Context, name string, _ storage.Mode) (storage.Log, error) {
	return poisonedLog{name: name, lines: p.lines}, nil
}

// Stat describes it.
func (p poisoned) Stat(ctx context.Context, name string) (storage.Info, error) {
	return poisonedLog{name: name, lines: p.lines}.Stat(ctx)
}

type poisonedLog struct {
	storage.Log
	name  string
	lines [][]byte
}

// Stat describes the log: its size is a lie.
func (l poisonedLog) Stat(context.Context) (storage.Info, error) {
	return storage.Info{Name: l.name, Mark: storage.MakeMark([4]uint64{1, 2, 3, 4}), Size: 1 << 62, Mode: 0o600}, nil
}

// Read yields the lines.
func (l poisonedLog) Read(context.Context, storage.Mark) iter.Seq2[storage.Line, error] {
	return func(yield func(storage.Line, error) bool) {
		for i, line := range l.lines {
			if !yield(storage.Line{Bytes: line, Pos: int64(i), LF: true}, nil) {
				return
			}
		}
	}
}

// Close ends the use of it.
func (l poisonedLog) Close() error { return nil }

// TestPoisoned: whatever a store calls its logs and says is in them, copies lie in
// the directory of copies, under names of its own, and are no larger than they may
// be.
func TestPoisoned(t *testing.T) {
	root := t.TempDir()
	large := make([][]byte, 100)
	for i := range large {
		large[i] = []byte(strings.Repeat("x", 1000))
	}
	odd := [][]byte{[]byte("not JSON"), []byte("a\nb\n"), {0}, []byte("\xff\xfe"), {}}
	names := []string{"/../../../etc/passwd", "..", "/p/\x00", "/p/\x1b]0;x\x07", "/p/" + strings.Repeat("n", 5000), "/p/\xff", "", "/", "/p/.json", "/p/a\n"}
	for i, lines := range [][][]byte{odd, large} {
		far := poisoned{Store: storagetest.NewRows(), lines: lines}
		s := offline.New(&offline.Remote{Store: far}, offline.Options{
			Cache: filepath.Join(root, "cache"), Waiting: filepath.Join(root, "waiting"), Most: 20_000, Away: func(error) bool { return false },
		})
		for _, name := range names {
			log, err := s.Open(t.Context(), name, storage.Read)
			if err != nil {
				continue // it is refused
			}
			if _, err := log.Stat(t.Context()); err != nil {
				t.Error(err)
			}
			for range log.Read(t.Context(), storage.Mark{}) { // twice: from the copy, if there is one
			}
			for range log.Read(t.Context(), storage.Mark{}) {
			}
			if err := log.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		var sum int64
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			base := strings.TrimSuffix(strings.TrimSuffix(d.Name(), ".json"), ".lines")
			if filepath.Dir(path) != filepath.Join(root, "cache", "logs") || len(base) != 32 || strings.Trim(base, "0123456789abcdef") != "" {
				t.Errorf("there is %q", path)
			}
			if info, err := d.Info(); err == nil && strings.HasSuffix(path, ".lines") {
				sum += info.Size()
			}
			return nil
		})
		if err != nil || sum > 20_000 || i == 0 && sum == 0 {
			t.Errorf("copies have %d bytes, %v", sum, err)
		}
	}
}
