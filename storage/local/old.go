package local

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/loglines"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// oldInode is a file that was replaced. Its second name, if it has one, says
// how many of its bytes are accounted for: ".NAME.cambium-old-N", or with
// another number behind, "-N.2", where that is taken. Where the system does not
// tell who has it open, that number is a time, in seconds since 1970: when
// something was last brought over from it, at first when it was replaced.
type oldInode struct {
	path  string // "" if it has no name
	base  string // the name up to N
	done  int64  // bytes accounted for
	since int64  // the time in the name, 0 for none
	spent bool   // it is not kept any longer for who may have it open
	h     *handle
	fs    vfs.FS // where it is renamed and removed
}

const (
	// keepOld is how long an old inode is kept where it cannot be known who has
	// it open, and maxOld how many of a log.
	keepOld = 7 * 24 * time.Hour
	maxOld  = 8
	// firstTime is the least number in a name that is a time.
	firstTime = 1_000_000_000
)

// oldNumbers reads what the name of an old inode says behind its base.
func oldNumbers(text string) (done, since int64, ok bool) {
	number, more, _ := strings.Cut(text, ".")
	done, err := strconv.ParseInt(number, 10, 64)
	if err != nil || done < 0 {
		return 0, 0, false
	}
	if since, err = strconv.ParseInt(more, 10, 64); err != nil || since < firstTime {
		since = 0
	}
	return done, since, true
}

// MayBeOpen reports whether a file of this name is the old inode of a log, and is
// kept because a program may still append to it: nobody can know.
func MayBeOpen(name string, now time.Time) bool {
	_, text, ok := strings.Cut(filepath.Base(name), ".cambium-old-")
	_, since, known := oldNumbers(text)
	return ok && known && now.Sub(time.Unix(since, 0)) < keepOld
}

func oldBase(name string) string {
	dir, base := filepath.Split(name)
	return filepath.Join(dir, "."+base+".cambium-old-")
}

// linkOld gives the file its second name, durably: the rename that takes its
// first one away may reach the disk at any time. A file system that has no
// links does without; then only what is appended before Replace ends is
// carried over.
func (l *log) linkOld(fsys vfs.FS, name string, at locked) (oldInode, error) {
	old := oldInode{base: oldBase(name), done: at.info.Size, h: at.h, fs: fsys}
	err := old.name(func(path string) error { return fsys.Link(name, path) })
	if noLinks(err) {
		l.store.opt.Report(name, fmt.Errorf("keep old inode: %w", err))
		old.path = ""
		return old, nil
	}
	if err != nil {
		return old, err
	}
	if err := sure(fsys, old.path, at.info); err != nil {
		return old, errors.Join(err, old.unlink(fsys))
	}
	if err := fsys.SyncDir(filepath.Dir(name)); err != nil {
		return old, errors.Join(err, old.unlink(fsys))
	}
	return old, nil
}

// name finds a free name for the number of bytes done, and the time if there is one.
func (o *oldInode) name(take func(path string) error) error {
	path, n := o.base+strconv.FormatInt(o.done, 10), int64(2)
	if o.since != 0 {
		path, n = fmt.Sprintf("%s.%d", path, o.since), o.since+1
	}
	for ; ; n++ {
		err := take(path)
		if err == nil {
			o.path = path
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		path = fmt.Sprintf("%s%d.%d", o.base, o.done, n)
	}
}

func (o *oldInode) unlink(fsys vfs.FS) error {
	if o.path == "" {
		return nil
	}
	return fsys.Remove(o.path)
}

// carry appends what the old inode holds beyond what is done to the new file,
// whose lock is held, and removes the second name or renames it to what is
// done now. Failures are reported; the second name stays then, with what is
// not carried over still to be found behind its number.
func (l *log) carry(ctx context.Context, old oldInode, h *handle) {
	if err := l.carryOver(ctx, old, h); err != nil {
		l.store.opt.Report(l.path(), fmt.Errorf("carry over from %q: %w", old.path, err))
	}
}

func (l *log) carryOver(ctx context.Context, old oldInode, h *handle) error {
	before := old.done
	for {
		moved, err := l.carryLate(&old, h)
		if err != nil {
			return err
		}
		if !moved {
			// Asked in this order nobody can append in between unseen.
			use, err := l.use(old)
			if err != nil {
				return err
			}
			if moved, err = l.carryLate(&old, h); err != nil {
				return err
			}
			if !moved {
				return l.settleOld(old, use, old.done != before)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// use is whether another process has an old inode open.
type use int

const (
	used use = iota
	unused
	unknown
)

// use asks whether another process has the old inode open.
func (l *log) use(old oldInode) (use, error) {
	info, err := old.h.Stat()
	if err != nil {
		return used, err
	}
	open, err := l.store.opt.fs.InUse(info)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return unknown, nil
	case open || err != nil:
		return used, err
	}
	return unused, nil
}

// settleOld removes the second name if nobody has the file open, else has it say
// what is done. Where that cannot be known, the file is kept for a while.
func (l *log) settleOld(old oldInode, use use, carried bool) error {
	now := time.Now()
	if use == unknown {
		switch {
		case carried || old.since == 0:
			old.since, carried = now.Unix(), true
		case old.spent, now.Sub(time.Unix(old.since, 0)) >= keepOld:
			use = unused
		}
	}
	switch {
	case old.path == "":
		return nil
	case use == unused:
		return old.fs.Remove(old.path)
	case carried:
		from := old.path
		return old.name(func(path string) error { return old.fs.RenameNew(from, path) })
	}
	return nil
}

// carryLate appends to h what is behind old.done, from the start of the line
// that was cut there, and reports whether there was anything. What h holds
// already, from a time when the second name could not be changed any more, is
// not appended again.
func (l *log) carryLate(old *oldInode, h *handle) (bool, error) {
	info, err := old.h.Stat()
	if err != nil || info.Size <= old.done {
		return false, err
	}
	start, err := lateStart(old.h, old.done)
	if err != nil {
		return false, err
	}
	if start == info.Size {
		old.done = start
		return true, nil
	}
	late := make([]byte, info.Size-start)
	if n, err := old.h.ReadAt(late, start); err != nil && !(errors.Is(err, io.EOF) && n == len(late)) {
		return false, err
	}
	if late[len(late)-1] != '\n' {
		late = append(late, '\n')
	}
	has, err := contains(h, late)
	if err == nil && !has {
		err = l.appendLate(h, late)
	}
	if err == nil {
		// Synced before the second name says so.
		err = h.SyncData()
	}
	if err != nil {
		return false, err
	}
	old.done = info.Size
	return true, nil
}

// lateStart returns where to carry over from. A line that was open at done was
// given a line feed in the new file: if that is just what it got in the old
// one, it is whole; else it went on, and is carried over from its start.
func lateStart(h *handle, done int64) (int64, error) {
	start, err := loglines.LineStart(h, done)
	if err != nil || start == done {
		return start, err
	}
	var next [1]byte
	if _, err := h.ReadAt(next[:], done); err != nil {
		return 0, err
	}
	if next[0] == '\n' {
		return done + 1, nil
	}
	return start, nil
}

// appendLate appends to a file whose lock is held, all or nothing.
func (l *log) appendLate(h *handle, late []byte) error {
	info, err := h.Stat()
	if err != nil {
		return err
	}
	l.left = storage.Mark{}
	buf, err := l.openTail(locked{h: h, info: info})
	if err != nil {
		return err
	}
	n, err := vfs.WriteAll(h, append(slices.Clone(buf), late...))
	if err != nil && n > 0 {
		now, statErr := h.Stat()
		if statErr == nil && now.Size == info.Size+int64(n) {
			err = errors.Join(err, l.cut(h, info.Size))
		}
	}
	return err
}

// contains reports whether a file holds text at the start of a line.
func contains(h *handle, text []byte) (bool, error) {
	info, err := h.Stat()
	if err != nil {
		return false, err
	}
	want := append([]byte{'\n'}, text...)
	buf := make([]byte, 0, len(want)+256<<10)
	// The start of the file counts as after a line feed.
	buf = append(buf, '\n')
	for at := int64(0); at < info.Size; {
		part := buf[len(buf):min(cap(buf), len(buf)+256<<10)]
		n, err := h.ReadAt(part, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if n == 0 {
			return false, nil
		}
		at += int64(n)
		buf = buf[:len(buf)+n]
		if bytes.Contains(buf, want) {
			return true, nil
		}
		keep := min(len(buf), len(want)-1)
		buf = buf[:copy(buf, buf[len(buf)-keep:])]
	}
	return false, nil
}

// noLinks reports whether an error of Link means that there are none.
func noLinks(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission)
}

// pickUpWait is how long opening a log waits for the lock to carry over.
const pickUpWait = 500 * time.Millisecond

// pickUp carries over from the old inodes that earlier Replaces left. It is
// called when the log is opened for writing, and reports what goes wrong.
func (l *log) pickUp(ctx context.Context) {
	names, err := l.oldNames(l.store.opt.fs, l.name)
	if err != nil {
		l.store.opt.Report(l.name, fmt.Errorf("look for old inodes: %w", err))
		return
	}
	if len(names) == 0 {
		return
	}
	ctx = vfs.WithPatience(ctx, min(pickUpWait, vfs.PatienceOf(ctx))) // or the next time
	if err := l.begin(ctx); err != nil {
		l.store.opt.Report(l.name, fmt.Errorf("look for old inodes: %v", err))
		return
	}
	at, err := l.lockFile(ctx, storage.Mark{})
	defer func() { l.unlock(at) }()
	if err != nil {
		l.store.opt.Report(l.name, fmt.Errorf("look for old inodes: %v", err))
		return
	}
	for _, old := range names {
		if err := l.pickUpOne(ctx, old, at); err != nil {
			l.store.opt.Report(l.name, fmt.Errorf("carry over from %q: %w", old.path, err))
		}
	}
}

// oldNames finds the second names left beside a log, fewest bytes first.
func (l *log) oldNames(fsys vfs.FS, name string) ([]oldInode, error) {
	names, err := fsys.Names(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	base := oldBase(name)
	var found []oldInode
	for _, entry := range names {
		number, ok := strings.CutPrefix(entry, filepath.Base(base))
		if !ok {
			continue
		}
		done, since, ok := oldNumbers(number)
		if !ok {
			continue // not a name of ours
		}
		found = append(found, oldInode{path: filepath.Join(filepath.Dir(name), entry), base: base, done: done, since: since, fs: fsys})
	}
	slices.SortFunc(found, func(a, b oldInode) int { return cmp.Compare(a.since, b.since) })
	for i := range found[:max(0, len(found)-maxOld)] {
		found[i].spent = true
	}
	slices.SortFunc(found, func(a, b oldInode) int { return int(a.done - b.done) })
	return found, nil
}

func (l *log) pickUpOne(ctx context.Context, old oldInode, at locked) error {
	f, err := l.store.opt.fs.Open(old.path, os.O_RDONLY)
	if err != nil {
		return err
	}
	old.h = newHandle(f)
	defer func() { _ = old.h.drop() }() // only read from
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.SameFile(at.info) {
		// The rename never came: the second name is all that was done.
		return old.unlink(l.store.opt.fs)
	}
	return l.carryOver(ctx, old, at.h)
}
