package local

import (
	"bytes"
	"errors"
	"io"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

const (
	// clockTick is how far the time of a change may lag behind the clock.
	clockTick = 20 * time.Millisecond
	// glanceFor is how long after a look at the time of change the next appends
	// look at the rest only: asking for the time makes the next write set it,
	// which costs as much as the write. It is a tick of the fastest kernels;
	// two changes within one have the same time there, too.
	glanceFor = time.Millisecond
)

// A trail is how our last write left the file, while nobody has looked since:
// the size is known then, the time of change only within bounds, and whether
// somebody without the lock slipped in is not. The next look at the file, of
// whatever call, settles it. l.mu guards it; the bytes are those of l.buf, which
// only who has the turn writes to, and not before the trail is settled or sure.
type trail struct {
	mark       storage.Mark // what the caller was given; not one of the file
	open       bool         // not settled yet
	sure       bool         // the write is known to stand where it should
	start      int64        // where the write began
	wrote      []byte       // what it was
	from, upTo int64        // bounds of the time of change
	looked     time.Time    // when the time of change was seen last
	serial     uint64       // makes marks differ

	is   storage.Mark // settled: the mark of the file that stands for mark
	left bool         // settled: the file was as we left it
}

// unsettled is the bit that tells marks of trails from those of files: in a time
// of change it is before the year 1678.
const unsettled = 1 << 63

// leave begins a trail after a write of p at the end of the file.
func (t *trail) leave(at locked, p []byte, upTo int64) storage.Mark {
	looked := at.now
	if at.asLeft {
		looked = t.looked
	}
	end := uint64(at.info.Size) + uint64(len(p))
	t.serial++
	*t = trail{
		mark: storage.MakeMark([4]uint64{at.info.Dev, at.info.Ino, end, unsettled | t.serial}),
		open: true, start: at.info.Size, wrote: p,
		from: at.now.Add(-clockTick).UnixNano(), upTo: upTo, looked: looked, serial: t.serial,
	}
	return t.mark
}

// settleTrail ends a trail with what a look at the file has shown. l.mu is held.
func (l *log) settleTrail(info vfs.Info) {
	t := &l.trail
	if !t.open || !sameFile(t.mark, info) {
		return
	}
	t.open = false
	end := sizeOf(t.mark)
	switch {
	case info.Size > end && (t.sure || l.stands(t)):
		t.is = markAt(info, end)
	case info.Size > end:
		// Somebody without the lock wrote first; ours came behind.
		if n := len(l.dirty); n > 0 && l.dirty[n-1].end == end {
			l.misplaced(t.start, info.Size) // else it is on the disk by now
		}
		t.is = markAt(info, t.start)
	case info.Size == end && t.from <= info.ModTime && info.ModTime <= t.upTo:
		t.is, t.left = markOf(info), true
	default:
		// Touched or cut short; or the file's clock is not ours any more.
		l.h.prompt = false
		info.ModTime = 0 // like no other mark
		t.is = markAt(info, end)
	}
	t.wrote = nil
}

// stands reports whether what was written last begins where it should.
func (l *log) stands(t *trail) bool {
	there := make([]byte, len(t.wrote))
	n, err := l.h.ReadAt(there, t.start)
	return (err == nil || errors.Is(err, io.EOF)) && bytes.Equal(there[:n], t.wrote)
}

// glance reports whether the file that has the name is as our last write left
// it, as far as that shows without the time of change. l.mu is held.
func (l *log) glance(after storage.Mark, now time.Time) (vfs.Info, bool) {
	t := &l.trail
	glancer, ok := l.store.opt.fs.(vfs.Glancer)
	if !ok || !t.open || after != t.mark || l.moved || l.closed || now.Sub(t.looked) >= glanceFor {
		return vfs.Info{}, false
	}
	info, err := glancer.Glance(l.name)
	if err != nil || !l.h.is(info) || !sameFile(t.mark, info) || info.Size != sizeOf(t.mark) {
		return vfs.Info{}, false
	}
	t.sure = true
	return info, true
}
