package journal_test

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// refresh looks at the log of a journal anew.
func refresh(t *testing.T, j *journal.Journal) {
	t.Helper()
	if _, err := j.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestLongLineIsLookedFor: a line of megabytes is not read whole to see whether it
// still stands where it stood, and is missed where it does not.
func TestLongLineIsLookedFor(t *testing.T) {
	long := user("b", "a", strings.Repeat("x", 8<<20))
	name := file(t, header+"\n"+user("a", "", "first")+"\n"+long+"\n")
	j := open(t, name, false)
	loads := j.Loads()
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(name, later, later); err != nil {
		t.Fatal(err)
	}
	if n := allocated(func() { refresh(t, j) }); n > 4<<20 || j.Loads() != loads {
		t.Errorf("touched: %d bytes, %d loads", n, j.Loads()-loads)
	}
	external(t, name, user("c", "b", "more")+"\n")
	if n := allocated(func() { refresh(t, j) }); n > 4<<20 || j.Loads() != loads || j.List().Len() != 3 {
		t.Errorf("grown: %d bytes, %d loads, %d entries", n, j.Loads()-loads, j.List().Len())
	}
	if err := os.WriteFile(name, []byte(header+"\n"+user("a", "", "first of all")+"\n"+long+"\n"+user("c", "b", "more")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refresh(t, j)
	if got := ids(t, j); j.Loads() == loads || strings.Join(got, "") != "abc" {
		t.Errorf("moved: %d loads, %q", j.Loads()-loads, got)
	}
}

// TestFlushWaitsForNobody: a flush with nothing to do does not take the lock that
// another process holds.
func TestFlushWaitsForNobody(t *testing.T) {
	name := file(t, header+"\n")
	j := open(t, name, true)
	add(t, j, "a", "")
	other, err := vfs.OS().Open(name, os.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := j.Flush(t.Context()); err != nil { // it would hang
		t.Error(err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}
