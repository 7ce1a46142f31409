package storagetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"testing"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

var errClosed = fs.ErrClosed

func sumOf(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:4]
}

func testAppend(e *env) {
	log, mark := e.begin("a", "one", "two")
	if mark.IsZero() {
		e.Error("mark after an append is zero")
	}
	next := e.append(log, mark, "three")
	if next == mark {
		e.Error("mark did not change with an append")
	}
	if again := e.append(log, next); again != next {
		e.Errorf("append of nothing: mark %s, want %s", again, next)
	}
	e.want(log, "one", "two", "three")
	e.want(e.open("a", storage.Read), "one", "two", "three")
	if err := powers.Sync(e.ctx, log); err != nil {
		e.Errorf("sync: %v", err)
	}
	if parsed, err := storage.ParseMark(next.String()); err != nil || parsed != next {
		e.Errorf("mark %s reads back as %s, %v", next, parsed, err)
	}
}

// testBytes: what is in a line comes back byte for byte.
func testBytes(e *env) {
	lines := []string{
		"", "\r", "text\r", "\x00\x00", "a\x00b", "\xff\xfe\x80", "\ufeffbom", "raw \u2028 inside",
		"{\"a\":12345678901234567890,\"a\":1.0,\"s\":\"\\ud83d\"}", repeat("long ", 1<<20), "",
	}
	log, mark := e.begin("a", lines...)
	e.append(log, mark, "last")
	e.want(e.open("a", storage.Write), append(lines, "last")...)
	pos := int64(-1)
	for line, err := range log.Read(e.ctx, storage.Mark{}) {
		if err != nil {
			e.Fatalf("read: %v", err)
		}
		if line.Pos <= pos {
			e.Errorf("line at %d follows one at %d", line.Pos, pos)
		}
		pos = line.Pos
		if !line.LF {
			e.Errorf("line at %d has no line feed", line.Pos)
		}
	}
}

func testLineFeed(e *env) {
	log, mark := e.begin("a", "one")
	if _, err := log.Append(e.ctx, mark, toBytes([]string{"two", "bad\nline"})); err == nil {
		e.Error("line with a line feed was taken")
	}
	e.append(log, mark, "two")
	e.want(log, "one", "two")
}

func testModes(e *env) {
	for _, mode := range []storage.Mode{storage.Read, storage.Write} {
		_, err := e.Store.Open(e.ctx, e.name("none"), mode)
		e.is(err, storage.ErrNotExist)
	}
	e.begin("a", "one")
	_, err := e.Store.Open(e.ctx, e.name("a"), storage.Create)
	e.is(err, storage.ErrExist)
	log := e.open("a", storage.Read)
	info, err := log.Stat(e.ctx)
	if err != nil {
		e.Fatalf("stat: %v", err)
	}
	_, err = log.Append(e.ctx, info.Mark, toBytes([]string{"two"}))
	e.is(err, fs.ErrPermission)
	e.want(log, "one")
}

func testCreate(e *env) {
	log := e.open("deep/down/a", storage.Create)
	_, err := log.Stat(e.ctx)
	e.is(err, storage.ErrNotExist)
	_, err = collect(e.ctx, log, storage.Mark{})
	e.is(err, storage.ErrNotExist)
	_, err = e.Store.Stat(e.ctx, e.name("deep/down/a"))
	e.is(err, storage.ErrNotExist)
	if err := powers.Sync(e.ctx, log); err != nil {
		e.Errorf("sync of nothing: %v", err)
	}

	other := e.open("deep/down/a", storage.Create)
	mark := e.append(log, storage.Mark{}, "one")
	_, err = other.Append(e.ctx, storage.Mark{}, toBytes([]string{"mine"}))
	e.is(err, storage.ErrExist)
	e.append(log, mark, "two")
	e.want(log, "one", "two")
}

func testClosed(e *env) {
	log, mark := e.begin("a", "one")
	if err := log.Close(); err != nil {
		e.Fatalf("close: %v", err)
	}
	_, err := log.Append(e.ctx, mark, toBytes([]string{"two"}))
	e.is(err, errClosed)
	_, err = collect(e.ctx, log, storage.Mark{})
	e.is(err, errClosed)
	_, err = log.Stat(e.ctx)
	e.is(err, errClosed)
	_, err = log.ReadTail(e.ctx, 10)
	e.is(err, errClosed)
	e.is(log.Close(), errClosed)
	e.want(e.open("a", storage.Read), "one")
}

func testContext(e *env) {
	log, mark := e.begin("a", "one")
	ended, cancel := context.WithCancel(e.ctx)
	cancel()
	_, err := log.Append(ended, mark, toBytes([]string{"two"}))
	e.is(err, context.Canceled)
	_, err = collect(ended, log, storage.Mark{})
	e.is(err, context.Canceled)
	_, err = e.Store.Open(ended, e.name("a"), storage.Read)
	e.is(err, context.Canceled)
	_, err = log.Replace(ended, mark, same)
	e.is(err, context.Canceled)
	e.append(log, mark, "two")
	e.want(log, "one", "two")
}

func testReadFrom(e *env) {
	log, first := e.begin("a", "one", "two")
	second := e.append(log, first, "three")
	e.same(e.lines(log, first), []string{"three"})
	e.same(e.lines(log, second), nil)
	reader := e.open("a", storage.Read)
	e.append(log, second, "four", "five")
	e.same(e.lines(reader, first), []string{"three", "four", "five"})
	e.same(e.lines(reader, second), []string{"four", "five"})

	// Stopping early is no error, and what is read is the log as it was when
	// the reading began.
	for line, err := range log.Read(e.ctx, storage.Mark{}) {
		if err != nil || string(line.Bytes) != "one" {
			e.Errorf("first line %q, %v", line.Bytes, err)
		}
		break
	}
}

func testReadTail(e *env) {
	log, _ := e.begin("a", "one", "two", "three")
	tests := []struct {
		n    int64
		want []string
	}{
		{0, nil}, {1, nil}, {5, nil}, {6, []string{"three"}}, {9, []string{"three"}},
		{10, []string{"two", "three"}}, {13, []string{"two", "three"}},
		{14, []string{"one", "two", "three"}}, {1000, []string{"one", "two", "three"}},
	}
	for _, test := range tests {
		lines, err := log.ReadTail(e.ctx, test.n)
		if err != nil {
			e.Fatalf("read tail of %d: %v", test.n, err)
		}
		var got []string
		for _, line := range lines {
			got = append(got, string(line.Bytes))
		}
		e.Logf("tail of %d bytes", test.n)
		e.same(append([]string{}, got...), test.want)
	}
	empty := e.open("b", storage.Create)
	_, err := empty.ReadTail(e.ctx, 10)
	e.is(err, storage.ErrNotExist)
}

// testPartial breaks an append at every byte, and finishes it as the error
// says.
func testPartial(e *env) {
	lines := []string{"two", "three and more", "", "five"}
	size := 0
	for _, line := range lines {
		size += len(line) + 1
	}
	for n := range size {
		e.Run("", func(t *testing.T) {
			e := &env{T: t, Fixture: e.Fixture, ctx: e.ctx}
			name := "cut" + string(rune('a'+n%26)) + string(rune('a'+n/26))
			log, mark := e.begin(name, "one")
			e.Break(n)
			mark, err := log.Append(e.ctx, mark, toBytes(lines))
			if err == nil {
				t.Fatalf("append that was to stop after %d bytes went well", n)
			}
			rest := lines
			var partial *storage.Partial
			if errors.As(err, &partial) {
				rest = lines[partial.Lines:]
			}
			e.want(log, append([]string{"one"}, lines[:len(lines)-len(rest)]...)...)
			mark = e.append(log, mark, rest...)
			e.append(log, mark, "six")
			e.want(log, append(append([]string{"one"}, lines...), "six")...)
		})
	}
}
