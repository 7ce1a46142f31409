package local_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

const logName = "/home/logs/a.jsonl"

// promise is what a scenario was told: lines that an Append acknowledged, and
// of those the ones that a Sync covered.
type promise struct{ acked, synced []string }

func (p *promise) sync() { p.synced = p.acked }

// scenario is what the tests below interrupt at each step. It goes on after
// errors as a caller does, until retries run out.
type scenario struct {
	name string
	// replaced: the first line is another one after the scenario.
	run func(ctx context.Context, store storage.Store, p *promise) error
}

func scenarios() []scenario {
	return []scenario{
		{"create", func(ctx context.Context, store storage.Store, p *promise) error {
			return withLog(ctx, store, storage.Create, func(log storage.Log) error {
				return write(ctx, log, storage.Mark{}, p, "header", "one", "two")
			})
		}},
		{"append", func(ctx context.Context, store storage.Store, p *promise) error {
			return withLog(ctx, store, storage.Write, func(log storage.Log) error {
				info, err := log.Stat(ctx)
				if err != nil {
					return err
				}
				if err := write(ctx, log, info.Mark, p, "three"); err != nil {
					return err
				}
				info, err = log.Stat(ctx)
				if err != nil {
					return err
				}
				return write(ctx, log, info.Mark, p, "four", strings.Repeat("long", 5000))
			})
		}},
		{"replace", func(ctx context.Context, store storage.Store, p *promise) error {
			return withLog(ctx, store, storage.Write, func(log storage.Log) error {
				info, err := log.Stat(ctx)
				if err != nil {
					return err
				}
				mark, err := log.Replace(ctx, info.Mark, retitle)
				if err != nil {
					return err
				}
				return write(ctx, log, mark, p, "five")
			})
		}},
		{"slot", func(ctx context.Context, store storage.Store, p *promise) error {
			return withLog(ctx, store, storage.Write, func(log storage.Log) error {
				info, err := log.Stat(ctx)
				if err != nil {
					return err
				}
				mark, err := powers.WriteSlot(ctx, log, info.Mark, []byte("header"), []byte("HEADER"))
				if err != nil {
					return err
				}
				return write(ctx, log, mark, p, "six")
			})
		}},
		{"rename", func(ctx context.Context, store storage.Store, p *promise) error {
			to := path.Dir(logName) + "/sub/b.jsonl"
			err := store.Rename(ctx, logName, to)
			if errors.Is(err, storage.ErrExist) || errors.Is(err, storage.ErrNotExist) {
				err = nil // done by an earlier try
			}
			if err != nil {
				return err
			}
			err = store.Rename(ctx, to, logName)
			if errors.Is(err, storage.ErrNotExist) {
				return nil
			}
			return err
		}},
	}
}

func withLog(ctx context.Context, store storage.Store, mode storage.Mode, do func(storage.Log) error) error {
	log, err := store.Open(ctx, logName, mode)
	if mode == storage.Create && errors.Is(err, storage.ErrExist) {
		log, err = store.Open(ctx, logName, storage.Write)
	}
	if err != nil {
		return err
	}
	return errors.Join(do(log), log.Close())
}

// write appends lines and syncs them, trying again as a journal does.
func write(ctx context.Context, log storage.Log, mark storage.Mark, p *promise, lines ...string) error {
	for range 5 {
		raw := make([][]byte, len(lines))
		for i, line := range lines {
			raw[i] = []byte(line)
		}
		next, err := log.Append(ctx, mark, raw)
		var partial *storage.Partial
		var changed *storage.Changed
		switch {
		case err == nil:
			p.acked = append(p.acked, lines...)
			lines, mark = nil, next
		case errors.As(err, &partial):
			p.acked = append(p.acked, lines[:partial.Lines]...)
			lines, mark = lines[partial.Lines:], next
		case errors.As(err, &changed):
			mark = changed.Now
		}
		if len(lines) == 0 {
			if err := powers.Sync(ctx, log); err == nil {
				p.sync()
				return nil
			}
		}
	}
	return errors.New("gave up")
}

// retitle replaces the first line.
func retitle(lines iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for line, err := range lines {
			out := line.Bytes
			if line.Pos == 0 {
				out = bytes.Replace(out, []byte("header"), []byte("Header"), 1)
			}
			if !yield(out, err) {
				return
			}
		}
	}
}

// prepare gives a file system with a log on the disk; none for "create".
func prepare(t *testing.T, name string) *crashfs.FS {
	t.Helper()
	mem := crashfs.New()
	if err := mem.Mkdir("/home"); err != nil {
		t.Fatal(err)
	}
	if err := mem.SyncDir("/"); err != nil {
		t.Fatal(err)
	}
	if name != "create" {
		var p promise
		if err := scenarios()[0].run(t.Context(), local.New(vfs.On(local.Options{}, mem)), &p); err != nil {
			t.Fatal(err)
		}
	}
	return mem
}

// base is what prepare promises.
func base(name string) []string {
	if name == "create" {
		return nil
	}
	return []string{"header", "one", "two"}
}

// holds checks that the log opens for writing, takes a line, and holds the
// lines in order, each once, whole, with nothing else than also allows.
func holds(t *testing.T, fsys vfs.FS, lines []string, torn bool) {
	t.Helper()
	store := local.New(vfs.On(local.Options{}, fsys))
	log, err := store.Open(t.Context(), logName, storage.Write)
	if errors.Is(err, storage.ErrNotExist) && len(lines) == 0 {
		return
	}
	if errors.Is(err, storage.ErrNotExist) {
		log, err = store.Open(t.Context(), path.Dir(logName)+"/sub/b.jsonl", storage.Write)
	}
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	info, err := log.Stat(t.Context())
	if err != nil {
		t.Fatalf("stat: %v", err)
	}
	if _, err := log.Append(t.Context(), info.Mark, [][]byte{[]byte("after")}); err != nil {
		t.Fatalf("append: %v", err)
	}
	var got []string
	for line, err := range log.Read(t.Context(), storage.Mark{}) {
		if err != nil {
			t.Fatalf("read: %v", err)
		}
		got = append(got, strings.ToLower(string(line.Bytes)))
	}
	if err := log.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	want := append(lines[:len(lines):len(lines)], "after")
	for _, line := range got {
		if len(want) > 0 && line == want[0] {
			want = want[1:]
		} else if !torn {
			t.Errorf("unexpected line %.60q of %d bytes", line, len(line))
		}
	}
	if len(want) > 0 {
		t.Errorf("missing from %.40q: %.40q", got, want)
	}
}

// TestFaults fails each operation of each scenario once. What was acknowledged
// is there afterwards, nothing is torn, and the retry finishes the scenario.
func TestFaults(t *testing.T) {
	faults := map[string]errorfs.Fault{
		"error":      {},
		"disk full":  {Err: errorfs.ErrNoSpace, Short: 7},
		"error late": {Short: 1 << 30},
	}
	for _, sc := range scenarios() {
		for kind, fault := range faults {
			t.Run(sc.name+"/"+kind, func(t *testing.T) {
				for n := int64(1); ; n++ {
					mem := prepare(t, sc.name)
					counter := &errorfs.Counter{At: n, Fault: fault, Only: func(op errorfs.Op) bool { return op.Kind != errorfs.Unlock }}
					store := local.New(vfs.On(local.Options{}, errorfs.Wrap(mem, counter.Inject)))
					var p promise
					err := sc.run(t.Context(), store, &p)
					if !counter.Fired() {
						if err != nil {
							t.Errorf("without a fault: %v", err)
						}
						if n < 5 {
							t.Errorf("only %d operations", n-1)
						}
						return
					}
					holds(t, mem, append(base(sc.name), p.acked...), false)
					if t.Failed() {
						t.Fatalf("fault at operation %d; scenario's error: %v", n, err)
					}
				}
			})
		}
	}
}

// TestCrashes cuts the power before each operation that changes something,
// with none, some and all of what was not synced on the disk.
func TestCrashes(t *testing.T) {
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			for n := int64(1); ; n++ {
				mem := prepare(t, sc.name)
				var p promise
				type cut struct {
					clone *crashfs.FS
					what  string
					lines []string
				}
				var cuts []cut
				counter := &errorfs.Counter{At: n, Only: func(op errorfs.Op) bool { return op.Kind.Changes() }}
				counter.Then = func(op errorfs.Op) {
					lines := append(base(sc.name), p.synced...)
					cuts = append(cuts, cut{mem.CrashClone(0, 0), "none", lines}, cut{mem.CrashClone(100, 0), "all", lines})
					for seed := range uint64(20) {
						cuts = append(cuts, cut{mem.CrashClone(50, seed), fmt.Sprintf("some (seed %d)", seed), lines})
					}
				}
				if err := sc.run(t.Context(), local.New(vfs.On(local.Options{}, errorfs.Wrap(mem, counter.Inject))), &p); err != nil {
					t.Fatalf("run: %v", err)
				}
				if !counter.Fired() {
					return
				}
				for _, cut := range cuts {
					holds(t, cut.clone, cut.lines, true)
					if t.Failed() {
						t.Fatalf("crash before change %d, kept: %s", n, cut.what)
					}
				}
			}
		})
	}
}

// TestPickUp: an old inode that a crash left is dealt with at the next opening
// for writing, by what its name says is done.
func TestPickUp(t *testing.T) {
	tests := []struct {
		name, now, old string
		done           int
		want           string
	}{
		{"nothing late", "Header\ntwo\n", "header\ntwo\n", 11, "Header\ntwo\n"},
		{"late lines", "Header\ntwo\n", "header\ntwo\nlate\nlater\n", 11, "Header\ntwo\nlate\nlater\n"},
		{"late without line feed", "Header\ntwo\n", "header\ntwo\nlate", 11, "Header\ntwo\nlate\n"},
		{"carried before the crash", "Header\nlate\nnew\n", "header\nlate\n", 7, "Header\nlate\nnew\n"},
		{"only a part of one like it", "Header\nxlate\n", "header\nlate\n", 7, "Header\nxlate\nlate\n"},
		{"cut in a line", "Header\ntw\n", "header\ntwo\n", 9, "Header\ntw\ntwo\n"},
		{"line feed came late", "Header\ntwo\n", "header\ntwo\n", 10, "Header\ntwo\n"},
		{"line feed and more", "Header\ntwo\n", "header\ntwo\nlate\n", 10, "Header\ntwo\nlate\n"},
		{"torn since", "Header\nto", "header\nlate\n", 7, "Header\nto\nlate\n"},
		{"shorter since", "Header\ntwo\n", "head", 11, "Header\ntwo\n"},
	}
	for _, test := range tests {
		mem := crashfs.New()
		put := func(name, text string) {
			f, err := mem.Open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
			if err == nil {
				_, err = f.Write([]byte(text))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		put("/a.jsonl", test.now)
		put(fmt.Sprintf("/.a.jsonl.cambium-old-%d", test.done), test.old)
		put("/.a.jsonl.cambium-old-x", "not ours")
		store := local.New(vfs.On(local.Options{Report: report(t)}, mem))
		open(t, store, "/a.jsonl")
		if got, err := vfs.ReadFile(mem, "/a.jsonl", 0); err != nil || string(got) != test.want {
			t.Errorf("%s: got %q, %v; want %q", test.name, got, err, test.want)
		}
		if names, err := mem.Names("/"); err != nil || len(names) != 2 {
			t.Errorf("%s: names are %q, %v", test.name, names, err)
		}
	}
}
