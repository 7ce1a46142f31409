package storagetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

func testGrown(e *env) {
	log, mark := e.begin("a", "one")
	other := e.open("a", storage.Write)
	e.append(other, mark, "two", "three")
	for range 2 {
		got, err := log.Append(e.ctx, mark, toBytes([]string{"four"}))
		c := e.changed(err, storage.Grown)
		if got != mark {
			e.Errorf("mark with an error is %s, want the old one %s", got, mark)
		}
		e.same(e.lines(log, mark), []string{"two", "three"})
		e.same(e.lines(log, c.Now), nil)
		mark = e.append(log, c.Now, "four")
		other.Append(e.ctx, mark, toBytes([]string{"two", "three"}))
	}
	_, err := log.Append(e.ctx, storage.Mark{}, toBytes([]string{"x"}))
	e.changed(err, storage.Replaced)
}

func testReplaced(e *env) {
	log, mark := e.begin("a", "one", "two")
	other := e.open("a", storage.Write)
	reader := e.open("a", storage.Read)
	if _, err := other.Replace(e.ctx, mark, same); err != nil {
		e.Fatalf("replace: %v", err)
	}
	_, err := log.Append(e.ctx, mark, toBytes([]string{"three"}))
	c := e.changed(err, storage.Replaced)
	_, err = collect(e.ctx, reader, mark)
	e.changed(err, storage.Replaced)
	e.append(log, c.Now, "three")
	e.want(log, "one", "two", "three")
	e.want(reader, "one", "two", "three")
}

func testGone(e *env) {
	log, mark := e.begin("a", "one")
	if err := e.Store.Remove(e.ctx, e.name("a")); err != nil {
		e.Fatalf("remove: %v", err)
	}
	_, err := log.Append(e.ctx, mark, toBytes([]string{"two"}))
	c := e.changed(err, storage.Gone)
	if !c.Now.IsZero() {
		e.Errorf("mark of a log that is gone is %s", c.Now)
	}
	_, err = collect(e.ctx, log, mark)
	e.changed(err, storage.Gone)
	_, err = log.Stat(e.ctx)
	e.is(err, storage.ErrNotExist)
	_, err = log.Replace(e.ctx, mark, same)
	e.changed(err, storage.Gone)
	mark = e.append(log, c.Now, "one", "two")
	e.append(log, mark, "three")
	e.want(e.open("a", storage.Read), "one", "two", "three")
}

// testReborn: another log under the name of one that is gone is another log.
func testReborn(e *env) {
	log, mark := e.begin("a", "one")
	if err := e.Store.Remove(e.ctx, e.name("a")); err != nil {
		e.Fatalf("remove: %v", err)
	}
	e.begin("a", "one")
	_, err := log.Append(e.ctx, mark, toBytes([]string{"two"}))
	c := e.changed(err, storage.Replaced)
	e.append(log, c.Now, "two")
	e.want(e.open("a", storage.Read), "one", "two")
}

func testMoved(e *env) {
	log, mark := e.begin("a", "one")
	other := e.open("a", storage.Write)
	otherMark := e.append(other, mark, "two")
	if err := e.Store.Rename(e.ctx, e.name("a"), e.name("sub/b")); err != nil {
		e.Fatalf("rename: %v", err)
	}
	_, err := log.Append(e.ctx, mark, toBytes([]string{"three"}))
	c := e.changed(err, storage.Moved)
	if c.Name != e.name("sub/b") {
		e.Errorf("new name is %q, want %q", c.Name, e.name("sub/b"))
	}
	// The move does not hide that the log grew, too.
	_, err = log.Append(e.ctx, c.Now, toBytes([]string{"three"}))
	c = e.changed(err, storage.Grown)
	e.same(e.lines(log, mark), []string{"two"})
	e.append(log, c.Now, "three")

	e.same(e.lines(other, otherMark), []string{"three"})
	if _, err := appendAny(e.ctx, other, otherMark, "four"); err != nil {
		e.Errorf("append after a move: %v", err)
	}
	info, err := log.Stat(e.ctx)
	if err != nil || info.Name != e.name("sub/b") {
		e.Errorf("stat: name %q, %v", info.Name, err)
	}
	e.want(e.open("sub/b", storage.Read), "one", "two", "three", "four")
	_, err = e.Store.Stat(e.ctx, e.name("a"))
	e.is(err, storage.ErrNotExist)
}

// same is a Rewrite that changes nothing.
func same(lines iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for line, err := range lines {
			if !yield(line.Bytes, err) {
				return
			}
		}
	}
}

func testReplace(e *env) {
	odd := "\xff{broken \x00" + repeat("y", 70000)
	log, mark := e.begin("a", "header", odd, "three\r", "four")
	mark, err := log.Replace(e.ctx, mark, func(lines iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			for line, err := range lines {
				switch text := string(line.Bytes); {
				case err != nil:
					yield(nil, err)
					return
				case text == "header":
					if !yield([]byte("new header"), nil) || !yield([]byte("added"), nil) {
						return
					}
				case text == "four":
				case !yield(line.Bytes, nil):
					return
				}
			}
		}
	})
	if err != nil {
		e.Fatalf("replace: %v", err)
	}
	mark = e.append(log, mark, "five")
	e.want(log, "new header", "added", odd, "three\r", "five")
	e.want(e.open("a", storage.Read), "new header", "added", odd, "three\r", "five")
	if _, err := log.Replace(e.ctx, mark, func(iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
		return func(func([]byte, error) bool) {}
	}); err != nil {
		e.Fatalf("replace by nothing: %v", err)
	}
	e.want(log)
}

func testReplaceFails(e *env) {
	log, mark := e.begin("a", "one", "two")
	broken := errors.New("broken")
	ctx, cancel := context.WithCancel(e.ctx)
	defer cancel()
	tests := []struct {
		name  string
		give  func(yield func([]byte, error) bool)
		cause error
	}{
		{"error", func(yield func([]byte, error) bool) { _ = yield([]byte("x"), nil) && yield(nil, broken) }, broken},
		{"line feed", func(yield func([]byte, error) bool) { yield([]byte("x\ny"), nil) }, nil},
		{"context", func(yield func([]byte, error) bool) { cancel(); yield([]byte("x"), nil) }, context.Canceled},
	}
	for _, test := range tests {
		got, err := log.Replace(ctx, mark, func(iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] { return test.give })
		if err == nil || test.cause != nil && !errors.Is(err, test.cause) {
			e.Errorf("%s: got error %v, want %v", test.name, err, test.cause)
		}
		if got != mark {
			e.Errorf("%s: mark changed to %s", test.name, got)
		}
		e.want(log, "one", "two")
	}
	e.append(log, mark, "three")
	e.want(log, "one", "two", "three")
	e.onlyNames("a")
}

// onlyNames checks that nothing else is in the directory.
func (e *env) onlyNames(names ...string) {
	e.Helper()
	got := []string{}
	for info, err := range e.Store.List(e.ctx, e.Dir) {
		if err != nil {
			e.Fatalf("list: %v", err)
		}
		got = append(got, strings.TrimPrefix(info.Name, e.name("")+"/"))
	}
	e.same(got, names)
}

func testReplaceStale(e *env) {
	log, mark := e.begin("a", "one")
	other := e.open("a", storage.Write)
	e.append(other, mark, "two")
	_, err := log.Replace(e.ctx, mark, same)
	c := e.changed(err, storage.Grown)
	if _, err = log.Replace(e.ctx, c.Now, same); err != nil {
		e.Errorf("replace: %v", err)
	}
	e.want(other, "one", "two")
}

// testReplaceBusy: appends of others go on during replacements, and none is
// lost or there twice.
func testReplaceBusy(e *env) {
	const writers, each = 3, 40
	_, mark := e.begin("a", "start")
	var group sync.WaitGroup
	for w := range writers {
		log := e.open("a", storage.Write)
		group.Go(func() {
			at := mark
			for i := range each {
				var err error
				if at, err = appendAny(e.ctx, log, at, fmt.Sprintf("%d-%d", w, i)); err != nil {
					e.Errorf("append: %v", err)
					return
				}
			}
		})
	}
	log := e.open("a", storage.Write)
	for range 10 {
		at := mark
		for {
			_, err := log.Replace(e.ctx, at, same)
			var c *storage.Changed
			if !errors.As(err, &c) {
				if err != nil {
					e.Errorf("replace: %v", err)
				}
				break
			}
			at = c.Now
		}
	}
	group.Wait()
	e.wantAll(writers, each)
}

// wantAll checks that "a" holds each writer's lines once and in order.
func (e *env) wantAll(writers, each int) {
	e.Helper()
	lines := e.lines(e.open("a", storage.Read), storage.Mark{})
	next := make([]int, writers)
	for _, line := range lines {
		var w, i int
		if _, err := fmt.Sscanf(line, "%d-%d", &w, &i); err != nil {
			if line != "start" {
				e.Errorf("unknown line %.60q", line)
			}
			continue
		}
		if i != next[w] {
			e.Errorf("writer %d: line %d where %d was to come", w, i, next[w])
		}
		next[w] = i + 1
	}
	if len(lines) != writers*each+1 {
		e.Errorf("%d lines, want %d", len(lines), writers*each+1)
	}
}

func testConcurrent(e *env) {
	const writers, each = 4, 60
	_, mark := e.begin("a", "start")
	shared := e.open("a", storage.Write)
	var group sync.WaitGroup
	for w := range writers {
		// Half of the writers share one Log.
		log := shared
		if w%2 == 0 {
			log = e.open("a", storage.Write)
		}
		group.Go(func() {
			at := mark
			for i := range each {
				var err error
				if at, err = appendAny(e.ctx, log, at, fmt.Sprintf("%d-%d", w, i)); err != nil {
					e.Errorf("append: %v", err)
					return
				}
				if i%20 == 0 {
					if err := powers.Sync(e.ctx, log); err != nil {
						e.Errorf("sync: %v", err)
					}
				}
			}
		})
	}
	group.Go(func() {
		for range 20 {
			if _, err := collect(e.ctx, shared, storage.Mark{}); err != nil {
				e.Errorf("read: %v", err)
			}
		}
	})
	group.Wait()
	e.wantAll(writers, each)
}
