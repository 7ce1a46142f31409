package journal_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/storage/local"
)

// life is what happens to one session: it is drafted, written, appended to,
// rewritten and flushed. It returns the ids whose append was acknowledged, and
// the first error.
func life(t *testing.T, fsys vfs.FS) (acked []string, first error) {
	t.Helper()
	note := func(err error) {
		if err != nil && first == nil {
			first = err
		}
	}
	o := journal.Options{Store: local.New(vfs.On(local.Options{}, fsys)), Name: "/d/s.jsonl", Write: true, Sync: journal.SyncEntry}
	h, _ := entry.ParseHeader([]byte(header))
	j := journal.Hold(o, h, draftOf(o, "/drafts/s.jsonl"))
	say := func(id, parent string) {
		_, err := j.Append(t.Context(), []byte(user(id, parent, "text of "+id)), true)
		note(err)
		if err == nil && !j.Held() {
			acked = append(acked, id)
		}
	}
	say("a", "")
	say("b", "a")
	if err := j.Materialise(t.Context()); err == nil {
		acked = append(acked, "a", "b")
	} else {
		note(err)
		if err := j.Materialise(t.Context()); err == nil { // a user tries again
			acked = append(acked, "a", "b")
		}
	}
	say("c", "b")
	_, err := j.Rewrite(t.Context(), func(r journal.Record) ([][]byte, error) {
		return [][]byte{[]byte(strings.Replace(string(r.Line), "text of", "words of", 1))}, nil
	})
	note(err)
	say("d", "c")
	err = j.Flush(t.Context())
	note(err)
	if err == nil && !j.Held() {
		acked = []string{"a", "b", "c", "d"}
	}
	note(j.Close())
	return acked, first
}

// holds checks that a session that was left behind opens and has all of the
// given entries, in the file or, before there is one, in the draft.
func holds(t *testing.T, what string, fsys vfs.FS, want []string) {
	t.Helper()
	have := []string{}
	for _, name := range []string{"/d/s.jsonl", "/drafts/s.jsonl"} {
		o := journal.Options{Store: local.New(vfs.On(local.Options{}, fsys)), Name: name}
		j, err := journal.Open(t.Context(), o)
		if err != nil {
			t.Errorf("%s: open %s: %v", what, name, err)
			continue
		}
		have = append(have, ids(t, j)...)
		if err := j.Close(); err != nil {
			t.Errorf("%s: close %s: %v", what, name, err)
		}
	}
	for _, id := range want {
		if !slices.Contains(have, id) {
			t.Errorf("%s: entry %q was acknowledged and is lost; there are %v", what, id, have)
		}
	}
}

func TestFailingAtEveryOperation(t *testing.T) {
	for _, fault := range []errorfs.Fault{{}, {Short: 20}, {After: true}} {
		for n := int64(1); ; n++ {
			disk := crashfs.New()
			c := &errorfs.Counter{At: n, Fault: fault}
			acked, err := life(t, errorfs.Wrap(disk, c.Inject))
			what := fmt.Sprintf("%+v at operation %d", fault, n)
			if err != nil && !errors.Is(err, errorfs.ErrInjected) {
				t.Errorf("%s: %v", what, err)
			}
			holds(t, what, disk, acked)
			if !c.Fired() {
				t.Logf("%d operations", n)
				if n < 20 {
					t.Errorf("only %d operations", n)
				}
				break
			}
		}
	}
}

func TestCrashingAtEveryChange(t *testing.T) {
	for n := int64(1); ; n++ {
		disk := crashfs.New()
		var clones []*crashfs.FS
		c := &errorfs.Counter{At: n, Only: func(op errorfs.Op) bool { return op.Kind.Changes() }, Then: func(errorfs.Op) {
			clones = append(clones, disk.CrashClone(0, 0), disk.CrashClone(100, 0))
			for seed := range uint64(20) {
				clones = append(clones, disk.CrashClone(50, seed))
			}
		}}
		acked := &[]string{}
		snapshot := []string{}
		inner := c.Then
		c.Then = func(op errorfs.Op) { snapshot = slices.Clone(*acked); inner(op) }
		lifeUntil(t, errorfs.Wrap(disk, c.Inject), acked)
		for i, clone := range clones {
			holds(t, fmt.Sprintf("crash at change %d, clone %d", n, i), clone, snapshot)
		}
		if !c.Fired() {
			t.Logf("%d changes", n)
			if n < 10 {
				t.Errorf("only %d changes", n)
			}
			break
		}
	}
}

// lifeUntil is a session's life in which acked grows as appends return.
func lifeUntil(t *testing.T, fsys vfs.FS, acked *[]string) {
	t.Helper()
	o := journal.Options{Store: local.New(vfs.On(local.Options{}, fsys)), Name: "/d/s.jsonl", Write: true, Sync: journal.SyncEntry}
	h, _ := entry.ParseHeader([]byte(header))
	j, err := journal.Create(t.Context(), o, h, [][]byte{[]byte(user("a", "", "x"))})
	if err != nil {
		t.Fatal(err)
	}
	*acked = append(*acked, "a")
	for _, id := range []string{"b", "c"} {
		if _, err := j.Append(t.Context(), []byte(user(id, "a", "x")), true); err != nil {
			t.Fatal(err)
		}
		*acked = append(*acked, id)
	}
	_, err = j.Rewrite(t.Context(), func(r journal.Record) ([][]byte, error) {
		return [][]byte{[]byte(strings.Replace(string(r.Line), `"x"`, `"y"`, 1))}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append(t.Context(), []byte(user("d", "c", "x")), true); err != nil {
		t.Fatal(err)
	}
	*acked = append(*acked, "d")
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}
