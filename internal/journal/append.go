package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// maxTurns bounds how often one append yields to what others did to the log
// before it gives up for now.
const maxTurns = 100

// Append adds one line to the session and returns the position of its entry.
// Memory has it at once, whatever the error: an error means that it is not
// saved yet, that it waits in the queue, and that every later call will first
// try to save it. Only a line that is not one JSON object, a closed and a
// read-only journal, and one without a log return position -1 and keep nothing.
//
// finished says that the line ends a message, for [SyncMessage]. While the
// journal is holding, the line goes into the draft.
func (j *Journal) Append(ctx context.Context, line []byte, finished bool) (int, error) {
	i, seq, err := j.Put(ctx, line, finished)
	if err != nil || seq == 0 {
		return i, err
	}
	return i, j.SyncTo(ctx, seq)
}

// Put is Append without the sync. Unless seq is 0, the line is durable when
// [Journal.SyncTo] has returned for seq.
func (j *Journal) Put(ctx context.Context, line []byte, finished bool) (i int, seq int64, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i, err = j.append(ctx, line)
	wanted := j.opt.Sync == SyncEntry || j.opt.Sync == SyncMessage && finished
	if err == nil && j.state != holding && (wanted || j.owed) {
		seq = j.written
	}
	return i, seq, err
}

func (j *Journal) append(ctx context.Context, line []byte) (int, error) {
	switch {
	case j.state == closed:
		return -1, ErrClosed
	case j.state == live && !j.opt.Write:
		return -1, ErrReadOnly
	case j.state == live && j.log == nil:
		return -1, fmt.Errorf("append to %q: there is no log: %w", j.opt.Name, storage.ErrNotExist)
	}
	var e entry.Envelope
	if err := e.Scan(line); err != nil {
		return -1, fmt.Errorf("append entry: %w", err)
	}
	stored := line
	if j.opt.Prepare != nil {
		var err error
		if stored, err = j.opt.Prepare(line); err != nil {
			return -1, fmt.Errorf("append entry: %w", err)
		}
	}
	err := j.write(ctx, stored)
	at := entry.At{Off: -1, Len: int64(len(stored))}
	if err == nil && j.log != nil {
		at = j.place(stored)
	}
	i := j.loader.add(&e, at, saved{line, stored})
	if err != nil {
		j.queue = append(j.queue, i)
		return i, j.latched(ctx, err)
	}
	j.own = append(j.own, i)
	j.written++
	return i, nil
}

// place says where a line that was just written stands.
func (j *Journal) place(stored []byte) entry.At {
	j.p.lines++
	at := entry.At{Off: j.size, Len: int64(len(stored)), Line: j.p.lines}
	j.size += j.width(stored)
	return at
}

// width is how far a line moves the end of the log: a row counts as one.
func (j *Journal) width(stored []byte) int64 {
	if j.loader.src.get() == nil {
		return 1
	}
	return int64(len(stored)) + 1
}

// write brings the queue, then the given lines, into the log, in one write
// unless others were there first. It knows what the log holds when it returns
// without error.
func (j *Journal) write(ctx context.Context, lines ...[]byte) error {
	if j.state == holding {
		return j.writeDraft(ctx, lines)
	}
	if _, err := j.reassured(ctx); err != nil {
		return err
	}
	for range maxTurns {
		all := j.batch[:0]
		for _, i := range j.queue {
			all = append(all, j.loader.stored(i))
		}
		all = append(all, lines...)
		j.batch = all
		mark, err := powers.AppendHastily(ctx, j.log, j.mark, all)
		if err == nil {
			j.wrote(mark, len(j.queue))
			j.relieve()
			return nil
		}
		if again, err := j.wroteNot(ctx, mark, len(all), err); !again {
			return err
		}
	}
	return fmt.Errorf("append to %q: others wrote at each of %d tries", j.opt.Name, maxTurns)
}

// wroteNot deals with a write of n lines that came back with an error, and
// reports whether to try again.
func (j *Journal) wroteNot(ctx context.Context, mark storage.Mark, n int, err error) (again bool, _ error) {
	var changed *storage.Changed
	var partial *storage.Partial
	switch {
	case errors.As(err, &changed):
		err = j.follow(ctx, changed)
		return err == nil, err
	case errors.As(err, &partial):
		j.wrote(mark, min(partial.Lines, len(j.queue)))
		if partial.Lines == n {
			j.relieve()
			return false, nil
		}
	}
	return false, err
}

// wrote notes that the first n lines of the queue are in the log.
func (j *Journal) wrote(mark storage.Mark, n int) {
	j.own = j.own[:0]
	j.mark = mark
	if j.p.torn {
		// The store closed off an unfinished last line with a newline.
		j.p.torn = false
		if j.loader.src.get() != nil {
			j.size++
		}
	}
	for _, i := range j.queue[:n] {
		at := j.place(j.loader.stored(i))
		j.loader.mu.Lock()
		j.p.x.Move(i, at)
		j.loader.mu.Unlock()
		j.own = append(j.own, i)
		j.written++
	}
	j.queue = slices.Delete(j.queue, 0, n)
}

// latched latches an error, but not that there was no waiting for the lock: the
// caller waits for it with [Journal.Await] and goes on with [Journal.Save].
func (j *Journal) latched(ctx context.Context, err error) error {
	if errors.Is(err, storage.ErrLocked) && !powers.Waits(ctx) {
		return err
	}
	return j.latch(err)
}

// Await waits for the lock of the log and keeps it for a moment. What reads the
// journal does not wait for that.
func (j *Journal) Await(ctx context.Context) error {
	j.mu.Lock()
	log := j.log
	j.mu.Unlock()
	if log == nil || !j.opt.Write {
		return nil
	}
	return powers.Await(ctx, log)
}

// Save writes what waits. Unless seq is 0, it is durable when [Journal.SyncTo] has
// returned for seq.
func (j *Journal) Save(ctx context.Context) (seq int64, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	err = j.retry(ctx)
	if err == nil && j.state == live && (j.opt.Sync != SyncNone || j.owed) {
		seq = j.written
	}
	return seq, err
}

// GiveUp latches why what waits cannot be saved, if anything waits.
func (j *Journal) GiveUp(err error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.queue) == 0 {
		return j.err
	}
	return j.latch(err)
}

// latch keeps the first error until all is saved, and says it once.
func (j *Journal) latch(err error) error {
	if j.err != nil {
		return j.err
	}
	j.err = fmt.Errorf("save session %q: %w", j.opt.Name, err)
	if j.opt.Log != nil {
		j.opt.Log.Error("session not saved", "path", j.opt.Name, "queued", len(j.queue), "error", err)
	}
	j.event(Event{Kind: Unsaved, Err: j.err})
	return j.err
}

// relieve clears the latch: all that waited is in the log, and on the disk if a
// sync failed before.
func (j *Journal) relieve() {
	if j.err != nil && len(j.queue) == 0 && !j.owed {
		j.err = nil
		j.event(Event{Kind: Saved})
	}
}

// latchedBy returns the error that is kept, nil for none.
func (j *Journal) latchedBy() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

func (j *Journal) event(e Event) {
	if e.Name == "" {
		e.Name = j.opt.Name
	}
	if j.opt.OnEvent != nil {
		j.opt.OnEvent(e)
	}
}

// retry writes what waits.
func (j *Journal) retry(ctx context.Context) error {
	if j.log != nil && len(j.queue) > 0 {
		if err := j.write(ctx); err != nil {
			return j.latched(ctx, err)
		}
	}
	if j.owed {
		return nil // the sync that is due says how it stands
	}
	return j.err
}

// SyncTo makes the first seq appends durable. Who waits for it at once shares
// one sync: it covers all that was written before it began, and nothing keeps
// others from writing while it lasts. After a sync that failed every append is
// followed by one, until one succeeds.
func (j *Journal) SyncTo(ctx context.Context, seq int64) error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	for j.synced < seq {
		j.mu.Lock()
		log, upTo, latched := j.log, j.written, j.err
		j.mu.Unlock()
		if log == nil {
			return latched // closed meanwhile, after a sync of its own
		}
		err := powers.Sync(ctx, log)
		if again, err := j.wasSynced(log, upTo, err); !again {
			return err
		}
	}
	return nil
}

// wasSynced notes how a sync of a log ended. It reports whether that means
// nothing, because the session has another log by now.
func (j *Journal) wasSynced(log storage.Log, upTo int64, err error) (again bool, _ error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.log != log {
		return true, nil
	}
	if j.owed = err != nil; j.owed {
		if errors.Is(err, storage.ErrLost) {
			j.requeue()
		}
		return false, j.latch(err)
	}
	j.synced = upTo
	j.relieve()
	return false, nil
}

// requeue puts all lines of this process back into the queue: a sync found
// that some are gone, and a line that is there twice does less harm than one
// that is lost.
func (j *Journal) requeue() {
	j.queue = j.loader.mine()
}

// Flush saves what waits and makes all that was appended durable.
func (j *Journal) Flush(ctx context.Context) error {
	j.mu.Lock()
	if j.state == closed {
		j.mu.Unlock()
		return ErrClosed
	}
	err := j.retry(ctx)
	if err == nil {
		if err = j.lookAgain(ctx); err == nil {
			err = j.retry(ctx)
		}
	}
	seq, draft := j.written, j.state == holding
	j.mu.Unlock()
	if err != nil || draft || !j.opt.Write {
		return err
	}
	return j.SyncTo(ctx, seq)
}

// Close tries, in turn, to save what waits, to make it durable and to give back
// the log, and returns the first error with the others joined to it. A second
// Close does nothing.
func (j *Journal) Close() error {
	ctx := context.Background()
	j.mu.Lock()
	if j.state == closed {
		j.mu.Unlock()
		return nil
	}
	j.mu.Unlock()
	if errors.Is(j.latchedBy(), storage.ErrLocked) || errors.Is(j.latchedBy(), context.Canceled) {
		ctx = powers.Impatient(ctx) // it was waited for
	}
	errs := []error{j.Flush(ctx)}
	j.keeping.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.state = closed
	j.loader.src.drop()
	if j.log != nil {
		errs = append(errs, j.log.Close())
		j.log = nil
	}
	return errors.Join(errs...)
}
