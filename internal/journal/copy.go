package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/loglines"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// maxCopy is how much of a log is kept in memory, in bytes, in case somebody
// cuts it short.
const maxCopy = 16 << 20

// A duplicate is what others wrote to a log that is open for writing: its bytes
// as they were read, as long as they are not more than maxCopy. Lines of this
// process are in its loader. The zero duplicate has nothing and stays so.
type duplicate struct {
	before []stretch // see Pack
	data   []byte    // what comes behind
	whole  bool      // they are all of it
}

// take makes a copy of a log of size bytes.
func (d *duplicate) take(sec powers.Section, size int64) error {
	*d = duplicate{}
	if sec == nil || size > maxCopy {
		return nil
	}
	data := make([]byte, size)
	n, err := sec.ReadAt(data, 0)
	if int64(n) < size && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read log again: %w", err)
	}
	*d = duplicate{data: data[:n], whole: int64(n) == size}
	return nil
}

// add takes one more line.
func (d *duplicate) add(line storage.Line) {
	if !d.whole || d.size()+len(line.Bytes) >= maxCopy {
		*d = duplicate{}
		return
	}
	d.data = append(d.data, line.Bytes...)
	if line.LF {
		d.data = append(d.data, '\n')
	}
}

// lines are the physical lines of the copy, without their newlines.
func (d *duplicate) lines() ([][]byte, error) {
	all, err := d.all()
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return bytes.Split(bytes.TrimSuffix(all, []byte{'\n'}), []byte{'\n'}), nil
}

// A loss is how a log came to be another than it was.
type loss int

const (
	anew    loss = iota // another log has its name
	inPlace             // it was written over
	short               // it was cut short
)

// replaced goes on with what has our name now: with our own session as somebody
// else rewrote it or cut it short, after bringing in what it lacks; otherwise
// with a copy of ours beside what took its place.
func (j *Journal) replaced(ctx context.Context, how loss) error {
	header, size, before := j.header, j.size, j.copy
	old := j.loader.src.use() // it is all that is left of ours
	defer old.drop()
	same := false
	err := j.reread(ctx, func() error {
		// Without an id of ours, whatever is there is the session.
		same = j.found == Valid && (j.header.ID == header.ID || header.ID == "")
		if !same || !j.opt.Write || how != short {
			return nil
		}
		return j.fill(before, size)
	})
	if err == nil && !same && j.opt.Write && how == anew && j.found != Valid {
		same, err = j.awaited(ctx, header.ID)
	}
	switch {
	case err != nil:
		return err
	case same, !j.opt.Write: // who only looks sees what is there
		return nil
	case how == short && j.p.x.Len() == len(j.queue) && j.found != Valid && j.found != Newer:
		return j.restart(ctx, header, before, size)
	}
	var lines [][]byte
	if how != anew { // its bytes are gone
		lines, err = before.lines()
	} else {
		lines, err = allLines(ctx, old.get(), size)
	}
	if err != nil {
		return err
	}
	return j.beside(ctx, header, lines)
}

// awaited reads a log that was no session when it was read, if another program was
// still writing it, and reports whether it is the session of that id then.
func (j *Journal) awaited(ctx context.Context, id string) (bool, error) {
	for range rests {
		if info, err := j.settled(ctx); err != nil || info.Mark == j.mark || info.Mark.IsZero() {
			return false, err
		}
		if err := j.reread(ctx, nil); err != nil || j.found == Valid {
			return j.header.ID == id, err
		}
	}
	return false, nil
}

// allLines reads the lines of a section.
func allLines(ctx context.Context, sec powers.Section, size int64) ([][]byte, error) {
	if sec == nil {
		return nil, nil
	}
	var lines [][]byte
	for line, err := range loglines.Lines[storage.Line](ctx, sec, 0, size) {
		if err != nil {
			return nil, err
		}
		lines = append(lines, bytes.Clone(line.Bytes))
	}
	return lines, nil
}

// fill queues what a log that was cut short lacks of the entries before.
func (j *Journal) fill(before duplicate, size int64) error {
	lines, err := before.lines()
	if err != nil {
		return err
	}
	for _, line := range lines {
		var e entry.Envelope
		if e.Scan(line) != nil || e.ID == nil || e.Kind == entry.Session || e.Kind == entry.Title || j.p.x.Find(string(e.ID)) >= 0 {
			continue
		}
		if err := j.enqueue(saved{line: bytes.TrimSpace(line), stored: line}); err != nil {
			return err
		}
	}
	j.restored(before, len(j.queue), size)
	return nil
}

// restart writes what is known of a session whose log was cut down to nothing:
// all of it while that is in memory, else its header and what this process wrote.
func (j *Journal) restart(ctx context.Context, header entry.Header, before duplicate, size int64) error {
	if header.Raw == nil {
		header.Raw = header.Encode()
	}
	lines, err := before.lines()
	if err != nil {
		return err
	}
	if !before.whole {
		lines = [][]byte{header.Raw}
	}
	mark, err := j.log.Append(ctx, j.mark, lines)
	if err != nil {
		return err
	}
	j.mark = mark
	if err := j.reread(ctx, nil); err != nil {
		return err
	}
	j.restored(before, j.p.x.Len()-len(j.queue), size)
	return nil
}

// restored says what could be put back of a log of size bytes.
func (j *Journal) restored(before duplicate, entries int, size int64) {
	err := fmt.Errorf("the log was cut short: of %d bytes only what this process wrote could be put back", size)
	if before.whole {
		err = fmt.Errorf("the log was cut short: %d entries were put back from memory", entries)
	}
	j.event(Event{Kind: Restored, Err: err})
}
