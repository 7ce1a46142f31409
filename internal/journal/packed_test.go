package journal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPackedCopyPutsBackTheSame packs what is kept of a log, between what others
// append, and cuts the log short: all of it is there again.
func TestPackedCopyPutsBackTheSame(t *testing.T) {
	for _, cut := range []int64{0, int64(len(header)) + 20, 1 << 20} {
		t.Run(fmt.Sprint("cut to ", cut), func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "s.jsonl")
			text, want, parent := header+"\n", []string{}, ""
			must(t, os.WriteFile(name, []byte(text), 0o600))
			write := func(n int) {
				var more string
				for range n {
					id := fmt.Sprintf("i%04d", len(want))
					more += user(id, parent, strings.Repeat(id+" ", 500)) + "\n"
					want, parent = append(want, id), id
				}
				f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
				must(t, err)
				_, err = f.WriteString(more)
				must(t, err)
				must(t, f.Close())
				text += more
			}
			write(400) // 1.2 MB
			j := open(t, name, true)
			j.Pack()
			write(400)
			if _, err := j.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			j.Pack()
			write(3) // stays as it is
			if _, err := j.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			j.Pack()
			must(t, os.Truncate(name, cut))
			add(t, j, "last", parent)
			want = append(want, "last")
			if diff := cmp.Diff(want, ids(t, j)); diff != "" {
				t.Errorf("memory (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, ids(t, open(t, name, false))); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
			data, err := os.ReadFile(name)
			if err != nil || !strings.HasPrefix(string(data), text) && cut == 0 {
				t.Errorf("the log does not begin with what it was: %v", err)
			}
		})
	}
}

// TestPackBesideAppends packs while entries are appended.
func TestPackBesideAppends(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s.jsonl")
	text := header + "\n" + user("a", "", strings.Repeat("and so on ", 300_000)) + "\n"
	must(t, os.WriteFile(name, []byte(text), 0o600))
	j := open(t, name, true)
	var packing sync.WaitGroup
	packing.Go(func() {
		for range 3 {
			j.Pack()
		}
	})
	want := []string{"a"}
	for i := range 50 {
		id := fmt.Sprint("b", i)
		add(t, j, id, want[len(want)-1])
		want = append(want, id)
	}
	packing.Wait()
	must(t, os.Truncate(name, 0))
	add(t, j, "last", want[len(want)-1])
	if diff := cmp.Diff(append(want, "last"), ids(t, open(t, name, false))); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}
