package catalog

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"

	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/spelling"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/tree"
)

const (
	// maxLineage is how many sessions that were copied from one another are read
	// before the first of them.
	maxLineage = 100
	// heldLines is how much of the lines of one session is held while it is read, in
	// bytes; what is more is read again.
	heldLines = 16 << 20
)

// errNotSession is for a file that holds neither entries nor a header.
var errNotSession = errors.New("not a session")

// An entryWalk goes through the entries of all sessions that were found.
type entryWalk struct {
	o     *Options
	q     *EntryQuery
	kin   *kin
	r     *reader
	yield func(Entry, error) bool
	met   map[string]bool // the sessions that were begun, by path
	keys  ledgers
	g     gathered
}

func newEntryWalk(o *Options, q *EntryQuery, found *look, yield func(Entry, error) bool) *entryWalk {
	k := newKin(o, found)
	w := &entryWalk{o: o, q: q, kin: k, r: newReader(o, k), yield: yield, met: map[string]bool{}, keys: ledgers{at: map[string][]uint64{}}}
	w.r.had = w.had
	facts := w.r.pass.Entry
	w.r.pass.Entry = func(e *entry.Envelope, line []byte, at entry.At) {
		facts(e, line, at)
		w.g.take(w, e, line, at)
	}
	return w
}

// visit yields the entries of a session, after those of the one that it was copied
// from. It reports false when no more are wanted.
func (w *entryWalk) visit(ctx context.Context, f file, deep int) bool {
	if w.met[f.name()] {
		return true
	}
	w.met[f.name()] = true
	if err := ctx.Err(); err != nil {
		w.yield(Entry{}, err)
		return false
	}
	if f.mode.IsRegular() && f.stamp.Size == 0 {
		return true
	}
	log, h, err := w.open(ctx, f)
	if err != nil {
		return w.failed(f, err)
	}
	defer func() { _ = log.Close() }() // nothing was written
	if !w.asked(f, h.ID) || w.o.CWD != "" && h.Raw != nil && !w.o.same(h.CWD) {
		return true
	}
	if parent, ok := w.kin.file(h.ParentSession); ok && w.q.Session == "" && deep < maxLineage {
		if !w.visit(ctx, parent, deep+1) {
			return false
		}
	}
	return w.read(ctx, f, log, h)
}

// open opens a session and returns what is at its beginning of a header.
func (w *entryWalk) open(ctx context.Context, f file) (source.File, entry.Header, error) {
	if !f.mode.IsRegular() {
		return nil, entry.Header{}, errors.New("not a regular file")
	}
	log, err := w.o.source().Open(ctx, f.name())
	if err != nil {
		return nil, entry.Header{}, err
	}
	h, _ := headerOf(log)
	return log, h, nil
}

// failed yields the error of one session.
func (w *entryWalk) failed(f file, err error) bool {
	if w.q.Session != "" && !w.asked(f, "") {
		return true
	}
	return w.yield(Entry{}, &SessionError{Path: f.path, Err: err})
}

// asked reports whether the entries of a session are meant.
func (w *entryWalk) asked(f file, id string) bool {
	s := w.q.Session
	return s == "" || s == id || s == f.path || s == f.target || id == "" && ident.FileID(base(f.path)) == s
}

// read passes over a session and yields what it gathered.
func (w *entryWalk) read(ctx context.Context, f file, log source.File, h entry.Header) bool {
	for try := 1; ; try++ {
		w.g.reset(h.Raw == nil || spelling.Old(h.Version))
		now, g, err := w.r.read(ctx, log, f.agent)
		if errors.Is(err, io.ErrUnexpectedEOF) && try < tries {
			continue // somebody is writing it anew
		}
		if ctx.Err() != nil {
			w.yield(Entry{}, ctx.Err())
			return false
		}
		if err != nil {
			return w.failed(f, err)
		}
		f.stamp = now.Stamp
		info := w.o.blank(f)
		if g.Found == journal.NotASession {
			return w.failed(f, errNotSession)
		}
		if !w.r.fill(ctx, &info, f, g, log) || !w.o.wants(&info) || !w.asked(f, info.ID) {
			return true
		}
		var had []uint64
		if info.Parent != "" {
			had = w.had(ctx, info.Parent, f)
		}
		w.keys.put(f.name(), w.g.sorted())
		return w.tell(&info, had, g, log) && w.harm(&info, g)
	}
}

// harm yields what is wrong with the lines of a session.
func (w *entryWalk) harm(info *Info, g *journal.Glance) bool {
	if !info.Damaged {
		return true
	}
	report := *g.Damage
	return w.yield(Entry{Session: info}, &SessionError{Path: info.Path, Damage: &report})
}

// tell yields the entries that were gathered of a session.
func (w *entryWalk) tell(info *Info, had []uint64, g *journal.Glance, log io.ReaderAt) bool {
	active, present, err := w.g.branch(g, log)
	if err != nil {
		return w.yield(Entry{Session: info}, &SessionError{Path: info.Path, Err: err})
	}
	for n := range w.g.lines {
		l := &w.g.lines[n]
		raw, err := w.g.line(l, log)
		if err == nil && present != nil {
			raw, err = present(int(l.pos), raw)
		}
		e := Entry{Session: info, Active: active == nil || active[l.pos]}
		if err == nil {
			e.Entry, err = entry.Parse(raw)
		}
		if err != nil {
			err = &SessionError{Path: info.Path, Err: err}
		} else if !w.q.matches(e.Kind, e.Role, e.Time) || w.q.Model != "" && !e.ofModel(w.q.Model) {
			continue
		} else if had != nil {
			_, e.Inherited = slices.BinarySearch(had, l.key)
		}
		if !w.yield(e, err) {
			return false
		}
	}
	return true
}

// had returns the keys of the entries of the session that another one was copied from,
// in order; nil when there is none.
func (w *entryWalk) had(ctx context.Context, parent string, child file) []uint64 {
	name := path.Clean(parent)
	if f, ok := w.kin.file(parent); ok {
		name = f.name()
	} else if !isAbs(parent) {
		return nil
	}
	if name == child.path || name == child.target {
		return nil
	}
	if keys, ok := w.keys.at[name]; ok {
		return keys
	}
	keys := w.kin.all(ctx, name)
	w.keys.put(name, keys)
	return keys
}

// branch returns which entries are on the branch on which the session goes on, nil for
// all, and what brings a line to the present version, nil for nothing.
func (g *gathered) branch(is *journal.Glance, log io.ReaderAt) (active []bool, present func(int, []byte) ([]byte, error), err error) {
	list := is.List()
	if g.all && (spelling.Old(is.Header.Version) || list != nil && !list.Named()) {
		if list, present, err = g.migrated(is.Header, log); err != nil {
			return nil, nil, err
		}
	}
	if list == nil {
		return nil, present, nil
	}
	if present == nil {
		list.Load = func(i int) ([]byte, error) { return readLine(log, list.At(i)) }
	}
	t := tree.New(list, is.Gaps)
	active = make([]bool, list.Len())
	for _, i := range t.Path(t.Leaf(), tree.Healed) {
		active[i] = true
	}
	return active, present, nil
}

// migrated returns the entries of a session of an older version in the present one, and
// what makes their lines so.
func (g *gathered) migrated(h entry.Header, log io.ReaderAt) (*entry.List, func(int, []byte) ([]byte, error), error) {
	stored := make([][]byte, len(g.lines))
	for n := range g.lines {
		var err error
		if stored[n], err = g.line(&g.lines[n], log); err != nil {
			return nil, nil, err
		}
	}
	list, err := entry.NewList(stored)
	if err != nil {
		return nil, nil, err
	}
	for n := range g.lines {
		list.Index.Move(n, g.lines[n].at)
	}
	present, err := spelling.Migrate(list.Index, h, func(i int) ([]byte, error) { return stored[i], nil })
	if err != nil || present == nil {
		return list, nil, err
	}
	list.Load = func(i int) ([]byte, error) { return present(i, stored[i]) }
	return list, present, nil
}
