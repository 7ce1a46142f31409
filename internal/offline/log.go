package offline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// log is one log, opened.
type log struct {
	s    *Store
	name string
	mode storage.Mode

	mu     sync.Mutex
	remote storage.Log  // guarded by mu: nil until the store was reached
	seen   storage.Mark // guarded by mu: what Stat answered last
	closed bool         // guarded by mu
}

// there has the log of the store do f, opened if it is not yet.
func (l *log) there(ctx context.Context, soon bool, f func(context.Context, storage.Log) error) (away bool, err error) {
	ask := l.s.ask
	if soon {
		ask = l.s.askSoon
	}
	return ask(ctx, func(ctx context.Context, r *Remote) error {
		l.mu.Lock()
		remote, closed := l.remote, l.closed
		l.mu.Unlock()
		if closed {
			return fmt.Errorf("use log %q: %w", l.name, fs.ErrClosed)
		}
		if remote == nil {
			mode := l.mode
			opened, err := r.Open(ctx, l.name, mode)
			if errors.Is(err, storage.ErrExist) && mode == storage.Create {
				opened, err = r.Open(ctx, l.name, storage.Write) // what waited began it
			}
			if err != nil {
				return err
			}
			l.mu.Lock()
			if l.remote == nil && !l.closed {
				l.remote = opened
			} else {
				_ = opened.Close() // nothing was done with it
			}
			remote = l.remote
			l.mu.Unlock()
			if remote == nil {
				return fmt.Errorf("use log %q: %w", l.name, fs.ErrClosed)
			}
		}
		return f(ctx, remote)
	})
}

// Append appends to the store's log. When the store is away, and while something
// waits for the log, the lines wait.
func (l *log) Append(ctx context.Context, after storage.Mark, lines [][]byte) (mark storage.Mark, err error) {
	w, err := l.s.waits(l.name)
	if err != nil {
		return after, err
	}
	if w == nil {
		mark, away, err := l.appendThere(ctx, after, lines)
		switch {
		case !away:
			return mark, err
		case len(lines) == 0:
			return after, nil // as far as is known
		case l.mode == storage.Read:
			return after, err
		}
	}
	mark = after
	err = l.s.locked(ctx, l.name, func() error {
		mark, err = l.appendHere(ctx, after, lines)
		return err
	})
	return mark, err
}

// appendThere appends to the store's log, and to the copy if that goes up to there.
func (l *log) appendThere(ctx context.Context, after storage.Mark, lines [][]byte) (mark storage.Mark, away bool, err error) {
	n, waited := isAway(after)
	if waited {
		l.s.mu.Lock()
		done, ok := l.s.sent[l.name]
		l.s.mu.Unlock()
		if !ok || done.n != n {
			return after, false, l.elsewhere(ctx)
		}
		after = done.mark
	}
	mark = after
	away, err = l.there(ctx, false, func(ctx context.Context, log storage.Log) (err error) {
		mark, err = log.Append(ctx, after, lines)
		return err
	})
	if err == nil && len(lines) > 0 && !after.IsZero() {
		if c := l.s.copyOf(l.name); c != nil && c.mark == after {
			k := l.s.begin(l.name, c)
			for _, line := range lines {
				k.add(line)
			}
			k.end(storage.Info{Mark: mark, ModTime: l.s.opt.Now().UnixNano()})
		}
	}
	return mark, away, err
}

// elsewhere is the answer to the mark of lines that waited and were sent behind
// those of others: all is to be read again.
func (l *log) elsewhere(ctx context.Context) error {
	info, err := l.Stat(ctx)
	if err != nil && !errors.Is(err, storage.ErrNotExist) {
		return err
	}
	return &storage.Changed{Kind: storage.Replaced, Now: info.Mark}
}

// appendHere sends what waits, or has the lines wait behind it. The lock of the
// name is held.
func (l *log) appendHere(ctx context.Context, after storage.Mark, lines [][]byte) (storage.Mark, error) {
	w, err := l.s.waits(l.name)
	if err != nil {
		return after, err
	}
	if w != nil {
		serr := l.s.send(ctx, w)
		if ctx.Err() != nil {
			return after, ctx.Err()
		}
		if serr == nil {
			if n, ok := isAway(after); ok && n != len(w.Lines) {
				return after, l.elsewhere(ctx)
			}
			if after == w.after && len(w.Lines) > 0 { // it has not seen what waited
				return after, l.elsewhere(ctx)
			}
			mark, away, err := l.appendThere(ctx, after, lines)
			if !away {
				return mark, err
			}
			w = nil
		}
	}
	switch {
	case w != nil && after != w.mark():
		return after, &storage.Changed{Kind: storage.Grown, Now: w.mark()}
	case len(lines) == 0:
		return after, nil
	}
	if _, ok := isAway(after); ok && w == nil {
		l.s.mu.Lock()
		after = l.s.sent[l.name].mark // appendThere found it to be so
		l.s.mu.Unlock()
	}
	if err := l.s.wait(l.name, w, after, lines); err != nil {
		return after, fmt.Errorf("keep what waits for log %q: %w", l.name, err)
	}
	l.s.keepSending()
	n := len(lines)
	if w != nil {
		n += len(w.Lines)
	}
	l.s.say("the store does not answer: what is written waits here, and is sent when it does")
	return awayMark(l.name, n), nil
}

// Read gives the lines of the copy and, from the store, those behind it; when the
// store is away, those that wait.
func (l *log) Read(ctx context.Context, from storage.Mark) iter.Seq2[storage.Line, error] {
	return func(yield func(storage.Line, error) bool) {
		w, err := l.s.waits(l.name)
		if err != nil {
			yield(storage.Line{}, err)
			return
		}
		n, waited := isAway(from)
		switch {
		case w != nil:
			l.readHere(from, w, nil, yield)
		case waited:
			l.s.mu.Lock()
			done, ok := l.s.sent[l.name]
			l.s.mu.Unlock()
			if !ok || done.n != n {
				yield(storage.Line{}, l.elsewhere(ctx))
				return
			}
			l.readThere(ctx, done.mark, yield)
		default:
			l.readThere(ctx, from, yield)
		}
	}
}

// readThere reads from the store, the copy first if all is wanted.
func (l *log) readThere(ctx context.Context, from storage.Mark, yield func(storage.Line, error) bool) {
	c := l.s.copyOf(l.name)
	begin := from
	var behind *copied
	switch {
	case c == nil:
	case from.IsZero() && l.s.sound(c):
		begin, behind = c.mark, c
	case from.IsZero():
		l.s.forget(l.name)
		c = nil
	case from == c.mark:
		behind = c
	}
	given, stopped := false, false
	var copier *copier
	var n int64
	away, err := l.there(ctx, false, func(ctx context.Context, log storage.Log) error {
		for line, err := range log.Read(ctx, begin) {
			if err != nil {
				return err
			}
			if !given && from.IsZero() && behind != nil && !l.copied(behind, yield) {
				stopped = true
				return nil
			}
			if copier == nil && (behind != nil || from.IsZero()) {
				copier = l.s.begin(l.name, behind)
			}
			if copier != nil && line.LF {
				copier.add(line.Bytes)
			} else if copier != nil {
				copier.err = errors.New("its last line is not whole")
			}
			if given, n = true, n+1; !yield(line, nil) {
				stopped = true
				return nil
			}
		}
		if !given && from.IsZero() && behind != nil && !l.copied(behind, yield) {
			stopped = true
		}
		return nil
	})
	l.finish(ctx, copier, err == nil && !stopped)
	var changed *storage.Changed
	switch {
	case stopped || err == nil:
	case !given && from.IsZero() && errors.As(err, &changed) && behind != nil:
		l.s.forget(l.name) // another log, or other bytes
		l.readThere(ctx, from, yield)
	case away && !given && (c != nil || !from.IsZero()):
		l.s.reading()
		l.readHere(from, nil, c, yield)
	default:
		yield(storage.Line{}, err)
	}
}

// copied gives the lines of a copy that is sound, and reports whether to go on.
func (l *log) copied(c *copied, yield func(storage.Line, error) bool) bool {
	for line, err := range l.s.lines(c) {
		if !yield(line, err) || err != nil {
			return false
		}
	}
	return true
}

// finish makes a copy complete, if the log is as it was when it was described last:
// then what was read is what its mark stands for.
func (l *log) finish(ctx context.Context, k *copier, whole bool) {
	if k == nil {
		return
	}
	var info storage.Info
	if whole && k.err == nil {
		l.mu.Lock()
		before := l.seen
		l.mu.Unlock()
		_, err := l.there(ctx, false, func(ctx context.Context, log storage.Log) (err error) {
			info, err = log.Stat(ctx)
			return err
		})
		if err != nil || info.Mark != before {
			info = storage.Info{}
		}
	}
	k.end(info)
}

// readHere gives what is kept here behind a mark: the copy and what waits.
func (l *log) readHere(from storage.Mark, w *Waiting, c *copied, yield func(storage.Line, error) bool) {
	skip := 0
	if n, ok := isAway(from); ok {
		skip = n
	}
	if c == nil {
		c = l.s.copyOf(l.name)
	}
	var at int64
	if c != nil {
		at = c.Lines
	}
	if from.IsZero() && c != nil {
		if !l.s.sound(c) {
			l.s.forget(l.name)
			yield(storage.Line{}, fmt.Errorf("read log %q: %w: the copy of it is damaged", l.name, ErrAway))
			return
		}
		if !l.copied(c, yield) {
			return
		}
	}
	if w == nil {
		return
	}
	if from.IsZero() && c == nil && !w.after.IsZero() {
		yield(storage.Line{}, fmt.Errorf("read log %q: %w: it was not read here before", l.name, ErrAway))
		return
	}
	for i, line := range w.Lines[min(skip, len(w.Lines)):] {
		if !yield(storage.Line{Bytes: line, Pos: at + int64(skip+i), LF: true}, nil) {
			return
		}
	}
}

// ReadTail returns the last lines.
func (l *log) ReadTail(ctx context.Context, n int64) (tail []storage.Line, err error) {
	w, err := l.s.waits(l.name)
	if err != nil {
		return nil, err
	}
	if w == nil {
		away, err := l.there(ctx, true, func(ctx context.Context, log storage.Log) (err error) {
			tail, err = log.ReadTail(ctx, n)
			return err
		})
		if !away {
			return tail, err
		}
		l.s.reading()
	}
	var size int64
	l.readHere(storage.Mark{}, w, nil, func(line storage.Line, lineErr error) bool {
		if err = lineErr; err != nil {
			return false
		}
		line.Bytes = append([]byte(nil), line.Bytes...)
		tail, size = append(tail, line), size+int64(len(line.Bytes))+1
		for len(tail) > 0 && size > n {
			size -= int64(len(tail[0].Bytes)) + 1
			tail = tail[1:]
		}
		return true
	})
	return tail, err
}

// Replace needs the store, and that nothing waits for the log.
func (l *log) Replace(ctx context.Context, at storage.Mark, rewrite storage.Rewrite) (mark storage.Mark, err error) {
	if err := l.s.sendFirst(ctx, l.name); err != nil {
		return at, err
	}
	if _, waited := isAway(at); waited {
		return at, l.elsewhere(ctx)
	}
	_, err = l.there(ctx, false, func(ctx context.Context, log storage.Log) (err error) {
		mark, err = log.Replace(ctx, at, rewrite)
		return err
	})
	return mark, err
}

// Stat describes the log, as it is known here when the store is away.
func (l *log) Stat(ctx context.Context) (info storage.Info, err error) {
	w, err := l.s.waits(l.name)
	if err != nil {
		return info, err
	}
	away := false
	if w == nil {
		away, err = l.there(ctx, true, func(ctx context.Context, log storage.Log) (err error) {
			info, err = log.Stat(ctx)
			return err
		})
	}
	if w != nil || away {
		here, ok := l.s.statHere(l.name, true)
		if ok {
			return here, nil
		}
	}
	l.mu.Lock()
	l.seen = info.Mark
	l.mu.Unlock()
	return info, err
}

// Sync makes durable what was appended to the store; what waits is.
func (l *log) Sync(ctx context.Context) error {
	l.mu.Lock()
	remote := l.remote
	l.mu.Unlock()
	if remote == nil {
		return nil
	}
	if w, err := l.s.waits(l.name); err != nil || w != nil {
		return err
	}
	away, err := l.there(ctx, false, func(ctx context.Context, log storage.Log) error { return powers.Sync(ctx, log) })
	if away {
		return nil // what was acknowledged is as durable as it can be known to be
	}
	return err
}

// Watch tells of changes in the store, and goes on when it was away.
func (l *log) Watch(ctx context.Context, after storage.Mark) iter.Seq2[storage.Mark, error] {
	return func(yield func(storage.Mark, error) bool) {
		last := after
		for ctx.Err() == nil {
			var remote storage.Log
			away, err := l.there(ctx, false, func(_ context.Context, log storage.Log) error {
				remote = log
				return nil
			})
			if err == nil {
				for mark, werr := range powers.Watch(ctx, remote, last, 0) {
					if err = werr; err != nil {
						away = l.s.lacks(ctx, err, l.s.opt.Now()) // it did not wait in vain
						break
					}
					if last = mark; !yield(mark, nil) {
						return
					}
				}
			}
			if ctx.Err() != nil {
				return
			}
			if err != nil && !away {
				yield(storage.Mark{}, err)
				return
			}
			l.s.say("the store does not answer: waiting for it")
			select {
			case <-ctx.Done():
			case <-time.After(l.s.opt.Pause):
			}
		}
	}
}

// Close gives back what the log holds.
func (l *log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fmt.Errorf("close log %q: %w", l.name, fs.ErrClosed)
	}
	l.closed = true
	if l.remote == nil {
		return nil
	}
	return l.remote.Close()
}
