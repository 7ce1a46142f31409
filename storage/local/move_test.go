package local_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage/local"
)

// TestMoveIsOfWhatIsOpen: a link or a file in the place of an open log is not
// renamed with its name, and the log is followed to where it is.
func TestMoveIsOfWhatIsOpen(t *testing.T) {
	for what, swap := range map[string]func(name, foreign string) error{
		"link": os.Symlink, "file": os.Link,
	} {
		dir := t.TempDir()
		name, foreign := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "key")
		if err := errors.Join(os.WriteFile(name, []byte("Header\n"), 0o600), os.WriteFile(foreign, []byte("key\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		store := local.New(local.Options{})
		log := open(t, store, name)
		info, err := log.Stat(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Rename(name, name+".away"), swap(foreign, name)); err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, "sub/b.jsonl")
		if err := powers.Move(t.Context(), store, log, info.Mark, name, to); err == nil {
			t.Errorf("%s: another one was moved", what)
		}
		if data, err := os.ReadFile(foreign); err != nil || string(data) != "key\n" {
			t.Errorf("%s: it is %q, %v", what, data, err)
		}
		if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: something is at the new name: %v", what, err)
		}
	}
}
