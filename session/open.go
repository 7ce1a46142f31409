package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
	"github.com/cambium-dev/cambium/undo"
)

// Open opens the session at a path.
//
// To write: a file that is missing or empty becomes a new session at that very
// path, written at once; one of an older version is migrated at once; one
// without a valid header is refused with [ErrNotSession]. To read
// (Options.ReadOnly): a missing file is [ErrNotFound], an empty one an empty
// session; a header that is torn or missing is made up, where entries follow,
// and the session is read-only; nothing is written.
//
// A version above [CurrentVersion] can be read and not written. The caller
// closes the session.
func Open(ctx context.Context, path string, o Options) (*Session, error) {
	s, err := begin(o)
	if err != nil {
		return nil, err
	}
	path = s.absolute(path)
	path = visit(s, path)
	if s.cur, err = s.open(ctx, path); err != nil {
		return nil, err
	}
	s.mu.Lock()
	if s.cur.why != notYet {
		s.opened()
	}
	s.unlock()
	return s, nil
}

// Create begins a new session of the working directory cwd. It is written when
// Options.FirstWrite says. The caller closes it.
func Create(ctx context.Context, cwd string, o Options) (*Session, error) {
	s, err := begin(o)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.unlock()
	s.cur, err = s.create(ctx, fresh{cwd: s.absolute(cwd), id: o.ID, parent: o.Parent, title: o.Title, dialect: o.Dialect})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// visit makes the session one of another program's, if the path is: it is kept where that
// program keeps it, and only read. What else lies below that program's roots is only read,
// too. It returns the path that the program has for it.
func visit(s *Session, path string) string {
	if !s.local {
		return path
	}
	p, name := s.opt.programs.Whose(s.opt.fs, path)
	switch {
	case p == nil:
		return path
	case p.Owns(name, s.opt.programs.Env):
		s.store, s.local, s.presence = foreign.Store(s.opt.fs, p), false, nil
		s.opt.Dialect = p.Name()
	}
	s.opt.ReadOnly = true
	return name
}

// guest reports whether the session is another program's.
func guest(s *Session) bool { return slices.Contains(spelling.Foreign, s.opt.Dialect) }

// InMemory begins a session that is kept nowhere.
func InMemory(cwd string, o Options) (*Session, error) {
	s, err := begin(o)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.unlock()
	s.cur, err = s.memory(context.Background(), fresh{cwd: s.absolute(cwd), id: o.ID, parent: o.Parent, title: o.Title, dialect: o.Dialect})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// InMemoryOf is InMemory of a session that is kept elsewhere: with entries as they are
// in memory, and, where nothing else is given, the id and the parent of a header.
func InMemoryOf(ctx context.Context, cwd string, h *entry.Header, list *entry.List, o Options) (*Session, error) {
	if h != nil && o.ID == "" && ident.ValidID(h.ID) {
		o.ID, o.Parent = h.ID, cmp.Or(o.Parent, h.ParentSession)
	}
	s, err := InMemory(cwd, o)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.unlock()
	for i := range list.Len() {
		e, err := list.Entry(i)
		if err == nil {
			_, err = s.cur.log.Append(ctx, e.Raw(), false)
		}
		if err != nil {
			return nil, fmt.Errorf("take entry %d: %w", i, err)
		}
	}
	s.settle(s.cur)
	return s, nil
}

// begin checks the options and makes a session with nothing open.
func begin(o Options) (*Session, error) {
	o.defaults()
	if o.ID != "" {
		if err := ident.CheckID(o.ID); err != nil {
			return nil, err
		}
	}
	if _, ok := spelling.ByName(string(o.Dialect)); !ok && o.Dialect != "" {
		return nil, fmt.Errorf("open session: no dialect is called %q", o.Dialect)
	}
	s := &Session{opt: o, store: o.Store, mint: ident.NewMint(o.Now, o.Random)}
	s.local = local.Is(o.Store)
	if s.store == nil {
		s.store, s.local = localStore(s), true
	}
	if s.local {
		s.presence = o.Presence
	} else if l, ok := s.store.(storage.Leaser); ok {
		s.presence = newLeases(l, o)
	}
	return s, nil
}

// absolute makes a path of the local disk absolute; a name of another store is
// left as it is.
func (s *Session) absolute(path string) string {
	if !s.local || path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.opt.Env.Cwd, path)
}

// open reads what is at path and makes a book of it.
func (s *Session) open(ctx context.Context, path string) (*book, error) {
	b := &book{leaf: -1}
	log, err := journal.Open(ctx, s.logOptions(b, path))
	if err != nil {
		return nil, refusal(s.opt.fs, s.local, path, err)
	}
	b.log = log
	if err := s.accept(ctx, b, path); err != nil {
		return nil, errors.Join(err, s.shut(b))
	}
	if !s.opt.ReadOnly && b.log.List().Len() >= manyEntries {
		b.log.List().Fill() // each append looks whether an id is taken
	}
	return b, nil
}

// manyEntries is from how many entries on the look-up of ids is made ready beside who
// opens a session to write. The first appends do not wait for it.
const manyEntries = 1 << 15

// refusal says in one line why a path cannot be opened.
func refusal(fsys vfs.FS, local bool, path string, err error) error {
	cause := err
	var e *fs.PathError
	if errors.As(err, &e) {
		cause = e.Err
	}
	if !errors.Is(err, storage.ErrNotRegular) {
		return fmt.Errorf("open session %q: %w", path, cause)
	}
	thing := journal.Irregular
	if info, err := fsys.Stat(path); err == nil && local {
		thing = journal.ThingOf(info.Mode)
	}
	if thing != journal.Irregular {
		cause = storage.ErrNotRegular
	}
	return &journal.ThingError{Path: path, Thing: thing, Err: cause}
}

// accept decides what to do with what was found at path.
func (s *Session) accept(ctx context.Context, b *book, path string) error {
	found := b.log.Found()
	write := !s.opt.ReadOnly
	later := write && s.opt.Later && s.cur != b
	switch found {
	case journal.Missing:
		if !write || s.opt.MustExist {
			return &journal.ThingError{Path: path, Thing: journal.Nothing, Err: ErrNotFound}
		}
		if later {
			return s.promise(b, path)
		}
		return s.begin(ctx, b, path)
	case journal.Empty:
		if later {
			return s.promise(b, path)
		}
		if write {
			return s.begin(ctx, b, path)
		}
	case journal.NotASession, journal.NoHeader:
		if later && s.opt.Reinitialize {
			return s.promise(b, path)
		}
		if write && s.opt.Reinitialize {
			return s.reinitialize(ctx, b, path)
		}
		if found == journal.NotASession {
			return &journal.ThingError{Path: path, Thing: b.log.Thing(), Err: ErrNotSession}
		}
		if write {
			return &journal.ThingError{Path: path, Thing: journal.Headless, Err: ErrNoHeader}
		}
		b.why = "its header is missing or torn"
	case journal.Newer:
		b.why = fmt.Sprintf("its version %v is newer than %d", b.log.Header().Version, CurrentVersion)
	}
	if b.why == "" && b.log.Damage().Array {
		b.why = "its entries are a JSON array; `cambium doctor --fix` writes them as lines"
	}
	if b.why == "" && guest(s) {
		b.why = fmt.Sprintf("it belongs to %s; `cambium convert` makes one of it that goes on here", s.opt.Dialect)
	}
	if !write && b.why == "" {
		b.why = "it was opened to read"
	}
	if b.why == "" && later {
		return s.wait(ctx, b, path)
	}
	if b.why == "" {
		if err := s.enter(ctx, b, path); err != nil {
			return err
		}
	}
	s.settle(b)
	if write && b.why == "" && b.log.Old() {
		if err := s.migrate(ctx, b); err != nil {
			return fmt.Errorf("migrate session %q: %w", path, err)
		}
	}
	return nil
}

// opened tells what is worth knowing of a session that was just opened. It is
// called with the lock held.
func (s *Session) opened() {
	s.busy(s.cur)
	if s.opt.OnEvent == nil {
		return
	}
	var tips []entry.ID
	for _, tip := range s.cur.tree.Elsewhere(s.cur.leaf) {
		if id, ok := s.cur.log.List().ID(tip.Entry); ok {
			tips = append(tips, id)
		}
	}
	if len(tips) > 0 {
		s.tell(Event{Kind: Tips, IDs: tips})
	}
}

// settle finds out what a loaded log means: dialect, tree, leaf, title,
// working directory.
func (s *Session) settle(b *book) {
	list := b.log.List()
	if b.rules.Name == "" {
		b.rules = s.detect(b.log.Name(), list, b.log.Header())
	}
	if b.place.Name == "" {
		// Once: contexts resolve blobs without the session's lock.
		b.place = places.For(string(b.rules.Name), s.opt.Env, layout.Overrides{AgentDir: s.opt.AgentDir, SessionDir: s.opt.Dir})
		b.blobs = s.blobStore(b)
	}
	b.tree = tree.New(list, b.log.Gaps())
	b.point(b.tree.Leaf())
	b.cwd = cmp.Or(b.log.Header().CWD, b.cwd, s.here()) // a header that is read again says no more than before
	b.readTitle()
	b.loads = b.log.Loads()
	s.lockToo(b)
}

// readTitle finds the title that counts. A line that cannot be read names
// nothing.
func (b *book) readTitle() {
	h := b.log.Header()
	b.header.text, b.header.source = h.Effective()
	text, source, err := b.rules.Title(&h, b.log.List())
	if err == nil {
		b.title = title{text: text, source: source}
	}
}

// migrate brings the log of an older version up to date.
func (s *Session) migrate(ctx context.Context, b *book) error {
	done, err := s.record(ctx, b, undo.Change{Op: state.Migrate, Path: b.log.Name()})
	if err != nil {
		return err
	}
	size, err := b.log.Rewrite(ctx, func(r journal.Record) ([][]byte, error) {
		switch {
		case r.Kind == entry.Session:
			return [][]byte{spelling.MigrateHeader(r.Line)}, nil
		case r.Pos < 0 || r.Pos >= b.old.n:
			return [][]byte{r.Line}, nil
		}
		out, err := b.old.line(r.Pos, r.Line)
		return [][]byte{out}, err
	})
	if err := done(size, err); err != nil {
		return err
	}
	s.settle(b)
	return nil
}

// detect chooses the dialect of a log: the option, the home it lies in, the
// marks in it.
func (s *Session) detect(path string, list *entry.List, h entry.Header) spelling.Dialect {
	home := s.opt.Dialect
	if home == "" {
		home = dialect.Name(places.Owner(path, s.opt.Env))
	}
	return spelling.Of(home, list, h)
}
