package session

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"sync"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/presence"
	"github.com/cambium-dev/cambium/storage"
)

// A Session is one open session. It is safe for concurrent use; the caller
// closes it.
type Session struct {
	opt   Options
	store storage.Store
	local bool // the store is the local disk
	// presence is that of the options, or of the store; nil for none.
	presence Presence
	mint     *ident.Mint
	// locked holds the names of the logs that get omp's lock file.
	locked sync.Map

	seeing sync.Mutex      // taken last
	seen   []journal.Event // guarded by seeing: said by a journal, not yet understood

	mu     sync.Mutex
	cur    *book   // guarded by mu: what is open now
	left   []*book // guarded by mu: held books that were switched away from
	events []Event // guarded by mu: to be told when the lock is given back
	closed bool    // guarded by mu
	// asking is done when it is known who else has the session open, unask gives
	// that up; nil where nobody asks. The latter is guarded by mu.
	asking sync.WaitGroup
	unask  context.CancelFunc
	// visited is what Options.OnVisit was told last; guarded by mu.
	visited Visit
	// called is the name that was last known to whoever is told; guarded by mu.
	called called
}

// A book is what a session has open. It is swapped as a whole when the session
// becomes another one, so that a failure on the way changes nothing.
type book struct {
	log *journal.Journal
	// found is what was there when a session that is not in use yet was
	// opened, where that was none and log only promises one; else nil.
	found *journal.Journal
	rules spelling.Dialect
	place places.Place
	blobs blob.Store
	near  string // a second directory of blobs, "" for none
	tree  *tree.Tree
	loads int // of the log, when positions were last found
	// walked is the path that was asked for last: who goes to a session asks for
	// it several times.
	walked walk

	leaf   int      // position of the leaf, -1 for none
	leafID entry.ID // its id

	cwd    string
	title  title
	naming *naming // a name that is not saved, nil for none
	header title   // what the header said when the title was last read
	// why says why the session cannot be written, "" when it can.
	why string
	// due says that the session is to be written at the next chance: its
	// first write was asked for and has not succeeded yet.
	due bool
	// shared says that another process was seen to write the log.
	shared bool
	// given is the name that we gave the log by moving it, "" if we did not.
	given string
	// present is what the presence was told; others are those that it knew,
	// until they are told of.
	present present
	others  []presence.Holder

	old  old
	lost lost
	// own has the ids of entries that were appended here and of which the dialect
	// forgets something when it reads them. It is read without the session's lock.
	own sync.Map
}

// A walk is a path from the root to a leaf.
type walk struct {
	of   stand
	path []int
}

// A stand says what a path is of: a leaf of a tree that has so many entries.
type stand struct {
	tree    *tree.Tree
	entries int
	leaf    int
	links   tree.Links
}

// path returns the positions from the root to a leaf. They must not be changed:
// whoever asks for the same path is given them too.
func (b *book) path(leaf int, links tree.Links) []int {
	of := stand{b.tree, b.tree.Len(), leaf, links}
	if b.walked.of != of {
		b.walked = walk{of, slices.Clip(b.tree.Path(leaf, links))}
	}
	return b.walked.path
}

type title struct {
	text, source string
	at           int64 // when it was given, to be written into a header; 0 for nowhere
}

// tell notes an event to be told when the lock is given back. It is called
// with the lock held.
func (s *Session) tell(e Event) {
	if s.opt.OnEvent != nil {
		s.events = append(s.events, e)
	}
}

// unlock gives the lock back and tells what happened while it was held.
func (s *Session) unlock() {
	s.nameSoon()
	s.renamed()
	s.attend()
	s.visit()
	events := s.events
	s.events = nil
	s.mu.Unlock()
	for _, e := range events {
		s.opt.OnEvent(e)
	}
}

// A called is the name of a session, and whether this session gave it.
type called struct {
	id, title string
	own       bool
}

// renamed tells when the session has another name than before.
func (s *Session) renamed() {
	if s.opt.OnEvent == nil || s.cur == nil {
		return
	}
	now := called{id: s.cur.log.Header().ID, title: s.cur.title.text}
	was := s.called
	s.called = now
	if was.id == now.id && was.title != now.title {
		s.tell(Event{Kind: Renamed, Text: now.title, Foreign: !was.own})
	}
}

// book returns what is open, for reading what of it never changes. The lock is
// taken and given back.
func (s *Session) book() *book {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur
}

// ID returns the session's id, as the header has it.
func (s *Session) ID() string { return s.book().log.Header().ID }

// Path returns the name of the session's log, the one that it will have if it
// is not written yet; "" when the session is in memory only.
func (s *Session) Path() string { return s.book().log.Name() }

// Dir returns the directory for new, forked and branched sessions: that of the
// options, else the one this session is in; "" when it is in memory only.
func (s *Session) Dir() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dir()
}

// CWD returns the working directory the session belongs to: the header's, else
// the one of Options.Env.
func (s *Session) CWD() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur.cwd
}

// Header returns the header with the title of the slot or of the entries, where
// that is the one that counts, in its place.
func (s *Session) Header() entry.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.cur.log.Header()
	if !s.cur.rules.NameByEntry {
		h.Title, h.TitleSource = s.cur.title.text, s.cur.title.source
	}
	return h
}

// HeaderJSON returns the header as one JSON object, fields in the order of the
// file and the title that counts in its place (published getHeader). Fields
// that Cambium does not know are kept. The version is the one that the entries
// have in memory; [Session.Header] has that of the file.
func (s *Session) HeaderJSON() entry.JSON {
	h := s.Header()
	raw := entry.JSON(h.Raw)
	if raw == nil {
		return h.Encode()
	}
	raw = spelling.MigrateHeader(raw)
	for _, f := range []struct{ key, value string }{
		{"title", h.Title}, {"titleSource", h.TitleSource},
	} {
		if f.value == "" {
			raw = jsonedit.Delete(raw, f.key)
			continue
		}
		raw = jsonedit.Set(raw, f.key, jsonedit.Quoted(f.value))
	}
	return raw
}

// Title returns the session's name and who gave it ("auto", "user", or ""
// where that is not recorded). No name is "".
func (s *Session) Title() (text, source string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur.title.text, s.cur.title.source
}

// Dialect returns the rules the session is read and written by.
func (s *Session) Dialect() dialect.Name { return s.book().rules.Name }

// Persisted reports whether the session is kept on a store at all, now or
// after its first write.
func (s *Session) Persisted() bool { return s.Path() != "" }

// OnDisk reports whether the session's log exists already.
func (s *Session) OnDisk() bool {
	return s.book().log.OnDisk()
}

// ReadOnly reports whether the session cannot be written.
func (s *Session) ReadOnly() bool { return s.book().why != "" }

// ReadOnlyReason says why the session cannot be written, "" when it can. What is
// so because of the log itself (a newer version, a header that had to be made up)
// is said before that it was opened to read.
func (s *Session) ReadOnlyReason() string { return s.book().why }

// List returns the session's entries in the order of the file. It grows as the
// session does and must not be used while the session is written to.
func (s *Session) List() *entry.List { return s.book().log.List() }

// A Tree says which entry of a session follows which, by their positions in
// [Session.List].
type Tree interface {
	// Len returns the number of entries.
	Len() int
	// Leaf returns the entry where the session goes on by default, -1 for none.
	Leaf() int
	// Tips returns the live ends of branches, the newest last.
	Tips() []int
}

// Tree returns the tree of the session's entries. What is said of
// [Session.List] holds for it.
func (s *Session) Tree() Tree {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur.tree
}

// Len returns how many entries the session has.
func (s *Session) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur.log.List().Len()
}

// Entry returns the entry with that id, the last one of several. The error is
// an [*Error] when there is none.
func (s *Session) Entry(id entry.ID) (entry.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.cur.find(id)
	if err != nil {
		return entry.Entry{}, err
	}
	return s.cur.log.List().Entry(i)
}

// Entries yields all entries in the order of the file, those that are appended
// meanwhile included. An entry whose line cannot be read yields its error.
func (s *Session) Entries(ctx context.Context) iter.Seq2[entry.Entry, error] {
	return func(yield func(entry.Entry, error) bool) {
		for i := 0; ; i++ {
			if err := ctx.Err(); err != nil {
				yield(entry.Entry{}, err)
				return
			}
			s.mu.Lock()
			list := s.cur.log.List()
			if i >= list.Len() {
				s.mu.Unlock()
				return
			}
			e, err := list.Entry(i)
			s.mu.Unlock()
			if !yield(e, err) {
				return
			}
		}
	}
}

// Stored returns the bytes of entry i as they are stored, without newline: not
// migrated, blobs not put back in. The error is ErrNotFound for a position that
// the session does not have, or no longer.
func (s *Session) Stored(i int) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i < 0 || i >= s.cur.log.List().Len() {
		return nil, fmt.Errorf("read entry at position %d: %w", i, ErrNotFound)
	}
	return s.cur.log.Stored(i)
}

// Lines yields the bytes of the entries at some positions, as Stored returns
// them, but each valid until the next step only: many are looked at one by one
// without memory for each. After an error the next one comes.
func (s *Session) Lines(positions iter.Seq[int]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		b := s.book()
		stored := b.log.Liner()
		for i := range positions {
			var line []byte
			err := fmt.Errorf("read entry at position %d: %w", i, ErrNotFound)
			s.mu.Lock()
			if i >= 0 && i < b.log.List().Len() {
				line, err = stored(i)
			}
			s.mu.Unlock()
			if !yield(line, err) {
				return
			}
		}
	}
}

func (b *book) find(id entry.ID) (int, error) {
	i := b.log.List().Find(id)
	if i < 0 {
		return -1, noEntry(id)
	}
	return i, nil
}

// point makes the entry at a position the leaf, -1 none.
func (b *book) point(at int) {
	b.leaf, b.leafID = at, ""
	if at >= 0 {
		b.leafID, _ = b.log.List().ID(at)
	}
}

// dir is Dir with the lock held.
func (s *Session) dir() string {
	switch path := s.cur.log.Name(); {
	case s.opt.Dir != "":
		return s.absolute(s.opt.Dir)
	case path == "":
		return ""
	default:
		return filepath.Dir(path)
	}
}
