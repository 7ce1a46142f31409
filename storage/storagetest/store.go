package storagetest

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

func testList(e *env) {
	for _, err := range e.Store.List(e.ctx, e.name("none")) {
		e.is(err, storage.ErrNotExist)
	}
	_, mark := e.begin("b", "one", "two")
	e.begin("a", "x")
	e.begin("sub/c", "y")
	e.onlyNames("a", "b", "sub")
	for info, err := range e.Store.List(e.ctx, e.Dir) {
		if err != nil {
			e.Fatalf("list: %v", err)
		}
		if isDir := info.Name == e.name("sub"); info.IsLog() == isDir || info.Mode.IsDir() != isDir {
			e.Errorf("%q has mode %v", info.Name, info.Mode)
		}
		if info.Name == e.name("b") && (info.Mark != mark || info.Size != 8) {
			e.Errorf("b: mark %s, size %d; want %s, 8", info.Mark, info.Size, mark)
		}
		again, err := e.Store.Stat(e.ctx, info.Name)
		if err != nil || again.Name != info.Name || again.Mark != info.Mark || again.Mode != info.Mode {
			e.Errorf("stat of %q: %+v, %v; listed as %+v", info.Name, again, err, info)
		}
	}
	opened, err := e.open("b", storage.Read).Stat(e.ctx)
	if err != nil || opened.Mark != mark || opened.Name != e.name("b") {
		e.Errorf("stat of the open log: %+v, %v", opened, err)
	}
	_, err = e.Store.Stat(e.ctx, e.name("none"))
	e.is(err, storage.ErrNotExist)
	_, err = e.Store.Open(e.ctx, e.name("sub"), storage.Read)
	e.is(err, storage.ErrNotRegular)
}

func testRename(e *env) {
	e.begin("a", "one")
	e.begin("b", "two")
	e.is(e.Store.Rename(e.ctx, e.name("a"), e.name("b")), storage.ErrExist)
	e.is(e.Store.Rename(e.ctx, e.name("none"), e.name("c")), storage.ErrNotExist)
	e.is(e.Store.Remove(e.ctx, e.name("none")), storage.ErrNotExist)
	e.want(e.open("a", storage.Read), "one")
	e.want(e.open("b", storage.Read), "two")
	if err := e.Store.Rename(e.ctx, e.name("a"), e.name("c")); err != nil {
		e.Fatalf("rename: %v", err)
	}
	e.want(e.open("c", storage.Read), "one")
	if err := e.Store.Remove(e.ctx, e.name("b")); err != nil {
		e.Fatalf("remove: %v", err)
	}
	e.onlyNames("c")
}

func testPrefix(e *env) {
	e.begin("a", "first line", "second")
	text := "first line\nsecond\n"
	for n := range len(text) + 3 {
		got, err := powers.ReadPrefix(e.ctx, e.Store, e.name("a"), n)
		if want := text[:min(n, len(text))]; err != nil || string(got) != want {
			e.Errorf("prefix of %d: %q, %v; want %q", n, got, err, want)
		}
	}
	_, err := powers.ReadPrefix(e.ctx, e.Store, e.name("none"), 10)
	e.is(err, storage.ErrNotExist)
}

func testSearch(e *env) {
	e.begin("a", "apple", "banana")
	e.begin("b", "cherry")
	e.begin("c", "band", "apple")
	e.begin("sub/d", "banana")
	var got []string
	for hit, err := range powers.Search(e.ctx, e.Store, e.Dir, []byte("ban")) {
		if err != nil {
			e.Fatalf("search: %v", err)
		}
		got = append(got, hit.Name+":"+string(hit.Line.Bytes))
	}
	e.same(got, []string{e.name("a") + ":banana", e.name("c") + ":band"})
}

// testWatch: each change is told once, with the mark to go on with.
func testWatch(e *env) {
	ctx, cancel := context.WithCancel(e.ctx)
	log, mark := e.begin("a", "one")
	watched := e.open("a", storage.Read)
	marks := make(chan storage.Mark)
	done := make(chan struct{})
	go func(mark storage.Mark) {
		defer close(done)
		for mark, err := range powers.Watch(ctx, watched, mark, time.Millisecond) {
			if err != nil {
				e.Errorf("watch: %v", err)
			}
			select {
			case marks <- mark:
			case <-ctx.Done():
			}
		}
	}(mark)
	for range 3 {
		mark = e.append(log, mark, "more")
		if got := <-marks; got != mark {
			e.Errorf("watch gave %s, want %s", got, mark)
		}
	}
	if err := e.Store.Remove(ctx, e.name("a")); err != nil {
		e.Errorf("remove: %v", err)
	} else if got := <-marks; !got.IsZero() {
		e.Errorf("watch gave %s for a log that is gone", got)
	}
	cancel()
	<-done
}

func testSection(e *env) {
	log, mark := e.begin("a", "one", "two")
	if _, ok := log.(powers.Sectioner); !ok {
		_, _, _, err := powers.OpenSection(e.ctx, log)
		e.is(err, errors.ErrUnsupported)
		return
	}
	section, size, got, err := powers.OpenSection(e.ctx, log)
	if err != nil || got != mark || size != 8 {
		e.Fatalf("section: size %d, mark %s, %v", size, got, err)
	}
	// It stays as it is, whatever becomes of the log.
	if _, err := log.Replace(e.ctx, mark, same); err != nil {
		e.Fatalf("replace: %v", err)
	}
	if err := log.Close(); err != nil {
		e.Fatalf("close: %v", err)
	}
	data := make([]byte, 5)
	if n, err := section.ReadAt(data, 2); err != nil || string(data[:n]) != "e\ntwo" {
		e.Errorf("read at 2: %q, %v", data[:n], err)
	}
	if n, err := section.ReadAt(data, 6); !errors.Is(err, io.EOF) || string(data[:n]) != "o\n" {
		e.Errorf("read at 6: %q, %v; want the rest and EOF", data[:n], err)
	}
	if err := section.Close(); err != nil {
		e.Errorf("close section: %v", err)
	}
}

func testSlot(e *env) {
	log, mark := e.begin("a", "slot-1", "two")
	old, new := []byte("slot-1\n"), []byte("slot-2\n")
	if _, ok := log.(powers.Slotter); !ok {
		_, err := powers.WriteSlot(e.ctx, log, mark, old, new)
		e.is(err, errors.ErrUnsupported)
		e.want(log, "slot-1", "two")
		return
	}
	next, err := powers.WriteSlot(e.ctx, log, mark, old, new)
	if err != nil {
		e.Fatalf("write slot: %v", err)
	}
	_, err = powers.WriteSlot(e.ctx, log, next, old, new)
	e.changed(err, storage.Touched)
	if _, err = powers.WriteSlot(e.ctx, log, next, []byte("slot"), []byte("longer")); err == nil {
		e.Error("slot of another length was written")
	}
	next = e.append(log, next, "three")
	e.want(log, "slot-2", "two", "three")
	if err := powers.Sync(e.ctx, log); err != nil {
		e.Errorf("sync: %v", err)
	}
	other := e.open("a", storage.Write)
	e.append(other, next, "four")
	_, err = powers.WriteSlot(e.ctx, log, next, new, old)
	e.changed(err, storage.Grown)
	e.want(log, "slot-2", "two", "three", "four")
}

func testSalvage(e *env) {
	log, mark := e.begin("a", "one", "two")
	if _, ok := log.(powers.Salvager); !ok {
		_, _, err := powers.Salvage(e.ctx, log)
		e.is(err, errors.ErrUnsupported)
		_, err = powers.Restore(e.ctx, log, mark)
		e.is(err, errors.ErrUnsupported)
		return
	}
	_, _, err := powers.Salvage(e.ctx, log)
	e.is(err, storage.ErrNotExist)
	_, err = powers.Restore(e.ctx, log, mark)
	e.is(err, storage.ErrExist)

	if err := e.Store.Remove(e.ctx, e.name("a")); err != nil {
		e.Fatalf("remove: %v", err)
	}
	_, err = log.Append(e.ctx, mark, toBytes([]string{"three"}))
	e.changed(err, storage.Gone)
	e.salvaged(log, "one\ntwo\n")
	restored, err := powers.Restore(e.ctx, log, mark)
	if err != nil {
		e.Fatalf("restore: %v", err)
	}
	restored = e.append(log, restored, "three")
	e.want(e.open("a", storage.Read), "one", "two", "three")

	// Replaced by another log: what was can still be had.
	if err := e.Store.Remove(e.ctx, e.name("a")); err != nil {
		e.Fatalf("remove: %v", err)
	}
	e.begin("a", "other")
	_, err = log.Append(e.ctx, restored, toBytes([]string{"four"}))
	e.changed(err, storage.Replaced)
	e.salvaged(log, "one\ntwo\nthree\n")
	_, err = powers.Restore(e.ctx, log, restored)
	e.is(err, storage.ErrExist)
	e.want(log, "other")
	info, err := log.Stat(e.ctx)
	if err != nil {
		e.Fatalf("stat: %v", err)
	}
	e.append(log, info.Mark, "more")
	_, _, err = powers.Salvage(e.ctx, log)
	e.is(err, storage.ErrNotExist)
}

func (e *env) salvaged(log storage.Log, want string) {
	e.Helper()
	section, size, err := powers.Salvage(e.ctx, log)
	if err != nil {
		e.Fatalf("salvage: %v", err)
	}
	data, err := io.ReadAll(io.NewSectionReader(section, 0, size))
	if err := errors.Join(err, section.Close()); err != nil || string(data) != want {
		e.Errorf("salvaged %q, %v; want %q", data, err, want)
	}
}

func testLease(e *env) {
	e.begin("a", "one")
	who := storage.Holder{ID: "1", Host: "host", PID: 7, Terminal: "tty", Since: time.Unix(1000, 0)}
	lease, err := powers.Hold(e.ctx, e.Store, e.name("a"), who)
	if err != nil {
		e.Fatalf("hold: %v", err)
	}
	list, known, err := powers.Holders(e.ctx, e.Store, e.name("a"))
	if err != nil {
		e.Fatalf("holders: %v", err)
	}
	if known && (len(list) != 1 || list[0].ID != who.ID || !list[0].Since.Equal(who.Since)) {
		e.Errorf("holders are %+v, want %+v", list, who)
	}
	if all, err := powers.Survey(e.ctx, e.Store); err != nil || all != nil && (len(all[e.name("a")]) != 1 || all[e.name("a")][0].ID != who.ID) {
		e.Errorf("all holders are %+v, %v; want %+v", all, err, who)
	}
	for range 2 {
		if err := lease.Release(e.ctx); err != nil {
			e.Errorf("release: %v", err)
		}
	}
	if list, _, err := powers.Holders(e.ctx, e.Store, e.name("a")); err != nil || len(list) != 0 {
		e.Errorf("holders after the release: %+v, %v", list, err)
	}

	// Since when is said by the store, where the holder does not say it.
	who.Since = time.Time{}
	lease, err = powers.Hold(e.ctx, e.Store, e.name("a"), who)
	if err != nil {
		e.Fatalf("hold: %v", err)
	}
	list, known, err = powers.Holders(e.ctx, e.Store, e.name("a"))
	if err != nil || known && (len(list) != 1 || list[0].Since.Year() < 2020) {
		e.Errorf("holders are %+v, %v; want since when", list, err)
	}
	if err := lease.Release(e.ctx); err != nil {
		e.Errorf("release: %v", err)
	}
}

// testRaw: bytes that this package would not write itself stay as they are.
func testRaw(e *env) {
	long := repeat("0123456789abcdef", 5<<16) + "\x00" // 5 MB
	data := raw("\ufeffhead\r\n", "\n\n", "\x00\x00\x00\n", long, "\r\n", "\xff\n", "tail\n")
	e.Set(e.name("a"), data)
	log := e.open("a", storage.Write)
	want := []string{"\ufeffhead\r", "", "", "\x00\x00\x00", long + "\r", "\xff", "tail"}
	e.want(log, want...)
	info, err := log.Stat(e.ctx)
	if err != nil {
		e.Fatalf("stat: %v", err)
	}
	mark, err := log.Replace(e.ctx, info.Mark, same)
	if err != nil {
		e.Fatalf("replace: %v", err)
	}
	e.append(log, mark, "more")
	got, err := powers.ReadPrefix(e.ctx, e.Store, e.name("a"), len(data)+100)
	if err != nil || string(got) != string(data)+"more\n" {
		e.Errorf("bytes changed: %d bytes, %v; want %d", len(got), err, len(data)+5)
	}
}

func testNoFinalLF(e *env) {
	e.Set(e.name("a"), raw("one\n", "two"))
	log := e.open("a", storage.Write)
	for line, err := range log.Read(e.ctx, storage.Mark{}) {
		if err != nil {
			e.Fatalf("read: %v", err)
		}
		if want := line.Pos == 0; line.LF != want {
			e.Errorf("line %q: LF %v", line.Bytes, line.LF)
		}
	}
	info, err := log.Stat(e.ctx)
	if err != nil {
		e.Fatalf("stat: %v", err)
	}
	mark := e.append(log, info.Mark, "three")
	e.append(log, mark, "four")
	e.want(log, "one", "two", "three", "four")
}

func testNULTail(e *env) {
	e.Set(e.name("a"), raw("one\n", "tw\x00\x00\x00"))
	log := e.open("a", storage.Write)
	info, err := log.Stat(e.ctx)
	if err != nil {
		e.Fatalf("stat: %v", err)
	}
	e.append(log, info.Mark, "three")
	e.want(log, "one", "tw\x00\x00\x00", "three")
}

func testTruncated(e *env) {
	log, mark := e.begin("a", "one", "two", "three")
	e.Set(e.name("a"), raw("one\n", "tw"))
	_, err := log.Append(e.ctx, mark, toBytes([]string{"four"}))
	c := e.changed(err, storage.Truncated)
	_, err = collect(e.ctx, log, mark)
	e.changed(err, storage.Truncated)
	e.append(log, c.Now, "two", "three", "four")
	e.want(log, "one", "tw", "two", "three", "four")
}

func testTouched(e *env) {
	log, mark := e.begin("a", "one", "two")
	e.Set(e.name("a"), raw("ONE\n", "two\n"))
	_, err := log.Append(e.ctx, mark, toBytes([]string{"three"}))
	c := e.changed(err, storage.Touched)
	e.append(log, c.Now, "three")
	e.want(log, "ONE", "two", "three")
}

// testLateLine: a line that was open at a mark is given again when it is whole.
func testLateLine(e *env) {
	e.Set(e.name("a"), raw("one\n", "tw"))
	log := e.open("a", storage.Read)
	info, err := log.Stat(e.ctx)
	if err != nil {
		e.Fatalf("stat: %v", err)
	}
	e.Set(e.name("a"), raw("one\n", "two\n", "three\n"))
	e.same(e.lines(log, info.Mark), []string{"two", "three"})
}
