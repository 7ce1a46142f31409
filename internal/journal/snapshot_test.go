package journal_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/journal"
)

// openFiles counts the descriptors of this process that lead into dir.
func openFiles(t *testing.T, dir string) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // only Linux tells
	}
	n := 0
	for _, fd := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasPrefix(to, dir) {
			n++
		}
	}
	return n
}

// A snapshot reads its lines after rewrites and after the journal is closed, and
// the log is let go when nobody holds it any more.
func TestSnapshotOutlivesJournal(t *testing.T) {
	name := file(t, header+"\n"+user("a", "", "first")+"\n")
	j := open(t, name, true)
	was := j.Snapshot()
	for range 3 {
		_, err := j.Rewrite(t.Context(), func(r journal.Record) ([][]byte, error) {
			return [][]byte{[]byte(strings.ReplaceAll(string(r.Line), "first", "something longer"))}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if line, err := was.Load(0); err != nil || !strings.Contains(string(line), "first") {
		t.Errorf("the snapshot reads %q, %v", line, err)
	}
	runtime.KeepAlive(was)
	was = nil
	for range 1000 {
		if runtime.GC(); openFiles(t, filepath.Dir(name)) == 0 {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d descriptors are still open", openFiles(t, filepath.Dir(name)))
}
