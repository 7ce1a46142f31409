package local

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"github.com/cambium-dev/cambium/storage"
)

// span is a part of the file that we wrote and that is not known to be on the
// disk: its bytes and their sum. The end of a long run only grows.
type span struct {
	start, end int64
	sum        uint32
	unknown    bool // others wrote there, too; there is no sum
}

// maxSpans is how many spans are kept apart. Only who never syncs, with others
// writing in between, gets there.
const maxSpans = 1024

func sum(before uint32, p []byte) uint32 {
	return crc32.Update(before, crc32.MakeTable(crc32.Castagnoli), p)
}

// wrote notes bytes written at an offset. l.mu is held.
func (l *log) wrote(at int64, p []byte) {
	if n := len(l.dirty); n > 0 && l.dirty[n-1].end == at && !l.dirty[n-1].unknown {
		last := &l.dirty[n-1]
		last.end, last.sum = at+int64(len(p)), sum(last.sum, p)
		return
	}
	if len(l.dirty) == maxSpans {
		first, last := l.dirty[0], l.dirty[len(l.dirty)-1]
		l.dirty = append(l.dirty[:0], span{start: first.start, end: last.end, unknown: true})
	}
	l.dirty = append(l.dirty, span{start: at, end: at + int64(len(p)), sum: sum(0, p)})
}

// misplaced notes that what wrote noted last is somewhere between start and
// end. l.mu is held.
func (l *log) misplaced(start, end int64) {
	last := &l.dirty[len(l.dirty)-1]
	if last.start < start {
		// Its front is as it was; only of the sum nothing is known any more.
		start = last.start
	}
	*last = span{start: start, end: end, unknown: true}
}

// Sync makes what was appended durable, with the names of a new file and its
// new directories. One Sync does it for all who wait.
//
// After a failure the system may have dropped what it could not write and yet
// answer well the next time. So it is not asked again: the next Sync reads
// what was appended, compares it with what it should be, writes it once more
// over itself, and syncs that through a new descriptor.
func (l *log) Sync(ctx context.Context) error {
	if err := l.sync(ctx); err != nil {
		return fmt.Errorf("sync log %q: %w", l.path(), err)
	}
	return nil
}

func (l *log) sync(ctx context.Context) error {
	if err := wait(ctx, l.syncing); err != nil {
		return err
	}
	defer func() { <-l.syncing }()
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return os.ErrClosed
	}
	if l.unsure {
		_, _ = l.look() // what we wrote last may not stand where it should
	}
	dirty, dirs, unsure := slices.Clone(l.dirty), slices.Clone(l.dirs), l.unsure
	if l.h == nil || len(dirty) == 0 && len(dirs) == 0 {
		l.mu.Unlock()
		return nil
	}
	h := l.h.use()
	l.mu.Unlock()
	defer func() { _ = h.drop() }() // what matters is synced by then

	err := l.syncFile(ctx, h, dirty, unsure)
	if err == nil {
		// The content first: a name that lasts must not stand for nothing.
		err = l.syncDirs(dirs)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.h != h {
		return err // another file since; what is dirty is of that one
	}
	if err == nil || errors.Is(err, storage.ErrLost) {
		l.clean(dirty)
	}
	return err
}

func (l *log) syncFile(ctx context.Context, h *handle, dirty []span, unsure bool) error {
	if len(dirty) == 0 {
		return nil
	}
	if unsure {
		return l.syncAgain(ctx, h, dirty)
	}
	err := h.SyncData()
	if err != nil {
		l.mu.Lock()
		l.unsure = l.h == h
		l.mu.Unlock()
	}
	return err
}

// syncDirs syncs directories and takes them off the list.
func (l *log) syncDirs(dirs []string) error {
	for _, dir := range dirs {
		if err := l.store.opt.fs.SyncDir(dir); err != nil {
			return err
		}
		l.mu.Lock()
		if i := slices.Index(l.dirs, dir); i >= 0 {
			l.dirs = slices.Delete(l.dirs, i, i+1)
		}
		l.mu.Unlock()
	}
	return nil
}

// clean forgets the spans that are on the disk. Of the last one the rest may
// have been written since; its sum goes on from the start of the run, so the
// run is kept whole then. l.mu is held.
func (l *log) clean(synced []span) {
	l.unsure = false
	l.dirty = slices.DeleteFunc(l.dirty, func(s span) bool { return slices.Contains(synced, s) })
}

// syncAgain is Sync after one that failed.
func (l *log) syncAgain(ctx context.Context, h *handle, dirty []span) error {
	// Writers wait meanwhile: nothing must change between reading and writing.
	if err := l.begin(ctx); err != nil {
		return err
	}
	f, err := l.store.opt.fs.Open(l.path(), os.O_RDWR)
	if err != nil {
		l.endTurn()
		return err
	}
	other := newHandle(f)
	defer func() { _ = other.drop() }() // synced by then
	open, err := h.Stat()
	if err == nil {
		now, statErr := other.Stat()
		if err = statErr; err == nil && !now.SameFile(open) {
			err = &storage.Changed{Kind: storage.Replaced, Now: markOf(now)}
		}
	}
	if err == nil {
		// The lock is h's: it is the descriptor whose lock other writers of
		// this process see as ours.
		err = l.flock(ctx, h.use())
	}
	if err != nil {
		l.endTurn()
		return err
	}
	err = l.rewriteLocked(h, other, dirty)
	_ = h.Unlock() // see unlock
	_ = h.drop()
	l.endTurn()
	return err
}

// rewriteLocked writes the spans over themselves and syncs that. The time of
// change that this gives the file is no change to who has its mark.
func (l *log) rewriteLocked(h, other *handle, dirty []span) error {
	before, statErr := h.Stat()
	if statErr != nil {
		return statErr
	}
	l.mu.Lock()
	l.settleTrail(before)
	l.mu.Unlock()
	lost := l.rewriteSpans(other, dirty)
	err := other.SyncData()
	if err == nil {
		err = lost
	}
	after, statErr := h.Stat()
	if statErr != nil || after.Size != before.Size {
		return errors.Join(err, statErr)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.is != markOf(before) {
		l.was = markOf(before)
	}
	l.is = markOf(after)
	if l.left == markOf(before) {
		l.left = l.is
	}
	return err
}

// rewriteSpans writes the spans over themselves after checking them.
func (l *log) rewriteSpans(h *handle, dirty []span) error {
	buf := make([]byte, 256<<10)
	for _, s := range dirty {
		got := uint32(0)
		for at := s.start; at < s.end; {
			part := buf[:min(int64(len(buf)), s.end-at)]
			_, err := h.ReadAt(part, at)
			if errors.Is(err, io.EOF) {
				return fmt.Errorf("%w: bytes %d to %d are missing", storage.ErrLost, s.start, s.end)
			}
			if err != nil {
				return err
			}
			got = sum(got, part)
			if _, err := h.WriteAt(part, at); err != nil {
				return err
			}
			at += int64(len(part))
		}
		if got != s.sum && !s.unknown {
			return fmt.Errorf("%w: bytes %d to %d are not what was written", storage.ErrLost, s.start, s.end)
		}
	}
	return nil
}
