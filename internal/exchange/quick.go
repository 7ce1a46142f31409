package exchange

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/storage"
)

// maxQuick is how many bytes of new lines are held; with more all is read.
const maxQuick = 32 << 20

// sumOf tells entries in an order from others.
func sumOf(all []digest) string {
	h := sha256.New()
	for _, d := range all {
		h.Write(d[:])
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// quick unites a session of which only one side has grown since it was united
// last, and that only behind what both had then: the other side is not read. The
// session here is read whole all the same, and tells by its entries whether what
// was there is unchanged: programs write in the middle of files. done is false
// when that is not so, or not known.
//
// Nothing is to be settled then: what was decided last is decided by the same
// lines on both sides, which come last on both, in the same order.
func (r *run) quick(ctx context.Context, p *pair, m *Moved) (done bool, err error) {
	k, ok := r.known.of(p.here.name)
	if !ok || k.there != p.there.name || k.sum == "" || p.clashed {
		return false, nil
	}
	out := k.thereMark == p.there.mark
	if !out && (k.here != p.here.mark || r.there.fsys != nil) {
		return false, nil
	}
	here, err := r.here.read(ctx, p.here, true)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, here.close()) }()
	if here.old() || k.entries > len(here.digests) || sumOf(here.digests[:k.entries]) != k.sum || !r.sameTitle(p, here, k.title) {
		return false, nil
	}
	there := &reading{side: &r.there, at: p.there}
	q := quick{run: r, p: p, m: m, was: k, here: here, there: there}
	if out {
		return q.out(ctx)
	}
	return q.in(ctx)
}

// sameTitle reports whether the title of a session is the one that both sides had.
func (r *run) sameTitle(p *pair, here *reading, was string) bool {
	rules, ok := spelling.ByName(p.agent)
	return ok && (rules.NameByEntry || rules.Sanitize(here.title().text) == rules.Sanitize(was))
}

// quick is what is known of a session while one side is given what it lacks.
type quick struct {
	*run
	p           *pair
	m           *Moved
	was         known
	here, there *reading
}

// out sends what is new here.
func (q *quick) out(ctx context.Context) (bool, error) {
	want, all := make(map[int]bool), []int(nil)
	for i := q.was.entries; i < len(q.here.digests); i++ {
		if q.here.has[q.here.digests[i]] == i {
			want[i] = true
			all = append(all, i)
		}
	}
	if slices.ContainsFunc(q.here.links.Changed(), func(i int) bool { return want[i] }) {
		return false, nil // the other side has to say whether it has the parent
	}
	all = parentsFirst(q.here.list.Parent, all, want)
	for n := 1; n < len(all); n++ {
		if all[n] < all[n-1] {
			return false, nil // the two would end differently
		}
	}
	q.m.Damaged = q.here.log.Damage().BadCount
	return true, q.move(ctx, all, nil, q.was.thereMark)
}

// in receives what is new there.
func (q *quick) in(ctx context.Context) (bool, error) {
	if len(q.here.digests) != q.was.entries || q.here.log.Mark() != q.was.here {
		return false, nil
	}
	lines, mark, err := q.fresh(ctx)
	if err != nil || lines == nil {
		return false, err
	}
	return true, q.move(ctx, nil, lines, mark)
}

// fresh returns the entries there that are behind the mark, each once, and the mark
// behind them; none if all must be read.
func (q *quick) fresh(ctx context.Context) (lines [][]byte, mark storage.Mark, err error) {
	log, err := q.there.side.store.Open(ctx, q.p.there.name, storage.Read)
	if err != nil {
		return nil, mark, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	before, err := log.Stat(ctx)
	if err != nil {
		return nil, mark, err
	}
	ids, size := make(map[string]bool), 0
	for line, err := range log.Read(ctx, q.was.thereMark) {
		var changed *storage.Changed
		if errors.As(err, &changed) {
			return nil, mark, nil
		}
		if err != nil {
			return nil, mark, err
		}
		text := jsonl.Trim(line.Bytes, 1).In(line.Bytes)
		var e entry.Envelope
		if e.Scan(text) != nil || e.Kind == entry.Session || e.Kind == entry.Title || e.ID == nil ||
			e.Parent != nil && q.here.list.Find(string(e.Parent)) < 0 && !ids[string(e.Parent)] || size > maxQuick {
			return nil, mark, nil // more than to be appended
		}
		if q.here.known(digestOf(text)) {
			return nil, mark, nil
		}
		q.here.has[digestOf(text)] = len(q.here.has)
		ids[string(e.ID)] = true
		size += len(text)
		lines = append(lines, bytes.Clone(text))
	}
	after, err := log.Stat(ctx)
	if err != nil || before.Mark != after.Mark {
		return nil, mark, err
	}
	return lines, after.Mark, nil
}

// move sends entries of here, or receives lines of there, which ends at a mark.
func (q *quick) move(ctx context.Context, entries []int, lines [][]byte, mark storage.Mark) error {
	out := q.sending(q.here, q.there, 0, &q.m.Out)
	in := q.sending(q.there, q.here, 1, &q.m.In)
	if err := errors.Join(out.artifacts(ctx), in.artifacts(ctx)); err != nil {
		return err
	}
	if err := out.entries(ctx, mark, entries, nil); err != nil {
		return q.m.after(out, err)
	}
	if err := in.entries(ctx, q.here.log.Mark(), nil, lines); err != nil {
		return q.m.after(in, err)
	}
	q.m.MissingBlobs, q.m.LeftArtifacts = out.missing+in.missing, out.left+in.left
	q.note(ctx, q.p, in.mark, out.mark, q.was.title, q.here.with(lines))
	return nil
}

// with returns the digests of a session's entries, of more behind them, and of
// lines behind those.
func (r *reading) with(lines [][]byte, more ...digest) []digest {
	all := r.digests
	if r.stored != nil {
		all = r.stored
	}
	all = append(all[:len(all):len(all)], more...)
	for _, line := range lines {
		all = append(all, digestOf(line))
	}
	return all
}
