package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// Refresh reads what others did to the log since it was last seen and reports
// whether there was anything.
func (j *Journal) Refresh(ctx context.Context) (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state != live || j.log == nil {
		return false, nil
	}
	if !j.opt.Write {
		return j.refreshRead(ctx)
	}
	return j.refreshed(ctx)
}

// refreshed is Refresh of a journal that writes.
func (j *Journal) refreshed(ctx context.Context) (any bool, err error) {
	if any, err = j.reassured(ctx); err != nil {
		return any, err
	}
	for range maxTurns {
		_, err := j.look(ctx)
		var changed *storage.Changed
		if !errors.As(err, &changed) {
			return any, err
		}
		any = true
		if err := j.follow(ctx, changed); err != nil {
			return any, err
		}
	}
	return any, nil
}

// look asks the store whether the log is as we know it.
func (j *Journal) look(ctx context.Context) (storage.Mark, error) {
	if j.opt.Write {
		return j.log.Append(ctx, j.mark, nil)
	}
	kind := storage.Touched
	for _, err := range j.log.Read(ctx, j.mark) {
		if err != nil {
			return j.mark, err
		}
		kind = storage.Grown
		break
	}
	info, err := j.log.Stat(ctx)
	if err != nil || kind == storage.Touched && info.Mark == j.mark {
		return j.mark, err
	}
	return j.mark, &storage.Changed{Kind: kind, Now: info.Mark}
}

// follow makes us familiar with what became of the log.
func (j *Journal) follow(ctx context.Context, c *storage.Changed) error {
	switch c.Kind {
	case storage.Grown:
		return j.grown(ctx, c.Now)
	case storage.Touched:
		return j.touched(ctx, c.Now)
	case storage.Moved:
		j.mark = c.Now
		if c.Name != "" {
			j.called(c.Name)
		}
		j.event(Event{Kind: Moved})
		return nil
	case storage.Gone:
		return j.gone(ctx)
	case storage.Truncated, storage.Replaced:
		if c.Name != "" {
			j.called(c.Name)
			j.event(Event{Kind: Moved})
		}
		if c.Kind == storage.Truncated {
			return j.shorter(ctx)
		}
		return j.replaced(ctx, anew)
	}
	return fmt.Errorf("follow %q: unknown change %v", j.opt.Name, c.Kind)
}

// grown reads what others appended, once it is sure that they did.
func (j *Journal) grown(ctx context.Context, now storage.Mark) error {
	if ok, err := j.holds(false); err != nil {
		return err
	} else if !ok {
		return j.rewritten(ctx)
	}
	if j.p.torn {
		// The last line was unfinished: it may be whole now, or glued.
		return j.reread(ctx, nil)
	}
	from, headers := j.p.x.Len(), len(j.p.headers)
	for line, err := range j.log.Read(ctx, j.mark) {
		if err != nil {
			var c *storage.Changed
			if errors.As(err, &c) {
				return j.follow(ctx, c)
			}
			return err
		}
		j.take(line)
	}
	if err := j.p.end(true); err != nil {
		return err
	}
	if err := j.renew(ctx); err != nil {
		return err
	}
	if len(j.p.headers) > headers { // it may be the first
		fold := j.fold
		if j.found != Valid {
			fold = j.settle
		}
		if err := fold(); err != nil {
			return err
		}
	}
	j.mark = now
	j.relieve()
	if to := j.p.x.Len(); to > from {
		j.event(Event{Kind: Appended, From: from, To: to})
	}
	return nil
}

// take indexes one line behind the mark, unless it was read or written before.
func (j *Journal) take(line storage.Line) {
	if line.Pos < j.seen {
		return // the mark stood before it
	}
	end := line.Pos + 1
	if j.loader.src.get() != nil {
		end = line.Pos + int64(len(line.Bytes)) + 1
	}
	j.seen, j.size = end, end
	if i, ok := j.ours(line); ok {
		at := j.p.x.At(i)
		at.Off = line.Pos
		j.loader.mu.Lock()
		j.p.x.Move(i, at)
		j.loader.mu.Unlock()
		return
	}
	if j.arrived(line) {
		return
	}
	j.copy.add(line)
	first := j.p.x.Len()
	j.loader.mu.Lock()
	j.p.line(line.Bytes, line.Pos, line.LF)
	j.loader.mu.Unlock()
	if j.loader.src.get() == nil {
		for i := first; i < j.p.x.Len(); i++ {
			j.loader.hold(i, saved{line: bytes.Clone(line.Bytes)})
		}
	}
}

// ours returns the entry that we wrote and that this line is.
func (j *Journal) ours(line storage.Line) (int, bool) {
	for _, i := range j.own {
		if bytes.Equal(j.loader.stored(i), line.Bytes) {
			return i, true
		}
	}
	return 0, false
}

// arrived reports whether a line is an entry that waits in the queue: its append
// took place, though the store could not say so, or another journal put back what
// both lost. It waits no more then.
func (j *Journal) arrived(line storage.Line) bool {
	var e entry.Envelope
	text := jsonl.Trim(line.Bytes, line.Pos)
	if len(j.queue) == 0 || e.Scan(text.In(line.Bytes)) != nil || e.ID == nil {
		return false
	}
	n := slices.IndexFunc(j.queue, func(i int) bool { return j.p.x.Names(i, &e) })
	if n < 0 {
		return false
	}
	i := j.queue[n]
	j.queue = slices.Delete(j.queue, n, n+1)
	j.p.lines++
	at := entry.At{Off: line.Pos + int64(text.Start), Len: int64(text.Len()), Line: j.p.lines}
	j.loader.mu.Lock()
	j.p.x.Move(i, at)
	j.loader.mu.Unlock()
	if raw := text.In(line.Bytes); !bytes.Equal(j.loader.stored(i), raw) {
		raw = bytes.Clone(raw)
		j.loader.hold(i, saved{line: raw, stored: raw})
	}
	j.written++
	return true
}

// renew takes the bytes of the log as it is now.
func (j *Journal) renew(ctx context.Context) error {
	if j.loader.src.get() == nil {
		return nil
	}
	sec, _, _, err := powers.OpenSection(ctx, j.log)
	if err != nil {
		return err
	}
	return j.loader.see(sec).Close()
}

// called notes the name that the log has now.
func (j *Journal) called(name string) {
	j.opt.Name = name
	j.loader.call(name)
}

// touched reads the records before the first entry again: a program may have
// overwritten its title slot in place. It may have overwritten all.
func (j *Journal) touched(ctx context.Context, now storage.Mark) error {
	if j.loader.src.get() == nil {
		j.mark = now
		return nil
	}
	if ok, err := j.holds(true); err != nil {
		return err
	} else if !ok {
		return j.rewritten(ctx)
	}
	j.mark = now
	if err := j.renew(ctx); err != nil {
		return err
	}
	for n, r := range j.p.headers {
		raw := make([]byte, r.at.Len)
		if _, err := j.loader.src.get().ReadAt(raw, r.at.Off); err != nil {
			return fmt.Errorf("read line %d of %q again: %w", r.at.Line, j.opt.Name, err)
		}
		var e entry.Envelope
		if bytes.Equal(raw, r.raw) || e.Scan(raw) != nil || e.Kind != r.kind {
			continue
		}
		j.p.headers[n].raw = raw
	}
	return j.fold()
}

// reread reads the log whole and puts what this process wrote and the log
// lacks into the queue, behind what first queues; first may be nil.
func (j *Journal) reread(ctx context.Context, first func() error) error {
	lines := j.mine()
	if err := j.read(ctx); err != nil {
		return err
	}
	j.queue = j.queue[:0]
	if first != nil {
		if err := first(); err != nil {
			return err
		}
	}
	for _, s := range lines {
		if err := j.enqueue(s); err != nil {
			return err
		}
	}
	j.event(Event{Kind: Replaced, To: j.p.x.Len()})
	return nil
}

// beside saves our session under a name of its own, next to the one that
// another session has taken.
func (j *Journal) beside(ctx context.Context, header entry.Header, lines [][]byte) error {
	if len(lines) == 0 {
		if header.Raw == nil {
			header.Raw = header.Encode()
		}
		lines = [][]byte{header.Raw}
	}
	var mine []saved
	for _, i := range j.queue {
		s, _ := j.loader.kept(i)
		mine = append(mine, s)
	}
	stem := strings.TrimSuffix(j.opt.Name, ".jsonl")
	for n := 1; n < 1000; n++ {
		name := fmt.Sprintf("%s.saved-%d.jsonl", stem, n)
		log, err := j.opt.Store.Open(ctx, name, storage.Create)
		if errors.Is(err, storage.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		if _, err := log.Append(ctx, storage.Mark{}, lines); err != nil {
			return errors.Join(err, log.Close())
		}
		_ = j.log.Close() // it is the other session's
		j.log, j.opt.Name = log, name
		j.loader.forget()
		if err := j.reread(ctx, nil); err != nil {
			return err
		}
		for _, s := range mine {
			if err := j.enqueue(s); err != nil {
				return err
			}
		}
		j.event(Event{Kind: Moved, Name: name})
		return nil
	}
	return fmt.Errorf("save %q beside: no free name", j.opt.Name)
}

// enqueue puts a line that the log lacks into the queue.
func (j *Journal) enqueue(s saved) error {
	var e entry.Envelope
	if err := e.Scan(s.line); err != nil {
		return err
	}
	if i := j.p.x.Find(string(e.ID)); i >= 0 {
		j.keep(i, s)
		return nil
	}
	i := j.p.x.Add(&e, entry.At{Off: -1, Len: int64(len(s.stored))})
	j.queue = append(j.queue, i)
	j.loader.hold(i, s)
	return nil
}

// gone puts a log back that lost its name.
func (j *Journal) gone(ctx context.Context) error {
	var changed *storage.Changed
	mark, err := powers.Restore(ctx, j.log, j.mark)
	switch {
	case errors.Is(err, storage.ErrExist):
		return nil // somebody else put one there, which the next look finds
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, storage.ErrNotExist), errors.As(err, &changed):
		if err = j.again(ctx); errors.As(err, &changed) {
			return nil
		}
		return err
	case err != nil:
		return err
	}
	j.mark = mark
	j.event(Event{Kind: Restored})
	if err := j.renew(ctx); err != nil {
		return err
	}
	if ok, err := j.holds(false); ok || err != nil {
		return err
	}
	return j.over(ctx) // it was written over before
}

// again writes the whole session as it is known.
func (j *Journal) again(ctx context.Context) error {
	mark, err := j.log.Append(ctx, storage.Mark{}, j.allKnown())
	if err != nil {
		return err
	}
	j.mark = mark
	if j.loader.src.get() != nil {
		if err := j.reread(ctx, nil); err != nil {
			return err
		}
	}
	j.event(Event{Kind: Restored})
	return nil
}

// allKnown returns the lines of a session of which the log is gone, but for what
// waits: as they stand in it, else as they were read, else those of this process.
func (j *Journal) allKnown() [][]byte {
	raw := j.header.Raw
	if raw == nil {
		raw = j.header.Encode()
	}
	var whole, some [][]byte
	for i := range j.p.x.Len() {
		if slices.Contains(j.queue, i) {
			continue
		}
		line := j.loader.stored(i)
		if line == nil {
			line, _ = j.loader.line(i) // it was written over: see below
		}
		if whole = append(whole, line); line != nil {
			some = append(some, line)
		}
	}
	if before, err := j.copy.lines(); len(some) < len(whole) && j.copy.whole && err == nil {
		return before // what this process wrote is put behind it
	}
	return append([][]byte{raw}, some...)
}
