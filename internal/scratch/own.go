package scratch

import (
	"os"
	"testing"
)

// OwnDir is a temporary directory that only its owner may write to, whatever the
// umask is: what decides what is run, or who gets in, is believed there.
func OwnDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}
