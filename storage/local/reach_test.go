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

// TestMovedOutOfReach: a log that is renamed to where the file system does not reach
// is gone, and is put back at its name.
func TestMovedOutOfReach(t *testing.T) {
	top := t.TempDir()
	dir, away := filepath.Join(top, "root"), filepath.Join(top, "away.jsonl")
	name := filepath.Join(dir, "a.jsonl")
	store := local.New(vfs.On(local.Options{Report: report(t)}, vfs.Under(vfs.OS(), dir)))
	create(t, store, name, "header", "two")
	log := open(t, store, name)
	info, err := log.Stat(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name, away); err != nil {
		t.Fatal(err)
	}
	_, err = log.Append(t.Context(), info.Mark, byteLines([]string{"three"}))
	var changed *storage.Changed
	if !errors.As(err, &changed) || changed.Kind != storage.Gone {
		t.Errorf("append: %v, want that it is gone", err)
	}
	mark, err := powers.Restore(t.Context(), log, info.Mark)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(t.Context(), mark, byteLines([]string{"three"})); err != nil {
		t.Fatal(err)
	}
	wantLines(t, readAll(t, open(t, store, name)), "header", "two", "three")
	if data, err := os.ReadFile(away); err != nil || string(data) != "header\ntwo\n" {
		t.Errorf("the file that was taken away is %q, %v", data, err)
	}
}
