package journal_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/google/go-cmp/cmp"
)

// draftOf is a draft in the store of a journal.
func draftOf(o journal.Options, name string) *journal.Draft {
	remove := func(ctx context.Context) error { return o.Store.Remove(ctx, name) }
	return &journal.Draft{Store: o.Store, Name: name, Header: []byte(header), Remove: remove}
}

// A draft that was taken away is written again, whole, with the next line; one
// that somebody appended to goes on behind that.
func TestDraftOutlivesOthers(t *testing.T) {
	for _, c := range []struct {
		name   string
		meddle func(draft string) error
		want   []string
	}{
		{"gone", os.Remove, []string{"a", "b", "c"}},
		{"directory gone", func(draft string) error { return os.RemoveAll(filepath.Dir(draft)) }, []string{"a", "b", "c"}},
		{"grown", func(draft string) error {
			f, err := os.OpenFile(draft, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString(user("other", "a", "from elsewhere") + "\n")
			return errors.Join(err, f.Close())
		}, []string{"a", "other", "b", "c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			h, _ := entry.ParseHeader([]byte(header))
			draft := filepath.Join(dir, "drafts", "s.jsonl")
			o := options(filepath.Join(dir, "s.jsonl"), true)
			j := journal.Hold(o, h, draftOf(o, draft))
			add(t, j, "a", "")
			if err := c.meddle(draft); err != nil {
				t.Fatal(err)
			}
			add(t, j, "b", "a")
			add(t, j, "c", "b")
			if diff := cmp.Diff(c.want, ids(t, open(t, draft, false))); diff != "" {
				t.Error(diff)
			}
			if err := j.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Who gives up on a session has its draft removed, whatever became of the
// context.
func TestDiscardAfterCancel(t *testing.T) {
	dir := t.TempDir()
	h, _ := entry.ParseHeader([]byte(header))
	draft := filepath.Join(dir, "s.jsonl")
	o := options(filepath.Join(dir, "t.jsonl"), true)
	j := journal.Hold(o, h, draftOf(o, draft))
	add(t, j, "a", "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := j.Discard(ctx); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(draft); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the draft is still there: %v", err)
	}
}
