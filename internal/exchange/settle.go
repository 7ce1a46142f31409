package exchange

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
)

// A question is what the last entry of its kind in a file decides: the leaf, the
// name of a session, the label of an entry.
type question struct {
	kind   entry.Kind // Label, SessionInfo, or Unknown for the leaf
	target string     // of a label
}

// answers are the entries that decide, by question.
type answers map[question]int

// decided returns the answers of a list.
func decided(l *entry.List, gaps []tree.Gap) answers {
	a := make(answers)
	for i := range l.Len() {
		switch kind := l.Kind(i); kind {
		case entry.Label:
			a[question{kind, l.Ref(i)}] = i
		case entry.SessionInfo:
			a[question{kind, ""}] = i
		}
	}
	if leaf := tree.New(l, gaps).Leaf(); leaf >= 0 {
		a[question{}] = leaf
	}
	return a
}

// A settlement is the entries that are appended to both sides, so that the same
// is decided on both.
type settlement struct{ lines [][]byte }

// settle finds out what each side will decide when it was given the entries that
// it lacks, and returns what has to be appended to both besides. The lists of
// both readings grow by that: they are of no other use afterwards.
func settle(here, there *reading, toHere, toThere []int) (settlement, error) {
	var s settlement
	h, t := decided(here.list, here.log.Gaps()), decided(there.list, there.log.Gaps())
	want := make(map[question]winner)
	for _, q := range questions(h, t) {
		want[q] = decide(here, there, h, t, q)
	}
	hLines, err := linesOf(there, toHere)
	if err != nil {
		return s, err
	}
	tLines, err := linesOf(here, toThere)
	if err != nil {
		return s, err
	}
	hAfter, err := here.after(hLines)
	if err != nil {
		return s, err
	}
	tAfter, err := there.after(tLines)
	if err != nil {
		return s, err
	}
	var open []winner
	for _, q := range questions(h, t) {
		if w := want[q]; hAfter[q] != w.digest || tAfter[q] != w.digest {
			open = append(open, w)
		}
	}
	if len(open) == 0 {
		return s, nil
	}
	return s, s.make(here, there, want[question{}], open)
}

// questions are those that either side answers, in a fixed order.
func questions(h, t answers) []question {
	var all []question
	for q := range h {
		all = append(all, q)
	}
	for q := range t {
		if _, ok := h[q]; !ok {
			all = append(all, q)
		}
	}
	slices.SortFunc(all, func(a, b question) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.target, b.target))
	})
	return all
}

// A winner is the entry that is to decide a question.
type winner struct {
	question
	side   *reading
	entry  int
	digest digest
	other  string // the id of what the other side had, "" for nothing else
}

// decide says which side's answer holds: the one that the other side has not
// seen; of two such the newer by their times.
func decide(here, there *reading, h, t answers, q question) winner {
	i, ok := h[q]
	j, also := t[q]
	mine := winner{question: q, side: here, entry: i}
	yours := winner{question: q, side: there, entry: j}
	if ok {
		mine.digest = here.digests[i]
	}
	if also {
		yours.digest = there.digests[j]
	}
	switch {
	case !also, ok && mine.digest == yours.digest:
		return mine
	case !ok:
		return yours
	}
	mine.other, _ = there.list.ID(j)
	yours.other, _ = here.list.ID(i)
	mineSeen, yoursSeen := there.known(mine.digest), here.known(yours.digest)
	switch {
	case mineSeen && !yoursSeen:
		return yours
	case yoursSeen && !mineSeen:
		return mine
	}
	newer := cmp.Or(cmp.Compare(here.list.Time(i), there.list.Time(j)), slices.Compare(mine.digest[:], yours.digest[:]))
	if newer < 0 {
		return yours
	}
	return mine
}

// after returns what a side decides when lines were appended, as digests. The
// list of the reading grows by them.
func (r *reading) after(lines [][]byte) (map[question]digest, error) {
	x, load, n := r.list.Index, r.list.Load, r.list.Len()
	for i, line := range lines {
		var e entry.Envelope
		if err := e.Scan(line); err != nil {
			return nil, fmt.Errorf("read entry %d that is missing: %w", i+1, err)
		}
		x.Add(&e, entry.At{Off: -1, Len: int64(len(line))})
	}
	grown := &entry.List{Index: x, Load: func(i int) ([]byte, error) {
		if i < n {
			return load(i)
		}
		return lines[i-n], nil
	}}
	out := make(map[question]digest)
	for q, i := range decided(grown, r.log.Gaps()) {
		if i < n {
			out[q] = r.digests[i]
		} else {
			out[q] = digestOf(lines[i-n])
		}
	}
	return out, nil
}

func linesOf(from *reading, entries []int) ([][]byte, error) {
	lines := make([][]byte, len(entries))
	for n, i := range entries {
		line, err := from.line(i)
		if err != nil {
			return nil, err
		}
		lines[n] = line
	}
	return lines, nil
}

// make writes the entries that settle open questions, each a child of the one
// before, the first of the leaf that is to be. The leaf needs one of its own only
// when there is no other.
func (s *settlement) make(here, there *reading, leaf winner, open []winner) error {
	if leaf.side == nil {
		return nil
	}
	parent, ok := leaf.side.list.ID(leaf.entry)
	if !ok {
		return nil // nothing can be said under an entry without a name
	}
	isLeaf := func(w winner) bool { return w.kind == entry.Unknown }
	var taken []string
	say := func(w winner) error {
		body, err := w.body()
		if errors.Is(err, entry.ErrNotBody) {
			return nil // it says nothing that could be said again
		}
		if err != nil {
			return err
		}
		at := max(leaf.side.list.Time(leaf.entry), w.side.list.Time(w.entry))
		if at == entry.NoTime {
			at, _ = jsonedit.ParseTime(leaf.side.log.Header().Timestamp)
		}
		free := func(id string) bool {
			return here.list.Find(id) < 0 && there.list.Find(id) < 0 && !slices.Contains(taken, id)
		}
		line, id, err := settling(leaf.side.at.header.ID, parent, at, body, free)
		if err != nil {
			return err
		}
		s.lines, taken, parent = append(s.lines, line), append(taken, id), id
		return nil
	}
	for _, w := range open {
		if isLeaf(w) {
			continue
		}
		if err := say(w); err != nil {
			return err
		}
	}
	if i := slices.IndexFunc(open, isLeaf); i >= 0 && len(s.lines) == 0 {
		return say(open[i])
	}
	return nil
}

// body is what the settling entry says: what the winner says again.
func (w *winner) body() (entry.Body, error) {
	if w.kind == entry.Unknown {
		if w.other == "" {
			return spelling.LeafBody(nil), nil
		}
		return spelling.LeafBody(&w.other), nil
	}
	line, err := w.side.line(w.entry)
	if err != nil {
		return nil, err
	}
	return entry.ParseBody(line)
}

// settling returns the line of an entry whose id is made of what it says.
func settling(session, parent string, at int64, body entry.Body, free func(id string) bool) (line []byte, id string, err error) {
	said, err := entry.Encode(nil, entry.Stamp{ID: "0", Parent: &parent, Time: at}, body)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256([]byte("cambium settle\n" + session + "\n" + string(said)))
	digits := hex.EncodeToString(sum[:])
	for n := 0; n+8 <= len(digits); n += 8 {
		if id = digits[n : n+8]; free(id) {
			line, err = entry.Encode(nil, entry.Stamp{ID: id, Parent: &parent, Time: at}, body)
			return line, id, err
		}
	}
	return nil, "", errors.New("every id for a settling entry is taken")
}
