//go:build share

package postgres_test

import (
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/postgres"
)

// upper is a rewrite that changes each line.
func upper(lines iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for line, err := range lines {
			if !yield(append([]byte("new "), line.Bytes...), err) {
				return
			}
		}
	}
}

// TestChangeCut: the connection is cut when a log is replaced, renamed or
// removed, on the way there and on the way back: it is done, or it is as before.
func TestChangeCut(t *testing.T) {
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprintf("late=%v", late), func(t *testing.T) {
			p := newProxy(t, shared)
			schema := schemaOf(t)
			s := open(t, p.url(shared), postgres.Options{Schema: schema})
			log, mark := started(t, s)

			p.cutAt("commit", late)
			next, err := log.Replace(t.Context(), mark, upper)
			switch {
			case late && err != nil:
				t.Fatalf("replace that took place: %v", err)
			case !late && !errors.Is(err, postgres.ErrAway):
				t.Fatalf("replace that was cut off: %v", err)
			case !late && next != mark:
				t.Errorf("the mark is %v, want %v", next, mark)
			}
			want := map[bool]string{false: "start", true: "new start"}[late]
			for line, err := range log.Read(t.Context(), storage.Mark{}) {
				if err != nil || string(line.Bytes) != want {
					t.Errorf("the log holds %q, %v; want %q", line.Bytes, err, want)
				}
			}
			if _, err := log.Append(t.Context(), next, [][]byte{[]byte("more")}); err != nil {
				t.Errorf("append behind it: %v", err)
			}

			p.cutAt("set dir = ", late)
			if err := s.Rename(t.Context(), "/p/log", "/q/other"); err != nil {
				t.Errorf("rename: %v", err)
			}
			if _, err := s.Stat(t.Context(), "/q/other"); err != nil {
				t.Errorf("after the rename: %v", err)
			}
			p.cutAt("delete from "+schema+".heads", late)
			if err := s.Remove(t.Context(), "/q/other"); err != nil {
				t.Errorf("remove: %v", err)
			}
			if _, err := s.Stat(t.Context(), "/q/other"); !errors.Is(err, storage.ErrNotExist) {
				t.Errorf("after the removal: %v", err)
			}
			if p.done() != 3 {
				t.Errorf("%d cuts, want 3", p.done())
			}
		})
	}
}

// TestReplaceRead: who reads a log while it is replaced reads what it was.
func TestReplaceRead(t *testing.T) {
	s := open(t, shared.URL("postgres"), postgres.Options{Schema: schemaOf(t), Patience: time.Second})
	log, mark := started(t, s)
	big := make([]byte, 3<<20)
	var err error
	for range 4 {
		if mark, err = log.Append(t.Context(), mark, [][]byte{big}); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for line, err := range log.Read(t.Context(), storage.Mark{}) {
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			if _, err := log.Replace(t.Context(), mark, upper); err != nil {
				t.Fatal(err)
			}
		} else if len(line.Bytes) != len(big) {
			t.Errorf("line %d has %d bytes, want %d", n, len(line.Bytes), len(big))
		}
		n++
	}
	if n != 5 {
		t.Errorf("%d lines, want 5", n)
	}
	if _, err := s.Sweep(t.Context()); err != nil {
		t.Error(err)
	}
}
