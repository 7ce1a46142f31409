package local_test

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

// hurried is a log that is appended to hastily. What before and after do comes
// just before or after the next write.
type hurried struct {
	*testing.T
	path          string
	log           storage.Log
	mark          storage.Mark
	before, after func()
}

// newHurried begins a log whose file is "one\n" and "two\n", the second line
// written hastily. Only on the bare file system a glance can do.
func newHurried(t *testing.T, bare bool) *hurried {
	t.Helper()
	h := &hurried{T: t, path: filepath.Join(t.TempDir(), "a")}
	fsys := vfs.OS()
	if !bare {
		fsys = errorfs.Wrap(fsys, func(op errorfs.Op) *errorfs.Fault {
			switch {
			case op.Kind == errorfs.Write && h.before != nil:
				act := h.before
				h.before = nil
				act()
			case op.Kind == errorfs.Unlock && h.after != nil:
				act := h.after
				h.after = nil
				act()
			}
			return nil
		})
	}
	var err error
	if h.log, err = local.New(vfs.On(local.Options{}, fsys)).Open(t.Context(), h.path, storage.Create); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.log.Close() })
	h.append("one")
	h.append("two")
	return h
}

func (h *hurried) append(line string) {
	h.Helper()
	mark, err := powers.AppendHastily(h.Context(), h.log, h.mark, [][]byte{[]byte(line)})
	if err != nil {
		h.Fatalf("append %q: %v", line, err)
	}
	h.mark = mark
}

// foreign appends without the lock, as other programs do.
func (h *hurried) foreign() {
	h.Helper()
	f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString("foreign\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		h.Fatal(err)
	}
}

// changed returns what the next append is told of the log.
func (h *hurried) changed() *storage.Changed {
	h.Helper()
	_, err := powers.AppendHastily(h.Context(), h.log, h.mark, [][]byte{[]byte("never")})
	var c *storage.Changed
	if !errors.As(err, &c) {
		h.Fatalf("append to a changed log: %v", err)
	}
	return c
}

// lines are those that follow the mark.
func (h *hurried) lines() []string {
	h.Helper()
	var all []string
	for line, err := range h.log.Read(h.Context(), h.mark) {
		if err != nil {
			h.Fatal(err)
		}
		all = append(all, string(line.Bytes))
	}
	return all
}

func TestHasty(t *testing.T) {
	for _, bare := range []bool{false, true} {
		h := newHurried(t, bare)
		for range 200 {
			h.append("more")
		}
		info, err := h.log.Stat(t.Context())
		if err != nil || info.Size != 8+200*5 {
			t.Fatalf("size %d, %v", info.Size, err)
		}
		if info.Mark == h.mark {
			t.Error("the mark of a hasty append is that of an Info")
		}
		h.append("after a look") // the mark holds as well when it was settled
		if left := h.lines(); len(left) > 0 {
			t.Errorf("%q follow the last mark", left)
		}
		if _, err := h.log.Append(t.Context(), h.mark, nil); err != nil {
			t.Errorf("check: %v", err)
		}
		if h.mark, err = powers.WriteSlot(t.Context(), h.log, h.mark, []byte("one"), []byte("ONE")); err != nil {
			t.Fatal(err)
		}
		h.append("behind a slot")
		if err := powers.Sync(t.Context(), h.log); err != nil {
			t.Fatal(err)
		}
		if h.mark, err = h.log.Replace(t.Context(), h.mark, asItIs); err != nil {
			t.Fatal(err)
		}
		h.append("behind a rewrite")
		h.append("and another")
		if data, err := os.ReadFile(h.path); err != nil || string(data[:12]) != "ONE\ntwo\nmore" || len(data) != 8+1000+13+14+17+12 {
			t.Errorf("%d bytes, %v: %.20q", len(data), err, data)
		}
	}
}

// TestHastyForeign: who writes without the lock is noticed by the append behind,
// wherever its line came to stand.
func TestHastyForeign(t *testing.T) {
	for name, tt := range map[string]struct {
		before, after bool
		want          []string
	}{
		"before": {before: true, want: []string{"foreign", "three"}},
		"after":  {after: true, want: []string{"foreign"}},
		"both":   {before: true, after: true, want: []string{"foreign", "three", "foreign"}},
	} {
		for seen, look := range map[string]func(h *hurried){
			"":     func(h *hurried) {},
			"stat": func(h *hurried) { _, _ = h.log.Stat(h.Context()) },
			"sync": func(h *hurried) { _ = powers.Sync(h.Context(), h.log) },
		} {
			t.Run(name+" "+seen, func(t *testing.T) {
				h := newHurried(t, false)
				if tt.before {
					h.before = h.foreign
				}
				if tt.after {
					h.after = h.foreign
				}
				h.append("three")
				look(h)
				c := h.changed()
				if c.Kind != storage.Grown {
					t.Errorf("told %v", c.Kind)
				}
				if got := h.lines(); !slices.Equal(got, tt.want) {
					t.Errorf("behind the mark: %q, want %q", got, tt.want)
				}
				h.mark = c.Now
				h.append("four")
			})
		}
	}
	h := newHurried(t, true)
	h.foreign()
	if c := h.changed(); c.Kind != storage.Grown {
		t.Errorf("at a glance: told %v", c.Kind)
	}
}

// TestHastyTouched: a change that leaves the size is seen by the time of change,
// and so is a clock that is not ours.
func TestHastyTouched(t *testing.T) {
	for name, at := range map[string]time.Duration{"later": time.Minute, "earlier": -time.Minute} {
		t.Run(name, func(t *testing.T) {
			h := newHurried(t, false)
			when := time.Now().Add(at)
			if err := os.Chtimes(h.path, when, when); err != nil {
				t.Fatal(err)
			}
			c := h.changed()
			if c.Kind != storage.Touched {
				t.Fatalf("told %v", c.Kind)
			}
			h.mark = c.Now
			h.append("three")
			h.append("four")
		})
	}
}

// TestHastyEnds: what else may become of a file that nobody looked at.
func TestHastyEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(h *hurried) error
		want storage.Change
	}{
		"cut":      {func(h *hurried) error { return os.Truncate(h.path, 4) }, storage.Truncated},
		"removed":  {func(h *hurried) error { return os.Remove(h.path) }, storage.Gone},
		"moved":    {func(h *hurried) error { return os.Rename(h.path, h.path+"2") }, storage.Moved},
		"replaced": {func(h *hurried) error { return errors.Join(os.Remove(h.path), os.WriteFile(h.path, nil, 0o600)) }, storage.Replaced},
	} {
		for _, bare := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				h := newHurried(t, bare)
				if err := tt.do(h); err != nil {
					t.Fatal(err)
				}
				c := h.changed()
				if c.Kind != tt.want {
					t.Errorf("told %v, want %v", c.Kind, tt.want)
				}
				switch tt.want {
				case storage.Moved:
					h.mark = c.Now
					h.append("three")
				case storage.Gone:
					mark, err := powers.Restore(t.Context(), h.log, h.mark)
					if err != nil {
						t.Fatal(err)
					}
					h.mark = mark
					h.append("three")
				}
			})
		}
	}
}

// TestHastyFails: a write of which nothing is there leaves the mark as it was.
func TestHastyFails(t *testing.T) {
	h := newHurried(t, false)
	broken := errors.New("broken")
	fail := false
	log, err := local.New(vfs.On(local.Options{}, errorfs.Wrap(vfs.OS(), func(op errorfs.Op) *errorfs.Fault {
		if fail && op.Kind == errorfs.Write {
			return &errorfs.Fault{Err: broken}
		}
		return nil
	}))).Open(t.Context(), h.path, storage.Write)
	if err != nil {
		t.Fatal(err)
	}
	h.log = log
	t.Cleanup(func() { _ = log.Close() })
	info, err := log.Stat(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.mark = info.Mark
	h.append("three")
	h.append("four")
	fail = true
	if _, err := powers.AppendHastily(t.Context(), log, h.mark, [][]byte{[]byte("five")}); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	fail = false
	h.append("five")
	if data, err := os.ReadFile(h.path); err != nil || string(data) != "one\ntwo\nthree\nfour\nfive\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// asItIs is a rewrite that changes nothing.
func asItIs(lines iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for line, err := range lines {
			if !yield(line.Bytes, err) {
				return
			}
		}
	}
}
