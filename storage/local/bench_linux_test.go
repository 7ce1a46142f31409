package local_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// BenchmarkWrite is what the system asks for a bare write, and for one with
// fdatasync.
func BenchmarkWrite(b *testing.B) {
	for name, sync := range map[string]bool{"bare": false, "fdatasync": true} {
		b.Run(name, func(b *testing.B) {
			f, err := os.OpenFile(filepath.Join(b.TempDir(), "a"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			fd := int(f.Fd())
			for b.Loop() {
				if _, err = unix.Write(fd, entry); err == nil && sync {
					err = unix.Fdatasync(fd)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
