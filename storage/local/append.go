package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cambium-dev/cambium/internal/loglines"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// keepBuffer is the largest buffer that is kept for the next append.
const keepBuffer = 1 << 20

// Append writes the lines in one write; see the package.
func (l *log) Append(ctx context.Context, after storage.Mark, lines [][]byte) (storage.Mark, error) {
	mark, err := l.append(ctx, after, lines, false)
	if err != nil {
		return mark, fmt.Errorf("append to log %q: %w", l.path(), err)
	}
	return mark, nil
}

// AppendHastily writes the lines in one write and does not look at the file
// behind it; see trail.
func (l *log) AppendHastily(ctx context.Context, after storage.Mark, lines [][]byte) (storage.Mark, error) {
	mark, err := l.append(ctx, after, lines, true)
	if err != nil {
		return mark, fmt.Errorf("append to log %q: %w", l.path(), err)
	}
	return mark, nil
}

// path returns the name of the log as it is now.
func (l *log) path() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.name
}

func (l *log) append(ctx context.Context, after storage.Mark, lines [][]byte, hasty bool) (storage.Mark, error) {
	if _, err := loglines.CheckLines(lines); err != nil {
		return after, err
	}
	if len(lines) == 0 {
		return after, l.check(ctx, after)
	}
	at, err := l.lockAs(ctx, after, purpose{again: true, hasty: hasty})
	if err != nil {
		return after, err
	}
	defer func() { l.unlock(at) }()
	created := at.h == nil
	if created {
		if at, err = l.create(ctx); err != nil {
			return after, err
		}
	}
	mark, err := l.write(at, lines, hasty)
	switch {
	case err == nil:
		l.letGo()
	case created && mark == after:
		l.uncreate(at)
	}
	return mark, err
}

// checkWait is how long a mere check waits for the lock.
const checkWait = 20 * time.Millisecond

// check answers what became of the log. Under the lock nobody is in the middle of
// a write; but who only looks does not wait for one who is stopped there.
func (l *log) check(ctx context.Context, after storage.Mark) error {
	at, err := l.lock(vfs.WithPatience(ctx, min(checkWait, vfs.PatienceOf(ctx))), after)
	if err == nil {
		l.unlock(at)
	}
	if !errors.Is(err, storage.ErrLocked) || ctx.Err() != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := l.look()
	return l.compare(after, info, err)
}

// letGo closes the file before this one: who appends has had the chance to
// salvage, and an old inode cannot go as long as we have it open.
func (l *log) letGo() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.held.drop() // only read from
	l.held = nil
}

// write appends the lines to the file under lock. If it wrote nothing of them
// that is still there, the mark is the one that was given in at; for a file
// just created the zero Mark.
func (l *log) write(at locked, lines [][]byte, hasty bool) (storage.Mark, error) {
	buf, err := l.openTail(at)
	if err != nil {
		return at.mark, err
	}
	prefix := len(buf)
	for _, line := range lines {
		buf = append(append(buf, line...), '\n')
	}
	n, err := at.h.Write(buf)
	if cap(buf) <= keepBuffer {
		l.buf = buf
	}
	if err == nil && n < len(buf) {
		err = io.ErrShortWrite
	}
	if n < len(buf) {
		return l.torn(at, buf[:n], prefix, lines, err)
	}
	upTo := time.Now().UnixNano()
	l.mu.Lock()
	l.fresh = false
	l.wrote(at.info.Size, buf)
	if hasty && at.h.prompt && cap(buf) <= keepBuffer {
		mark := l.trail.leave(at, buf, upTo)
		l.mu.Unlock()
		return mark, nil
	}
	l.mu.Unlock()
	return l.settle(at, buf, len(lines), upTo)
}

// openTail returns the buffer to append with: with a line feed in it if the
// file's last line has none. Who left the file just so need not look.
func (l *log) openTail(at locked) ([]byte, error) {
	buf := l.buf[:0]
	if at.info.Size == 0 || at.asLeft || markOf(at.info) == l.left {
		return buf, nil
	}
	var last [1]byte
	if _, err := at.h.ReadAt(last[:], at.info.Size-1); err != nil {
		return nil, err
	}
	if last[0] != '\n' {
		buf = append(buf, '\n')
	}
	return buf, nil
}

// settle finds the mark after a write that went well and ended before upTo.
func (l *log) settle(at locked, buf []byte, lines int, upTo int64) (storage.Mark, error) {
	end := at.info.Size + int64(len(buf))
	now, err := at.h.Stat()
	if err != nil {
		// The lines are in place. A mark with no time is like no other, so
		// the next check will look at the file again.
		at.info.ModTime = 0
		return markAt(at.info, end), &storage.Partial{Lines: lines, Err: err}
	}
	if now.Size == end {
		l.left = markOf(now)
		l.mu.Lock()
		at.h.prompt = at.now.Add(-clockTick).UnixNano() <= now.ModTime && now.ModTime <= upTo
		l.mu.Unlock()
		return l.left, nil
	}
	// Somebody without the lock wrote, too. Ours may have come behind.
	l.left = storage.Mark{}
	ours := make([]byte, len(buf))
	n, err := at.h.ReadAt(ours, at.info.Size)
	if (err == nil || errors.Is(err, io.EOF)) && bytes.Equal(ours[:n], buf) {
		return markAt(now, end), nil
	}
	l.mu.Lock()
	l.misplaced(at.info.Size, now.Size)
	l.mu.Unlock()
	return markAt(now, at.info.Size), nil
}

// torn deals with a write that stopped: wrote is what of it was written, and
// prefix of that are not of the lines. It keeps the whole lines and cuts the
// rest off if the file still ends with it, else, or if it cannot be cut, sees
// that the rest is closed with a line feed.
func (l *log) torn(at locked, wrote []byte, prefix int, lines [][]byte, cause error) (storage.Mark, error) {
	if len(wrote) == 0 {
		return at.mark, cause
	}
	l.left = storage.Mark{}
	whole, kept := wholeLines(lines, len(wrote), prefix)
	now, err := at.h.Stat()
	ours := err == nil && now.Size == at.info.Size+int64(len(wrote))
	if ours && kept < len(wrote) {
		if err = l.cut(at.h, at.info.Size+int64(kept)); err == nil {
			now, err = at.h.Stat()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fresh && ours && now.Size == 0 {
		return storage.Mark{}, errors.Join(cause, err)
	}
	l.fresh = false
	if whole > 0 {
		l.wrote(at.info.Size, wrote[:kept])
	}
	if !ours {
		// Others wrote, too, or we cannot know: all behind is to be read.
		kept = 0
		if whole > 0 {
			l.misplaced(at.info.Size, max(now.Size, at.info.Size+int64(len(wrote))))
		}
	}
	if err != nil {
		now = at.info
		now.ModTime = 0 // like no other mark
		cause = errors.Join(cause, err)
	}
	return markAt(now, at.info.Size+int64(kept)), &storage.Partial{Lines: whole, Err: cause}
}

// wholeLines returns how many of the lines are in the first n bytes of what was
// to be written, and how many bytes those are; no line, no bytes.
func wholeLines(lines [][]byte, n, prefix int) (whole, size int) {
	size = prefix
	for size+len(lines[whole])+1 <= n {
		size += len(lines[whole]) + 1
		whole++
	}
	if whole == 0 {
		return 0, 0
	}
	return whole, size
}

// cut makes the file end at size; if that fails, it ends what follows there
// with a line feed. A failure of that, too, leaves a line that the next append
// will find open.
func (l *log) cut(f vfs.File, size int64) error {
	err := f.Truncate(size)
	if err != nil {
		_, _ = f.Write([]byte{'\n'})
	}
	return err
}
