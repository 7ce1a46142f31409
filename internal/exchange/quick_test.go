package exchange_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/memory"
	"github.com/google/go-cmp/cmp"
)

// A counted store counts the lines that are read of it.
type counted struct {
	storage.Store
	lines atomic.Int64
}

func (c *counted) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	log, err := c.Store.Open(ctx, name, mode)
	if err != nil {
		return nil, err
	}
	return &countedLog{log, c}, nil
}

type countedLog struct {
	storage.Log
	c *counted
}

func (l *countedLog) Read(ctx context.Context, from storage.Mark) iter.Seq2[storage.Line, error] {
	return func(yield func(storage.Line, error) bool) {
		for line, err := range l.Log.Read(ctx, from) {
			l.c.lines.Add(1)
			if !yield(line, err) {
				return
			}
		}
	}
}

// quickPair is a session of 1,000 entries that two machines have in step, through
// a store.
func quickPair(t *testing.T) (ada, bob *machine, there exchange.Side, store *counted) {
	t.Helper()
	store = &counted{Store: memory.New(memory.Options{})}
	there = exchange.Shared("memory", store, nil)
	ada, bob = newMachine(t, "ada"), newMachine(t, "bob")
	lines := []string{header("pi", "s", "/p")}
	for i := range 1000 {
		parent := ""
		if i > 0 {
			parent = fmt.Sprintf("%08x", i)
		}
		lines = append(lines, line(fmt.Sprintf("%08x", i+1), parent, "01", fmt.Sprint("entry ", i)))
	}
	ada.write(t, "pi", "p", "s.jsonl", text(lines...))
	ada.mustSync(t, there)
	bob.mustSync(t, there)
	// What a copy was made of is compared once.
	appendTo(t, only(t, ada.home), line("aaaaaaa1", "000003e8", "10", "first of ada"))
	for _, m := range []*machine{ada, bob} {
		m.mustSync(t, there)
	}
	return ada, bob, there, store
}

// TestQuick: where only one side has grown the other is not read.
func TestQuick(t *testing.T) {
	ada, bob, there, store := quickPair(t)
	for i := range 3 {
		from, to := ada, bob
		if i == 1 {
			from, to = bob, ada
		}
		first, second := fmt.Sprintf("c000000%d", 2*i), fmt.Sprintf("c000000%d", 2*i+1)
		appendTo(t, only(t, from.home), line(first, "aaaaaaa1", "20", first), line(second, first, "21", second))
		before := store.lines.Load()
		if rep := from.mustSync(t, there); rep.Out.Entries != 2 || rep.In.Entries != 0 || rep.Diverged != 0 {
			t.Errorf("out: %+v", rep)
		}
		if rep := to.mustSync(t, there); rep.In.Entries != 2 || rep.Out.Entries != 0 || rep.Diverged != 0 {
			t.Errorf("in: %+v", rep)
		}
		if read := store.lines.Load() - before; read > 100 {
			t.Errorf("%d lines were read", read)
		}
		if diff := cmp.Diff(stateOf(t, only(t, ada.home), ada), stateOf(t, only(t, bob.home), bob)); diff != "" {
			t.Errorf("they differ: %s", diff)
		}
		for _, m := range []*machine{ada, bob} {
			if rep := m.mustSync(t, there); rep.Settled != 1 {
				t.Errorf("a second sync: %+v", rep)
			}
		}
	}
}

// TestQuickIsSure: what was written in the middle of a file, twice, or without
// what it follows, is found all the same.
func TestQuickIsSure(t *testing.T) {
	for name, change := range map[string]func(data string) string{
		"in place": func(data string) string {
			return strings.Replace(data, "entry 500", "Entry 500", 1) + line("b0000001", "aaaaaaa1", "30", "more") + "\n"
		},
		"twice": func(data string) string {
			lines := strings.SplitAfter(data, "\n")
			return data + lines[500] + line("b0000001", "aaaaaaa1", "30", "more") + "\n"
		},
		"child before parent": func(data string) string {
			return data + line("b0000002", "b0000001", "31", "child") + "\n" + line("b0000001", "aaaaaaa1", "30", "more") + "\n"
		},
		"damaged": func(data string) string {
			return data + `{"type":"message","id":"b0` + "\n" + line("b0000001", "aaaaaaa1", "30", "more") + "\n"
		},
		"a removed line": func(data string) string {
			lines := strings.SplitAfter(data, "\n")
			return strings.Join(lines[:700], "") + strings.Join(lines[701:], "") + line("b0000001", "aaaaaaa1", "30", "more") + "\n"
		},
		"two in place": func(data string) string {
			return strings.Replace(strings.Replace(data, "entry 500", "Entry 500", 1), "entry 501", "Entry 501", 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ada, bob, there, _ := quickPair(t)
			path := only(t, ada.home)
			was := string(read(t, path))
			if err := os.WriteFile(path, []byte(change(was)), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, m := range []*machine{ada, bob, ada, bob} {
				m.mustSync(t, there)
			}
			want := map[string]bool{}
			for _, text := range append(entries(t, []byte(was)), entries(t, []byte(change(was)))...) {
				want[text] = true
			}
			for _, m := range []*machine{ada, bob} {
				got := map[string]bool{}
				for _, text := range entries(t, read(t, only(t, m.home))) {
					got[text] = true
				}
				for text := range want {
					if !got[text] {
						t.Errorf("it lacks %s", text)
					}
				}
			}
			if n := strings.Count(string(read(t, only(t, bob.home))), `"b0000001","parentId":"a`); name != "two in place" && n != 1 {
				t.Errorf("bob has the new entry %d times", n)
			}
			if diff := cmp.Diff(stateOf(t, only(t, ada.home), ada), stateOf(t, only(t, bob.home), bob)); diff != "" && name != "twice" {
				t.Errorf("they differ: %s", diff)
			}
		})
	}
}
