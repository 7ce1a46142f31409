package state_test

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
)

// TestPresenceAmongMany: who has one session open costs the same whether processes that
// were killed left one file behind or thousands, and those go.
func TestPresenceAmongMany(t *testing.T) {
	asked := func(files int, old bool) int64 {
		mem := crashfs.New()
		put(t, mem, session, content)
		now := time.Unix(1_800_000_000, 0)
		dead := state.NewPresence(state.PresenceOptions{Dir: dir, FS: mem, Now: func() time.Time { return now }})
		for n := range files {
			if _, err := dead.Enter(t.Context(), fmt.Sprintf("%s/sessions/%d.jsonl", home, n)); err != nil {
				t.Fatal(err)
			}
		}
		left := mem.CrashClone(100, 0) // its locks are gone
		var count atomic.Int64
		p := state.NewPresence(state.PresenceOptions{Dir: dir, Now: func() time.Time { return now.Add(time.Hour * 24 * 365 * 50) }, FS: errorfs.Wrap(left, func(errorfs.Op) *errorfs.Fault {
			count.Add(1)
			return nil
		})})
		if id, err := p.Enter(t.Context(), session); err != nil {
			t.Fatal(err)
		} else if _, err := p.Who(t.Context(), session, id); err != nil {
			t.Fatal(err)
		} else if err := p.Leave(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		once := count.Load()
		for range 100 { // what lists sessions
			p.View(t.Context())
		}
		shards, err := left.Names(filepath.Join(dir, "presence"))
		if err != nil {
			t.Fatal(err)
		}
		names := 0
		for _, shard := range shards {
			all, _ := left.Names(filepath.Join(dir, "presence", shard)) // of a file there are none
			names += len(all)
		}
		if names > 1 {
			t.Errorf("%d of %d files are left", names, files)
		}
		return once
	}
	one, many := asked(1, false), asked(5000, false)
	if many > one+100 {
		t.Errorf("%d operations among 5,000 files, %d beside one", many, one)
	}
}
