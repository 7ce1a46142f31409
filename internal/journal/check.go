package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// A size says that another program wrote to a log, not what it wrote: one that
// grew may have been saved anew in its place. So what was known of a log is looked
// for again where it stood. All of it is when the log is short, or as long as it was;
// else the records before the first entry, the last entry, and some of those between:
// whatever moves a line is seen there. A line that was changed where it stood, and
// moved none, is found when it is read: each has to be the one that the index knows.
const (
	wholeCheck   = 256 << 10 // a log that is always checked whole, in bytes
	checkPlaces  = 16        // entries that are looked at in a longer one that grew
	prefix       = 256       // where in a line the programs write its id, in bytes
	longestCheck = 4 << 20   // a line of which the names are looked for, in bytes
)

// doubtful reports whether a line was read that is not the one that the index
// knows: the log has to be read anew.
func (l *loader) doubtful() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.doubt
}

// check reports whether raw, which stood where entry i does, is its line: an object
// that has the id of the entry where the programs write it, or else names what the
// entry does. l.mu is held.
func (l *loader) check(i int, raw []byte) bool {
	n := len(raw)
	if n >= 2 && raw[0] == '{' && raw[n-1] == '}' {
		if i < l.fresh || n > longestCheck { // the index has other names for those of before
			return true
		}
		if id, ok := l.x.ID(i); ok {
			l.sought = append(append(append(l.sought[:0], `"id":"`...), id...), '"')
			if bytes.Contains(raw[:min(n, prefix)], l.sought) {
				return true
			}
		}
	}
	return l.names(i, raw)
}

// names reports whether raw is an object, all of it, that names what entry i does.
// l.mu is held.
func (l *loader) names(i int, raw []byte) bool {
	return l.env.Scan(raw) == nil && (i < l.fresh || l.x.Names(i, &l.env))
}

// known returns the bytes of the log where entry i stands, once they are its line.
func (l *loader) known(i int, raw []byte) ([]byte, error) {
	if raw = oneLine(raw); l.check(i, raw) {
		return raw, nil
	}
	return nil, l.other(i)
}

// other is the error for entry i when another line stands where it stood. l.mu is
// held.
func (l *loader) other(i int) error {
	l.doubt, l.buf, l.ahead = true, nil, ahead{}
	return l.unreadable(l.x.At(i), &storage.Changed{Kind: storage.Replaced})
}

// whole returns a line of the log that is to be written elsewhere, once all of it was
// looked at.
func (l *loader) whole(i int, line []byte) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.names(i, line) {
		return line, nil
	}
	return nil, l.other(i)
}

// standing reports whether entry i stands in sec where it stood. A line that this
// process wrote has to be there byte for byte; of a very long one of others its
// beginning and its end are read.
func (l *loader) standing(sec powers.Section, i int) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.x.At(i)
	s, held := l.held.get(i)
	own := held && s.stored != nil && i >= l.fresh
	size := at.Len
	switch {
	case at.Off < 0:
		return true, nil // it waits in the queue
	case !own && at.Len > longestCheck:
		size = prefix
	}
	raw := make([]byte, size)
	if n, err := sec.ReadAt(raw, at.Off); n < len(raw) {
		return false, unlessEnded(err)
	}
	switch {
	case own:
		return bytes.Equal(s.stored, raw), nil
	case size == at.Len:
		return l.names(i, oneLine(raw)), nil
	}
	end := raw[prefix-1:]
	if n, err := sec.ReadAt(end, at.Off+at.Len-1); n < 1 {
		return false, unlessEnded(err)
	}
	return raw[0] == '{' && end[0] == '}', nil
}

// ended reports whether a short read is one because the bytes end there.
func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// unlessEnded returns the error of a short read, nil if the bytes end there.
func unlessEnded(err error) error {
	if ended(err) {
		return nil
	}
	return err
}

// holds reports whether what is known of the log still stands in it; all of it, or
// what tells that lines were moved.
func (j *Journal) holds(all bool) (bool, error) {
	sec := j.loader.src.get()
	if sec == nil {
		return true, nil // rows are not overwritten
	}
	for _, r := range j.p.headers {
		if ok, err := r.standing(sec); !ok {
			return false, err
		}
	}
	n, step := j.p.x.Len(), 1
	if !all && j.size > wholeCheck {
		step = max(1, n/checkPlaces)
	}
	for i := n - 1; i >= 0; i -= step {
		if ok, err := j.loader.standing(sec, i); !ok {
			return false, err
		}
	}
	return true, nil
}

// standing reports whether a record that is no entry stands where it stood: the
// same, or another of its kind and length, which a program put in its place.
func (r *record) standing(sec powers.Section) (bool, error) {
	raw := make([]byte, r.at.Len)
	if n, err := sec.ReadAt(raw, r.at.Off); n < len(raw) {
		return false, unlessEnded(err)
	}
	if bytes.Equal(raw, r.raw) {
		return true, nil
	}
	var e entry.Envelope
	return e.Scan(oneLine(raw)) == nil && e.Kind == r.kind, nil
}

// How long a log has to be left alone until another program is taken to be done
// with it, and how often that is waited for.
const (
	quiet = 50 * time.Millisecond
	rests = 40
)

// rest waits a moment.
func (j *Journal) rest(ctx context.Context) error {
	if j.opt.Rest != nil {
		return j.opt.Rest(ctx)
	}
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// settled waits until a log that somebody writes anew in its place is left alone,
// and returns what it is then, nothing if it is gone. Who appends to it before is
// written over.
func (j *Journal) settled(ctx context.Context) (storage.Info, error) {
	last, err := j.present(ctx)
	for range rests {
		if err == nil {
			err = j.rest(ctx)
		}
		if err != nil {
			return last, err
		}
		var info storage.Info
		if info, err = j.present(ctx); err == nil && info.Mark == last.Mark {
			return info, nil
		}
		last = info
	}
	return last, err
}

// present returns what the log is, nothing if it is gone.
func (j *Journal) present(ctx context.Context) (storage.Info, error) {
	info, err := j.log.Stat(ctx)
	if errors.Is(err, storage.ErrNotExist) {
		return storage.Info{}, nil
	}
	return info, err
}

// rewritten goes on with a log that another program wrote anew in its place. What
// this process wrote and the log lacks is written behind it.
func (j *Journal) rewritten(ctx context.Context) error {
	if !j.opt.Write {
		return j.reread(ctx, nil)
	}
	if info, err := j.settled(ctx); err != nil {
		return err
	} else if info.Mark.IsZero() {
		return j.gone(ctx)
	}
	return j.over(ctx)
}

// over reads a log that was written over, and says what it lacks.
func (j *Journal) over(ctx context.Context) error {
	if err := j.replaced(ctx, inPlace); err != nil {
		return err
	}
	if n := len(j.queue); n > 0 {
		j.event(Event{Kind: Restored, Err: fmt.Errorf("another program wrote over the log: %d entries are put back", n)})
	}
	return nil
}

// shorter goes on with a log that lost its end. A program that writes a log anew
// in its place begins with that: what comes next is waited for.
func (j *Journal) shorter(ctx context.Context) error {
	info, err := j.settled(ctx)
	switch {
	case err != nil:
		return err
	case info.Mark.IsZero():
		return j.gone(ctx)
	case info.Size >= j.size && j.loader.src.get() != nil:
		return j.over(ctx)
	}
	return j.replaced(ctx, short)
}

// reassured reads the log anew if one of its lines was not the one that the index
// knows, and reports whether it did.
func (j *Journal) reassured(ctx context.Context) (bool, error) {
	if !j.loader.doubtful() {
		return false, nil
	}
	return true, j.rewritten(ctx)
}

// lookAgain makes us familiar with what others did to a log that this process
// wrote to: what they wrote over is put back with what waits.
func (j *Journal) lookAgain(ctx context.Context) error {
	if j.state != live || !j.opt.Write || j.log == nil || j.written == 0 || j.loader.src.get() == nil {
		return nil
	}
	// Without the lock: who holds it must not keep anybody from a flush that has
	// nothing to do.
	if info, err := j.present(ctx); err != nil || info.Mark == j.mark && !j.loader.doubtful() {
		return err
	}
	_, err := j.refreshed(ctx)
	return err
}
