package exchange

import (
	"context"
	"errors"
	"iter"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/storage"
)

// A title is the name of a session where that is not an entry.
type title struct {
	text, source string
	slotAt       string // as the title slot has it
	at           int64  // when it was given
	timed        bool   // at is known
}

func (r *reading) title() title {
	h := r.log.Header()
	t := title{}
	t.text, t.source = h.Effective()
	if h.Slot != nil {
		t.slotAt = h.Slot.UpdatedAt
		t.at, t.timed = jsonedit.ParseTime(t.slotAt)
	} else {
		if t.at, t.timed = spelling.NamedAt(h.Raw, t.text); t.timed {
			t.slotAt = jsonedit.FormatTime(t.at)
		}
	}
	return t
}

// titles gives both sides the newer of two titles that stand in headers, and
// returns it.
func (r *run) titles(ctx context.Context, p *pair, in, out *sending) (string, error) {
	rules, ok := spelling.ByName(p.agent)
	if !ok || rules.NameByEntry {
		return "", nil
	}
	here, there := in.to, in.from
	h, t := here.title(), there.title()
	if rules.Sanitize(h.text) == rules.Sanitize(t.text) {
		return h.text, nil
	}
	s, want := out, h
	if newerTitle(p, here, there, h, t) {
		s, want = in, t
	}
	s.amount.Titles++
	if r.opt.DryRun {
		return want.text, nil
	}
	want.timed = want.timed && rules.NameTime // else the time is in the slot, or nowhere
	mark, err := s.to.setTitle(ctx, s.mark, want)
	if err != nil {
		return "", again(err)
	}
	s.mark = mark
	return want.text, nil
}

// newerTitle reports whether the title there is newer than the one here. What
// both had when they were united last is the older one. Else a title is newer
// than none, one of the user than one of a program; then the times count at which
// they were given. A title without a time was given by a program that writes
// none: if both are new, at the time of the newest entry there at the latest;
// else it may be of any time, and is taken for the older one. Without any time it
// is the side that was written to last.
func newerTitle(p *pair, here, there *reading, h, t title) bool {
	if p.named && h.text != t.text {
		switch p.title {
		case h.text:
			return true
		case t.text:
			return false
		}
	}
	switch {
	case h.text == "" || t.text == "":
		return h.text == ""
	case (h.source == dialect.UserTitle) != (t.source == dialect.UserTitle):
		return t.source == dialect.UserTitle
	}
	a, b := h.at, t.at
	if p.named && !h.timed {
		a = here.latest
	}
	if p.named && !t.timed {
		b = there.latest
	}
	switch {
	case !p.named && h.timed != t.timed:
		return t.timed
	case (h.timed || t.timed) && a != b:
		return b > a
	case here.latest != there.latest:
		return there.latest > here.latest
	}
	return t.text > h.text
}

// setTitle writes a title where it counts: into the title slot, in place if the
// store can, else into the header. The log is as after says.
func (r *reading) setTitle(ctx context.Context, after storage.Mark, t title) (_ storage.Mark, err error) {
	log, err := r.side.store.Open(ctx, r.at.name, storage.Write)
	if err != nil {
		return after, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	mark, err := after, errors.ErrUnsupported
	slot := r.log.Header().Slot
	line := spelling.FormatSlot(t.text, t.source, t.slotAt)
	if slot != nil && slot.Len == spelling.SlotLen {
		old, slotErr := r.slot(ctx)
		if slotErr != nil || len(old) == 0 {
			return after, errors.Join(slotErr, errAgain)
		}
		if old := append(old[0], '\n'); len(old) == spelling.SlotLen {
			mark, err = powers.WriteSlot(ctx, log, after, old, line[:])
		}
	}
	if errors.Is(err, errors.ErrUnsupported) {
		mark, err = log.Replace(ctx, after, retitled(t, line[:spelling.SlotLen-1], slot != nil))
	}
	if err != nil {
		return after, err
	}
	return mark, powers.Sync(ctx, log)
}

// retitled is the rewrite that puts a title into the slot or the header, and
// leaves every other line as it is.
func retitled(t title, slot []byte, inSlot bool) storage.Rewrite {
	return func(lines iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			done := false
			for line, err := range lines {
				out := line.Bytes
				if err == nil && !done {
					out, done = retitle(line.Bytes, t, slot, inSlot)
				}
				if !yield(out, err) || err != nil {
					return
				}
			}
		}
	}
}

func retitle(line []byte, t title, slot []byte, inSlot bool) ([]byte, bool) {
	if inSlot {
		if _, ok := spelling.ParseSlot(line); ok {
			return slot, true
		}
		return line, false
	}
	at := jsonl.Trim(line, 0)
	if _, ok := entry.ParseHeader(at.In(line)); !ok || at.Len() == 0 {
		return line, false
	}
	header := jsonedit.Set(at.In(line), "title", jsonedit.Quoted(t.text))
	if t.source != "" {
		header = jsonedit.SetAfter(header, "title", "titleSource", jsonedit.Quoted(t.source))
	}
	if t.timed {
		header = spelling.WithNamedAt(header, t.text, t.at)
	}
	out := append([]byte(nil), line[:at.Start]...)
	return append(append(out, header...), line[at.End:]...), true
}
