package journal

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// A Record is what a rewrite is asked about: an entry, the header, or a title
// slot.
type Record struct {
	// Kind is entry.Session and entry.Title for those two, else the entry's.
	Kind entry.Kind
	// Pos is the position of the entry, -1 for what is none.
	Pos int
	// Line is the record as stored, without blanks around it.
	Line []byte
	// before and after are those bytes, where it has its line to itself.
	before, after []byte
}

// Around returns a line with what stands around the record: blanks, a CR, a byte order
// mark.
func (r Record) Around(line []byte) []byte {
	return slices.Concat(r.before, line, r.after)
}

// An Edit says what becomes of a record: the same line to leave it, others to
// put in its place, none to take it out.
type Edit func(Record) ([][]byte, error)

// Rewrite replaces the log by what edit makes of its records, as it is at that
// moment, under the store's lock and all or nothing. Bytes that edit is not
// asked about, damaged lines and blank ones, stay where they are; so does every
// byte of a line it leaves as it was. Afterwards the log is read anew: positions
// of before mean nothing.
//
// It returns how many bytes it wrote, behind which stands what others append;
// 0 when something came to the log after it was last looked at, so that more
// was replaced than the caller knew of.
func (j *Journal) Rewrite(ctx context.Context, edit Edit) (int64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.changeable(); err != nil {
		return 0, err
	}
	known := j.mark
	if _, err := j.reassured(ctx); err != nil {
		return 0, err
	}
	if err := j.retry(ctx); err != nil {
		return 0, err
	}
	for range maxTurns {
		r := &rewriter{j: j, edit: edit}
		_, err := j.log.Replace(ctx, j.mark, r.rewrite)
		var changed *storage.Changed
		if errors.As(err, &changed) {
			if err := j.follow(ctx, changed); err != nil {
				return 0, err
			}
			if err := j.retry(ctx); err != nil {
				return 0, err
			}
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("rewrite %q: %w", j.opt.Name, err)
		}
		if j.mark != known {
			r.size = 0
		}
		// It is done. What cannot be read now is read by the next call, for the
		// mark is still that of before.
		mine := j.mine()
		if err := j.read(context.WithoutCancel(ctx)); err == nil {
			j.claim(mine)
		} else if j.opt.Log != nil {
			j.opt.Log.Warn("it was rewritten, and cannot be read now", "path", j.opt.Name, "error", err)
		}
		return r.size, nil
	}
	return 0, fmt.Errorf("rewrite %q: others wrote at each of %d tries", j.opt.Name, maxTurns)
}

// mine returns the lines that this process wrote.
func (j *Journal) mine() []saved {
	var lines []saved
	for _, i := range j.loader.mine() {
		s, _ := j.loader.kept(i)
		lines = append(lines, s)
	}
	return lines
}

// claim keeps in memory what a rewrite made of the lines that this process
// wrote, so that they are still its own when another program writes the log
// without them.
func (j *Journal) claim(lines []saved) {
	for _, s := range lines {
		var e entry.Envelope
		if e.Scan(s.line) != nil {
			continue
		}
		i := j.p.x.Find(string(e.ID))
		if i < 0 {
			continue // it was taken out
		}
		j.keep(i, s)
	}
}

// keep has entry i, a line of this process that the log holds, in memory as the
// log has it.
func (j *Journal) keep(i int, s saved) {
	stored, err := j.loader.line(i)
	if err == nil && !bytes.Equal(stored, s.stored) {
		s.stored = bytes.Clone(stored)
		s.line, err = j.list.Load(i)
		s.line = bytes.Clone(s.line)
	}
	if err == nil {
		j.loader.hold(i, s)
	}
}

// changeable refuses to change a log that cannot be.
func (j *Journal) changeable() error {
	switch {
	case j.state == closed:
		return ErrClosed
	case j.state != live || !j.opt.Write || j.log == nil:
		return ErrReadOnly
	}
	return nil
}

// A rewriter makes the new lines of a log out of the old ones, with the index
// telling what stands in each.
type rewriter struct {
	j     *Journal
	edit  Edit
	order []int // entries that stand in the log, by line, and ^n for header n
	next  int   // in order
	no    int
	open  []byte // lines of an object over several of them
	begun int64  // where open stands in the log
	size  int64  // of what was written
}

// A portion is where one record stands in the log.
type portion struct {
	kind entry.Kind
	pos  int // of the entry, -1 for the header and the title slot
	at   entry.At
}

// portion returns what an element of order is.
func (r *rewriter) portion(i int) portion {
	if i < 0 {
		h := r.j.p.headers[^i]
		return portion{kind: h.kind, pos: -1, at: h.at}
	}
	return portion{kind: r.j.p.x.Kind(i), pos: i, at: r.j.p.x.At(i)}
}

func (r *rewriter) rewrite(lines iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
	for n := range r.j.p.headers {
		r.order = append(r.order, ^n)
	}
	for i := range r.j.p.x.Len() {
		if r.portion(i).at.Line > 0 {
			r.order = append(r.order, i)
		}
	}
	slices.SortStableFunc(r.order, func(i, k int) int {
		a, b := r.portion(i).at, r.portion(k).at
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Off, b.Off))
	})
	return func(yield func([]byte, error) bool) {
		for line, err := range lines {
			if err != nil {
				yield(nil, err)
				return
			}
			out, err := r.line(line)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, o := range out {
				r.size += int64(len(o)) + 1
				if !yield(o, nil) {
					return
				}
			}
		}
		if r.open != nil {
			r.size += int64(len(r.open)) + 1
			yield(r.open, nil)
		}
	}
}

// line returns what becomes of one physical line.
func (r *rewriter) line(line storage.Line) ([][]byte, error) {
	r.no++
	raw := line.Bytes
	if r.open != nil {
		r.open = append(append(r.open, '\n'), raw...)
		return r.several(line)
	}
	var here []portion
	for ; r.next < len(r.order); r.next++ {
		one := r.portion(r.order[r.next])
		if one.at.Line != r.no {
			break
		}
		here = append(here, one)
	}
	if len(here) == 0 {
		return [][]byte{raw}, nil
	}
	one := here[0]
	if len(here) == 1 && one.at.Len > int64(len(raw)) && r.j.loader.src.get() != nil {
		r.next--
		r.open, r.begun = bytes.Clone(raw), line.Pos
		return r.several(line)
	}
	if text := jsonl.Trim(raw, line.Pos); len(here) == 1 && one.at.Len >= int64(text.Len()) {
		return r.record(line, Record{Kind: one.kind, Pos: one.pos})
	}
	return r.glued(line, here)
}

// record asks about a line that is one record and nothing else.
func (r *rewriter) record(line storage.Line, rec Record) ([][]byte, error) {
	raw := line.Bytes
	text := jsonl.Trim(raw, line.Pos)
	rec.Line, rec.before, rec.after = text.In(raw), raw[:text.Start], raw[text.End:]
	out, err := r.edit(rec)
	if err != nil {
		return nil, err
	}
	if len(out) == 1 && bytes.Equal(out[0], rec.Line) {
		return [][]byte{raw}, nil
	}
	return out, nil
}

// several collects the lines of an object over several of them until it is
// whole.
func (r *rewriter) several(line storage.Line) ([][]byte, error) {
	one := r.portion(r.order[r.next])
	if line.Pos+int64(len(line.Bytes)) < one.at.Off+one.at.Len {
		return nil, nil
	}
	r.next++
	raw := r.open
	r.open = nil
	text := bytes.TrimSpace(jsonl.Trim(raw, r.begun).In(raw))
	rec := Record{Kind: one.kind, Pos: one.pos, Line: oneLine(text)}
	out, err := r.edit(rec)
	if err != nil {
		return nil, err
	}
	if len(out) == 1 && bytes.Equal(out[0], rec.Line) {
		return bytes.Split(raw, []byte{'\n'}), nil
	}
	return out, nil
}

// glued asks about the objects in a line that holds more than one, or one and
// other bytes. If any of them changes, each part gets a line of its own, what
// is unreadable included.
func (r *rewriter) glued(line storage.Line, here []portion) ([][]byte, error) {
	raw := line.Bytes
	var out [][]byte
	changed := false
	done := 0
	rest := func(to int) {
		if piece := bytes.Trim(raw[done:to], "\x00 \t\r"); len(piece) > 0 {
			out = append(out, piece)
		}
	}
	for _, one := range here {
		from := int(one.at.Off - line.Pos)
		to := from + int(one.at.Len)
		if r.j.loader.src.get() == nil || from < done || to > len(raw) {
			return [][]byte{raw}, nil // cannot be told apart: leave it
		}
		rest(from)
		done = to
		part := raw[from:to]
		lines, err := r.edit(Record{Kind: one.kind, Pos: one.pos, Line: part})
		if err != nil {
			return nil, err
		}
		changed = changed || len(lines) != 1 || !bytes.Equal(lines[0], part)
		out = append(out, lines...)
	}
	rest(len(raw))
	if !changed {
		return [][]byte{raw}, nil
	}
	return out, nil
}

// OverwriteSlot puts slot in the place of the title slot, the first bytes of
// the log, which must be one now and as long. The error is
// [errors.ErrUnsupported] when the log has none or its store cannot.
func (j *Journal) OverwriteSlot(ctx context.Context, slot []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.changeable(); err != nil {
		return err
	}
	for range maxTurns {
		if j.header.Slot == nil || len(j.p.headers) == 0 {
			return errors.ErrUnsupported
		}
		h := &j.p.headers[0]
		if h.kind != entry.Title || h.at.Off != 0 || len(h.raw)+1 != len(slot) {
			return errors.ErrUnsupported
		}
		mark, err := powers.WriteSlot(ctx, j.log, j.mark, append(bytes.Clone(h.raw), '\n'), slot)
		var changed *storage.Changed
		if errors.As(err, &changed) {
			if err := j.follow(ctx, changed); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("write title slot of %q: %w", j.opt.Name, err)
		}
		j.mark = mark
		j.written++ // to be synced like an append
		h.raw = bytes.TrimSuffix(bytes.Clone(slot), []byte{'\n'})
		return j.fold()
	}
	return fmt.Errorf("write title slot of %q: others wrote at each of %d tries", j.opt.Name, maxTurns)
}

// Move gives the log another name. It fails with [storage.ErrExist] if the
// name is taken.
func (j *Journal) Move(ctx context.Context, name string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state == holding {
		j.called(name)
		return nil
	}
	if err := j.rename(ctx, name); err != nil {
		return fmt.Errorf("move %q: %w", j.opt.Name, err)
	}
	j.called(name)
	ctx = context.WithoutCancel(ctx) // it has moved: to stop now would hide that
	_, err := j.look(ctx)
	var changed *storage.Changed
	if errors.As(err, &changed) {
		changed.Name = name
		return j.follow(ctx, changed)
	}
	return err
}

// rename gives the log that is open another name, or the one that others put in its
// place and that is the same session.
func (j *Journal) rename(ctx context.Context, name string) error {
	if j.log == nil {
		return j.opt.Store.Rename(ctx, j.opt.Name, name)
	}
	for range maxTurns {
		err := powers.Move(ctx, j.opt.Store, j.log, j.mark, j.opt.Name, name)
		var changed *storage.Changed
		if !errors.As(err, &changed) || !j.opt.Write {
			return err
		}
		if _, err := j.refreshed(ctx); err != nil {
			return err
		}
	}
	return fmt.Errorf("others wrote at each of %d tries", maxTurns)
}

// Lines returns every physical line of the log as it is now.
func (j *Journal) Lines(ctx context.Context) iter.Seq2[storage.Line, error] {
	j.mu.Lock()
	log := j.log
	j.mu.Unlock()
	if log == nil {
		return func(func(storage.Line, error) bool) {}
	}
	return log.Read(ctx, storage.Mark{})
}
