// Package storagetest is the suite that every store of package storage must
// pass, and [Rows], a store made to be awkward.
//
// A store's own test is a few lines: it calls [Run] with a function that makes
// a [Fixture]. What the store has no power for is tested by its fallback, or
// not at all if a hook of the fixture is nil.
package storagetest

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/storage"
	"github.com/google/go-cmp/cmp"
)

// Fixture is a new, empty store and what the suite may do to it.
type Fixture struct {
	// Store is the store.
	Store storage.Store
	// Dir is a directory for names; it need not exist.
	Dir string
	// Set overwrites a log's bytes in place, behind the store's back; nil for a
	// store without bytes.
	Set func(name string, data []byte)
	// Break lets the next append write only n bytes and then fail with an
	// error; nil if appends are all or nothing.
	Break func(n int)
}

// Run tests the stores that create makes, a new one for each test.
func Run(t *testing.T, create func(t *testing.T) Fixture) {
	tests := []struct {
		name string
		run  func(*env)
		need func(Fixture) bool
	}{
		{name: "append and read", run: testAppend},
		{name: "any bytes in a line", run: testBytes},
		{name: "line feed refused", run: testLineFeed},
		{name: "open modes", run: testModes},
		{name: "create", run: testCreate},
		{name: "closed", run: testClosed},
		{name: "context ended", run: testContext},
		{name: "read from a mark", run: testReadFrom},
		{name: "read tail", run: testReadTail},
		{name: "stale mark: grown", run: testGrown},
		{name: "stale mark: replaced", run: testReplaced},
		{name: "stale mark: gone", run: testGone},
		{name: "stale mark: moved", run: testMoved},
		{name: "removed and begun again", run: testReborn},
		{name: "replace", run: testReplace},
		{name: "replace that fails", run: testReplaceFails},
		{name: "replace with a stale mark", run: testReplaceStale},
		{name: "replace while others append", run: testReplaceBusy},
		{name: "appends at once", run: testConcurrent},
		{name: "list and stat", run: testList},
		{name: "rename and remove", run: testRename},
		{name: "prefix", run: testPrefix},
		{name: "search", run: testSearch},
		{name: "watch", run: testWatch},
		{name: "section", run: testSection},
		{name: "slot", run: testSlot},
		{name: "salvage", run: testSalvage},
		{name: "lease", run: testLease},
		{name: "bytes kept as they are", run: testRaw, need: hasSet},
		{name: "missing line feed", run: testNoFinalLF, need: hasSet},
		{name: "NUL tail", run: testNULTail, need: hasSet},
		{name: "stale mark: truncated", run: testTruncated, need: hasSet},
		{name: "stale mark: touched", run: testTouched, need: hasSet},
		{name: "line finished later", run: testLateLine, need: hasSet},
		{name: "write that stops", run: testPartial, need: func(f Fixture) bool { return f.Break != nil }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := create(t)
			if test.need != nil && !test.need(f) {
				return // no such thing in this store
			}
			test.run(&env{T: t, Fixture: f, ctx: t.Context()})
		})
	}
}

func hasSet(f Fixture) bool { return f.Set != nil }

// env is one test's surroundings.
type env struct {
	*testing.T
	Fixture
	ctx context.Context
}

func (e *env) name(base string) string { return path.Join(e.Dir, base) }

func (e *env) open(base string, mode storage.Mode) storage.Log {
	e.Helper()
	log, err := e.Store.Open(e.ctx, e.name(base), mode)
	if err != nil {
		e.Fatalf("open %q to %s: %v", base, mode, err)
	}
	e.Cleanup(func() {
		if err := log.Close(); err != nil && !errors.Is(err, errClosed) {
			e.Errorf("close %q: %v", base, err)
		}
	})
	return log
}

// begin creates a log with lines and returns it with its mark.
func (e *env) begin(base string, lines ...string) (storage.Log, storage.Mark) {
	e.Helper()
	log := e.open(base, storage.Create)
	return log, e.append(log, storage.Mark{}, lines...)
}

func (e *env) append(log storage.Log, after storage.Mark, lines ...string) storage.Mark {
	e.Helper()
	mark, err := log.Append(e.ctx, after, toBytes(lines))
	if err != nil {
		e.Fatalf("append %.60q after %s: %v", lines, after, err)
	}
	return mark
}

func toBytes(lines []string) [][]byte {
	out := make([][]byte, len(lines))
	for i, line := range lines {
		out[i] = []byte(line)
	}
	return out
}

// lines reads all lines after a mark.
func (e *env) lines(log storage.Log, from storage.Mark) []string {
	e.Helper()
	lines, err := collect(e.ctx, log, from)
	if err != nil {
		e.Fatalf("read from %s: %v", from, err)
	}
	return lines
}

func collect(ctx context.Context, log storage.Log, from storage.Mark) ([]string, error) {
	lines := []string{}
	for line, err := range log.Read(ctx, from) {
		if err != nil {
			return lines, err
		}
		lines = append(lines, string(line.Bytes))
	}
	return lines, nil
}

func (e *env) want(log storage.Log, lines ...string) {
	e.Helper()
	e.same(e.lines(log, storage.Mark{}), lines)
}

func (e *env) same(got, want []string) {
	e.Helper()
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(short(want), short(got)); diff != "" {
		e.Errorf("lines differ (-want +got):\n%s", diff)
	}
}

// short keeps the report of long lines readable, not their comparison.
func short(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		if len(line) > 1000 {
			line = fmt.Sprintf("%.40q… %d bytes, sum %x", line, len(line), sumOf(line))
		}
		out[i] = line
	}
	return out
}

// changed checks that an error is a change of some kind and returns it.
func (e *env) changed(err error, kind storage.Change) *storage.Changed {
	e.Helper()
	var c *storage.Changed
	if !errors.As(err, &c) {
		e.Fatalf("got error %v, want a change: %s", err, kind)
	}
	if c.Kind != kind {
		e.Fatalf("got change %s, want %s", c.Kind, kind)
	}
	return c
}

// appendAny appends as a careful caller does: it follows every change.
func appendAny(ctx context.Context, log storage.Log, mark storage.Mark, lines ...string) (storage.Mark, error) {
	for {
		next, err := log.Append(ctx, mark, toBytes(lines))
		var c *storage.Changed
		if !errors.As(err, &c) {
			return next, err
		}
		mark = c.Now
	}
}

func (e *env) is(err, want error) {
	e.Helper()
	if !errors.Is(err, want) {
		e.Errorf("got error %v, want %v", err, want)
	}
}

func repeat(s string, n int) string { return strings.Repeat(s, n) }

func raw(lines ...string) []byte { return []byte(strings.Join(lines, "")) }
