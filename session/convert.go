package session

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/conversion"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/storage"
)

// ConvertOptions say what a session becomes. Only To is needed.
type ConvertOptions struct {
	// To is the dialect of the new session.
	To dialect.Name
	// Path is where it is written; "" is where its agent looks for it.
	Path string
	// CWD is the working directory that it belongs to; "" is this session's.
	CWD string
	// KeepID makes it the same session in another place: with the id, the
	// timestamp and the parent of this one. Otherwise it is a new session, as a
	// fork is.
	KeepID bool
	// At is the entry up to which the branch is converted, alone (published
	// createBranchedSession); nil is the whole session.
	At *entry.ID
	// Directories override those of the new session's agent.
	Directories layout.Overrides
}

// Converted is a session that was written in another dialect.
type Converted struct {
	ID, Path, ParentSession string
	Report                  *convert.Report
}

// Convert writes this session as one of another dialect (or of its own),
// artifacts and blobs included, and says what had no equal there. This session
// is not changed and may be open to read. Lines that are damaged are left out.
// The error wraps fs.ErrExist when something has the new path already, and
// ErrReadOnly for a version that is too new.
func (s *Session) Convert(ctx context.Context, o ConvertOptions) (Converted, error) {
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return Converted{}, ErrClosed
	}
	if v := s.cur.log.Header().Version; s.cur.log.Found() == journal.Newer {
		return Converted{}, fmt.Errorf("convert session %q: %w: its version %v is newer than %d", s.cur.log.Name(), ErrReadOnly, v, CurrentVersion)
	}
	if s.cur.log.OnDisk() && s.cur.why == "" {
		if err := s.flush(ctx); err != nil {
			return Converted{}, err
		}
	}
	at, err := host(s)
	if err != nil {
		return Converted{}, err
	}
	done, err := at.convert(ctx, o)
	if err != nil {
		return Converted{}, fmt.Errorf("convert session: %w", err)
	}
	return done, nil
}

// host returns the session that writes what is made of s: s itself, or, where that is
// another program's, one on the disk that has the same book.
func host(s *Session) (*Session, error) {
	if !guest(s) {
		return s, nil
	}
	o := s.opt
	o.Dialect = ""
	at, err := begin(o)
	if err == nil {
		at.cur = s.cur
	}
	return at, err
}

func (s *Session) convert(ctx context.Context, o ConvertOptions) (Converted, error) {
	scribe, _ := s.opt.programs.Named(o.To).(foreign.Scribe)
	rules, ok := spelling.ByName(string(o.To))
	if scribe != nil {
		rules, ok = spelling.Reading(o.To), true
	}
	if !ok {
		return Converted{}, fmt.Errorf("no dialect is called %q", o.To)
	}
	cwd := s.cur.cwd
	if o.CWD != "" {
		cwd = s.absolute(o.CWD)
	}
	kind := rules.Name
	if scribe != nil {
		kind = dialect.Pi // a UUID
	}
	own, err := s.own(kind, cwd)
	if err != nil {
		return Converted{}, err
	}
	name := ident.FileName(own.Timestamp, own.ID)
	if h := s.cur.log.Header(); o.KeepID {
		if scribe != nil {
			return Converted{}, fmt.Errorf("keep the id %q: %s gives new sessions ids of its own", h.ID, o.To)
		}
		if ident.CheckID(h.ID) != nil { // it becomes a part of the path
			return Converted{}, fmt.Errorf("keep the id %q: it cannot be a part of a file name: a copy with an id of its own can be made", h.ID)
		}
		if _, ok := jsonedit.ParseTime(h.Timestamp); ok && !strings.ContainsAny(h.Timestamp, `/\`) {
			own.Timestamp = h.Timestamp
		}
		name = ident.FileName(own.Timestamp, h.ID)
		own = spelling.Fresh{CWD: o.CWD}
		if o.CWD != "" {
			own.CWD = cwd
		}
	}
	place := places.For(string(rules.Name), s.opt.Env, o.Directories)
	path := s.absolute(o.Path)
	if path == "" {
		path = filepath.Join(place.Dir(cwd, s.opt.Env), name)
	}
	from, err := s.convertible(ctx, o.At, rules)
	if err != nil {
		return Converted{}, err
	}
	c, err := conversion.New(from, conversion.Target{
		Dialect: rules, Fresh: own, Put: s.putting(ctx, rules, place),
		NewID: s.mint.Entry, Now: s.opt.Now().UnixMilli(),
	})
	if err != nil {
		return Converted{}, err
	}
	if scribe != nil {
		return writeForeign(ctx, s, scribe, c, foreign.Sheet{ID: own.ID, Parent: s.cur.log.Header().ID, CWD: cwd, Time: own.Timestamp, From: s.cur.rules.Name, Env: s.opt.Env}, s.absolute(o.Path))
	}
	return s.writeConverted(ctx, c, path)
}

// writeForeign writes the new session as another program has it, at a path or, for "", where
// that looks for it.
func writeForeign(ctx context.Context, s *Session, scribe foreign.Scribe, c *conversion.Conversion, sheet foreign.Sheet, path string) (Converted, error) {
	for line, err := range c.Lines() {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return Converted{}, err
		}
		sheet.Lines = append(sheet.Lines, line)
	}
	if n := len(sheet.Lines) - 1; n >= 0 { // what a conversion adds hangs on the leaf
		sheet.Leaf, _ = jsonedit.Text(sheet.Lines[n], "id")
	}
	sheet.Title = s.cur.title.text
	w, err := scribe.Write(ctx, sheet)
	if err != nil {
		return Converted{}, err
	}
	path = cmp.Or(path, w.Name)
	first, rest, _ := bytes.Cut(w.Text, []byte{'\n'})
	err = place(ctx, s, path, w.Beside, first, func(yield func([]byte, error) bool) {
		for line := range bytes.Lines(rest) {
			if !yield(bytes.TrimSuffix(line, []byte{'\n'}), ctx.Err()) {
				return
			}
		}
	})
	conversion.Note(c.Report(), sheet.Lines, w.Left)
	return Converted{ID: cmp.Or(w.ID, sheet.ID), Path: path, Report: c.Report()}, err
}

// writeConverted writes the new session and copies the artifacts.
func (s *Session) writeConverted(ctx context.Context, c *conversion.Conversion, path string) (Converted, error) {
	head := c.Head()
	err := place(ctx, s, path, true, head[0], func(yield func([]byte, error) bool) {
		for _, line := range head[1:] {
			if !yield(line, nil) {
				return
			}
		}
		for line, err := range c.Lines() {
			if err == nil {
				err = ctx.Err()
			}
			if !yield(line, err) {
				return
			}
		}
	})
	h, _ := entry.ParseHeader(head[len(head)-1])
	return Converted{ID: h.ID, Path: path, ParentSession: h.ParentSession, Report: c.Report()}, err
}

// place writes a new session at a path, whole, and if beside its artifacts before it: a session
// that is seen is whole. Nothing is replaced.
func place(ctx context.Context, s *Session, path string, beside bool, first []byte, rest iter.Seq2[[]byte, error]) (err error) {
	if _, err := s.store.Stat(ctx, path); err == nil {
		return fmt.Errorf("write session %q: %w", path, storage.ErrExist)
	}
	undo := func() error { return nil }
	if beside {
		if undo, err = s.copyArtifacts(ctx, s.cur.log.Name(), path); err != nil {
			return err
		}
	}
	if err := s.writeWhole(ctx, path, first, rest); err != nil {
		return errors.Join(err, undo())
	}
	return nil
}

// convertible is this session, or the way to one entry of it, as convert takes
// it.
func (s *Session) convertible(ctx context.Context, to *entry.ID, rules spelling.Dialect) (conversion.Source, error) {
	b := s.cur
	src := conversion.Source{
		Source: b.source(), Dialect: b.rules, List: b.log.List(), Leaf: b.tree.Leaf(),
		Line: b.raw,
		Get: func(text string) ([]byte, error) {
			ref, ok := blob.ParseRef(text)
			if !ok || b.blobs == nil {
				return nil, blob.ErrNotExist
			}
			return b.blobs.Read(ctx, ref)
		},
	}
	if to == nil {
		var also []int
		var err error
		if src.Leaf >= 0 && b.rules.Name != rules.Name {
			also = append(also, src.Leaf) // what is added to a session of another dialect hangs on it
		}
		src.Links, err = b.tree.Relink(s.mint.Entry, also...)
		return src, err
	}
	at, err := b.find(*to)
	if err != nil {
		return src, err
	}
	plan, err := b.branchedAt(at, *to, s.mint)
	if err != nil {
		return src, err
	}
	var lines [][]byte
	for line, err := range s.planned(plan) {
		if err != nil {
			return src, err
		}
		lines = append(lines, line)
	}
	if src.List, err = entry.NewList(lines); err != nil {
		return src, err
	}
	src.Line, src.Leaf = src.List.Load, len(lines)-1
	return src, nil
}

// raw returns the line of entry i as it is stored, in the present version.
func (b *book) raw(i int) ([]byte, error) {
	line, err := b.log.Stored(i)
	if err == nil && b.log.Old() && i < b.old.n && b.old.line != nil {
		return b.old.line(i, line)
	}
	return line, err
}

// putting keeps the blobs of a new session of a dialect; nil where it has none.
func (s *Session) putting(ctx context.Context, rules spelling.Dialect, place places.Place) spelling.Put {
	store := s.opt.Blobs
	if store == nil && place.Blobs != "" {
		store = blob.OpenDir(place.Blobs, vfs.On(blob.DirOptions{Typed: rules.Name == dialect.Omp}, s.opt.fs))
	}
	if store == nil || rules.Persist.Images == spelling.NoImages {
		return nil
	}
	return func(data []byte, ext string) (string, error) {
		ref, err := store.Put(ctx, data, ext)
		return ref.String(), err
	}
}
