package state_test

import (
	"bytes"
	"testing"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
)

// TestRecordIsBounded: the record of operations becomes no longer than what of it is
// read, and keeps the younger ones.
func TestRecordIsBounded(t *testing.T) {
	mem := disk(t)
	old := []byte(`{"v":1,"id":"aaaaaaaaaaaa","state":"begun","at":"2026-01-01T00:00:00.000Z","op":"rename","path":"/x"}` + "\n")
	put(t, mem, dir+"/operations", string(bytes.Repeat(old, 17<<20/len(old))))
	if err := remove(t.Context(), journal(mem, 1)); err != nil {
		t.Fatal(err)
	}
	info, err := mem.Stat(dir + "/operations")
	if err != nil || info.Size > 9<<20 {
		t.Errorf("%d bytes, %v", info.Size, err)
	}
	if r, err := journal(mem, 2).Undo(t.Context(), "", nil); err != nil || r.Op != state.Remove {
		t.Errorf("undo %s: %v", r.Op, err)
	}
}

// TestKeptGoes: the bytes of before are deleted when they are back where they were.
func TestKeptGoes(t *testing.T) {
	mem := crashfs.New()
	put(t, mem, session, content)
	j := journal(mem, 1)
	for range 15 {
		id, err := j.Begin(t.Context(), state.Change{Op: state.Repair, Path: session})
		if err != nil {
			t.Fatal(err)
		}
		if err := mem.Remove(session); err != nil {
			t.Fatal(err)
		}
		put(t, mem, session, content+content)
		if err := j.End(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Undo(t.Context(), "", nil); err != nil || text(t, mem, session) != content {
			t.Fatal(err)
		}
	}
	if names, err := mem.Names(dir + "/kept"); len(names) > 0 || err != nil {
		t.Errorf("kept: %v, %v", names, err)
	}
}
