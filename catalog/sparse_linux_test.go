package catalog_test

import (
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/search"
)

// TestSparse: a session that ends in a hole of 60 GB is listed and searched without
// reading the hole, and is said to be damaged.
func TestSparse(t *testing.T) {
	h := newHome(t)
	path := h.put(".pi/agent/sessions/-w/2026-01-02T03-04-05-000Z_sparse01.jsonl", header("sparse01", "/w", ""),
		`{"type":"message","id":"u1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"a mayfly","timestamp":1}}`)
	if err := os.Truncate(path, 60<<30); err != nil {
		t.Fatal(err)
	}
	var read atomic.Int64
	o := h.options()
	o = vfs.On(o, errorfs.Wrap(vfs.OS(), func(op errorfs.Op) *errorfs.Fault {
		if op.Kind == errorfs.ReadAt {
			read.Add(int64(op.Len))
		}
		return nil
	}))
	all, err := catalog.List(t.Context(), o)
	if err != nil || len(all) != 1 || all[0].ID != "sparse01" || all[0].Messages != 1 || !all[0].Damaged || all[0].Size != 60<<30 {
		t.Errorf("listed %+v, %v", all, err)
	}
	q, err := search.Parse("mayfly", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	hits := 0
	for hit, err := range search.Run(t.Context(), q, search.Options{Options: o}) {
		if hits++; err != nil || hit.EntryID != "u1" {
			t.Errorf("hit %+v, %v", hit, err)
		}
	}
	if n := read.Load(); hits != 1 || n > 64<<20 {
		t.Errorf("%d hits, %d bytes were read", hits, n)
	}
}
