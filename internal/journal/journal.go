package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/storage"
)

// ErrClosed is the answer of a journal that was closed.
var ErrClosed = errors.New("journal is closed")

// ErrReadOnly is the answer to a write in a journal that was opened to read,
// or whose log is not to be appended to. See [Journal.Found].
var ErrReadOnly = errors.New("journal is read-only")

// A Sync says when what was appended is made durable.
type Sync int

// When an append is durable as it returns. A process that is killed loses
// nothing that was appended in any of them; a power cut may.
const (
	SyncMessage Sync = iota // a line that ends a message
	SyncEntry               // every line
	SyncNone                // only at Flush
)

// Found says what was there when the log was opened.
type Found int

// What an opened log holds.
const (
	Valid       Found = iota // a header
	Missing                  // no log of that name
	Empty                    // no bytes, or blank lines only
	NoHeader                 // entries, but no header: it is made up, read-only
	NotASession              // neither
	Newer                    // a version above the current one: read-only
)

// Options say how a journal is kept. The functions bring in what a dialect
// knows; each may be nil, which means that lines are kept as they are.
type Options struct {
	// Store keeps the log, Name is its name there.
	Store storage.Store
	Name  string
	// Write opens the log for appending.
	Write bool
	// Sync says when an append is durable.
	Sync Sync
	// Memory keeps what was found in the log for the next time it is opened;
	// nil means that it is read whole then. MemoryFrom is the smallest log that
	// is worth it, in bytes; 0 means 1 MiB.
	Memory     Memory
	MemoryFrom int64
	// Prepare makes a line fit to be stored. What it returns is written, what
	// it was given stays in memory. It may be called again for a retry.
	Prepare func(line []byte) ([]byte, error)
	// Resolve undoes in memory what Prepare did.
	Resolve func(line []byte) ([]byte, error)
	// Migrate brings the index of a log of an older version up to date and
	// returns what makes the line of entry i so. load gives stored lines.
	Migrate func(x *entry.Index, h entry.Header, load func(i int) ([]byte, error)) (func(i int, line []byte) ([]byte, error), error)
	// ParseSlot reads a title slot and reports whether the line is one.
	ParseSlot func(line []byte) (entry.Slot, bool)
	// Rebuild makes up a header for a log that has none, out of what is
	// legible of the torn one (nil: nothing).
	Rebuild func(torn []byte, x *entry.Index) entry.Header
	// Rest waits a moment for another program that is writing the log anew in its
	// place; nil waits 50 ms.
	Rest func(ctx context.Context) error
	// OnEvent is told what happens to the log from outside and what could not
	// be saved. It is called with the journal locked and must not call it.
	OnEvent func(Event)
	// Log is told of the first error of a failure; nil means nobody is.
	Log *slog.Logger
}

// An Event is something that happened to the log that the caller did not do.
type Event struct {
	Kind EventKind
	// From and To bound the positions of entries that others appended.
	From, To int
	// Name is the log's name now.
	Name string
	// Err is what went wrong, of Unsaved.
	Err error
}

// EventKind says what happened.
type EventKind int

// What may happen to a log.
const (
	Appended EventKind = iota + 1 // others added entries
	Replaced                      // another log took its place and was read; positions are new
	Restored                      // it was gone, or cut short, and was put back
	Moved                         // it has another name
	Unsaved                       // a write failed, entries wait
	Saved                         // what waited was written
	Unlocked                      // a lock of another program was passed over
	Gone                          // it is gone; this and the next only of a journal that reads
	Cut                           // it is shorter than it was
	Other                         // another log has its name
)

type state int

const (
	holding state = iota
	live
	closed
)

// A Journal keeps one session's log.
type Journal struct {
	opt Options

	mu     sync.Mutex // guards all below
	state  state
	log    storage.Log
	mark   storage.Mark
	size   int64 // where the next line begins, if nobody else writes
	seen   int64 // how far the log was read
	p      *part
	loader *loader
	list   *entry.List
	header entry.Header
	found  Found
	own    []int    // written since the mark was last confirmed
	queue  []int    // entries that are not in the log, in order
	batch  [][]byte // what was given to the log last, to be used again
	err    error    // latched
	loads  int      // how often the log was read whole
	draft  *Draft
	copy   duplicate // of what others wrote, in case it is cut off
	reader reader

	written int64 // appends, counted; under mu
	owed    bool  // a sync failed, and none succeeded since; under mu

	syncing sync.Mutex // held during a sync; taken without mu
	synced  int64      // appends that are durable; under syncing

	keeping sync.WaitGroup // what the memory is given
}

// A Draft is where the lines of a session wait that is not at its path yet.
type Draft struct {
	Store storage.Store
	Name  string
	// Header is the first line of the draft.
	Header []byte
	// Remove takes the draft away. It has not to be durable: a draft that is there
	// again after a power cut is one of a session that is complete without it.
	Remove func(ctx context.Context) error
}

// Open reads the log and changes nothing. A log that does not exist is no
// error: Found says Missing. The caller closes the journal.
func Open(ctx context.Context, opt Options) (*Journal, error) {
	j := &Journal{opt: opt, state: live}
	if err := j.load(ctx); err != nil {
		if errors.Is(err, storage.ErrNotExist) {
			j.found = Missing
			j.reset()
			return j, nil
		}
		if j.log != nil {
			_ = j.log.Close() // the first error is the one that matters
		}
		return nil, fmt.Errorf("open %q: %w", opt.Name, err)
	}
	return j, nil
}

// reset begins with nothing.
func (j *Journal) reset() {
	j.p = newPart(true)
	j.p.x.Rehash()
	j.own = nil
	j.loader = j.newLoader(j.p.x, nil, kept{})
	j.list = &entry.List{Index: j.p.x, Load: j.loader.body}
}

// load opens the log and reads it whole.
func (j *Journal) load(ctx context.Context) error {
	mode := storage.Read
	if j.opt.Write {
		mode = storage.Write
	}
	if j.log == nil {
		log, err := j.opt.Store.Open(ctx, j.opt.Name, mode)
		if err != nil {
			return err
		}
		j.log = log
	}
	return j.read(ctx)
}

// read reads the open log whole.
func (j *Journal) read(ctx context.Context) error {
	begun := time.Now()
	sec, size, mark, err := powers.OpenSection(ctx, j.log)
	var held kept
	var keep func(int, []byte)
	if errors.Is(err, errors.ErrUnsupported) {
		info, err := j.log.Stat(ctx)
		if err != nil {
			return err
		}
		sec, size, mark = nil, 0, info.Mark
		keep = func(i int, line []byte) { held.put(i, saved{line: append([]byte(nil), line...)}) }
	} else if err != nil {
		return err
	}
	p, news := j.recall(ctx, sec, size, mark)
	if p == nil {
		news = size
		if p, err = scan(ctx, j.log, sec, size, keep); err != nil {
			if sec != nil {
				_ = sec.Close() // nothing was written through it
			}
			return err
		}
	}
	if j.opt.Write {
		if err := j.copy.take(sec, size); err != nil {
			_ = sec.Close() // nothing was written through it
			return err
		}
	}
	if j.loader != nil {
		j.loader.src.drop()
	}
	if j.mark = mark; news >= min(size, minMemory) {
		j.remember(ctx, p, sec, size, begun)
	}
	j.loads++
	j.p, j.size, j.seen = p, size, size
	j.own = nil
	j.loader = j.newLoader(p.x, sec, held)
	j.list = &entry.List{Index: p.x, Load: j.loader.body}
	return j.settle()
}

// settle finds the header and brings an old index up to date.
func (j *Journal) settle() error {
	if err := j.fold(); err != nil {
		return err
	}
	d := &j.p.damage
	d.WrongVersion = false
	if j.found != Valid && j.found != NoHeader || j.opt.Migrate == nil {
		return nil
	}
	// Entries of version 1 have no ids, whatever a header says.
	if j.header.Version >= entry.CurrentVersion && (j.p.known == 0 || j.p.x.Named()) {
		return nil
	}
	j.p.x.Rehash() // the ids are those of before
	j.loader.fresh = j.p.x.Len()
	stale, err := j.opt.Migrate(j.p.x, j.header, j.loader.line)
	if err != nil {
		return err
	}
	if j.loader.stale = stale; stale == nil {
		j.loader.fresh = 0 // they have the names that they had
		d.WrongVersion = j.header.Version < 2 && j.p.known > 0
	}
	return nil
}

// fold makes the header of the records that are not entries.
func (j *Journal) fold() error {
	d := &j.p.damage
	d.ExtraHeaders, d.Torn = 0, j.p.torn
	j.header, j.found = entry.Header{Version: entry.CurrentVersion}, Valid
	ok := false
	var slot *entry.Slot
	for _, r := range j.p.headers {
		switch {
		case r.kind == entry.Title && !ok && slot == nil && j.opt.ParseSlot != nil:
			if s, is := j.opt.ParseSlot(r.raw); is {
				s.Len = int(r.at.Len) + 1
				slot = &s
			}
		case r.kind == entry.Session && !ok:
			j.header, ok = entry.ParseHeader(r.raw)
			j.header.Slot = slot
		case r.kind == entry.Session:
			d.ExtraHeaders++
		}
	}
	switch {
	case ok && j.header.Version > entry.CurrentVersion:
		j.found = Newer
	case ok:
	case j.p.known > 0:
		j.found, d.HeaderRebuilt = NoHeader, true
		if j.opt.Rebuild != nil {
			j.header = j.opt.Rebuild(j.tornHeader(), j.p.x)
		}
	case j.blank():
		j.found = Empty
	default:
		j.found = NotASession
	}
	return nil
}

// blank reports whether the log holds nothing but blank lines.
func (j *Journal) blank() bool {
	return j.p.damage.BadCount == 0 && j.p.damage.OtherRecords == 0 &&
		len(j.p.headers) == 0 && j.p.count() == 0
}

// tornHeader returns the bytes of the first damaged line if it stands before
// all entries, at most 64 KiB of it.
func (j *Journal) tornHeader() []byte {
	if len(j.p.damage.Bad) == 0 || j.loader.src.get() == nil {
		return nil
	}
	b := j.p.damage.Bad[0]
	if b.Line != 1 {
		return nil
	}
	raw := make([]byte, min(b.Len, 64<<10))
	if _, err := j.loader.src.get().ReadAt(raw, b.Byte); err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return raw
}

// Stored returns the line of entry i byte for byte as the log holds it: to be
// written elsewhere, so that the whole of it is looked at. The error wraps a
// [*storage.Changed] if another line stands there by now.
func (j *Journal) Stored(i int) ([]byte, error) {
	j.mu.Lock()
	l := j.loader
	j.mu.Unlock()
	if line := l.stored(i); line != nil {
		return line, nil
	}
	line, err := l.line(i)
	if err != nil {
		return nil, err
	}
	return l.whole(i, line)
}

// Found says what was there when the log was read.
func (j *Journal) Found() Found { j.mu.Lock(); defer j.mu.Unlock(); return j.found }

// Header returns the session header with its slot; a made up one if there is
// none.
func (j *Journal) Header() entry.Header { j.mu.Lock(); defer j.mu.Unlock(); return j.header }

// List returns the entries. It is replaced by another when the log is read
// anew; see Loads.
func (j *Journal) List() *entry.List { j.mu.Lock(); defer j.mu.Unlock(); return j.list }

// Snapshot returns the entries as they are now, to be read, with their lines,
// while the journal goes on, also when the log is rewritten or read anew, and
// after it is closed. The log stays open until nobody holds the list.
func (j *Journal) Snapshot() *entry.List {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.loader.lend()
	return j.list.Snapshot()
}

// Loads counts how often the log was read whole. When it changes, positions of
// before mean nothing.
func (j *Journal) Loads() int { j.mu.Lock(); defer j.mu.Unlock(); return j.loads }

// Gaps returns what is legible of damaged lines, in file order.
func (j *Journal) Gaps() []tree.Gap { j.mu.Lock(); defer j.mu.Unlock(); return j.p.gaps }

// Damage returns what was found wrong with the log: a copy to add to.
func (j *Journal) Damage() *defects.Report {
	j.mu.Lock()
	defer j.mu.Unlock()
	d := j.p.damage
	return &d
}

// Name returns the log's name now, "" for a journal in memory.
func (j *Journal) Name() string { j.mu.Lock(); defer j.mu.Unlock(); return j.opt.Name }

// Size returns the size of the log in bytes (rows, in a store of rows) as far
// as it is known.
func (j *Journal) Size() int64 { j.mu.Lock(); defer j.mu.Unlock(); return j.size }

// Mark returns the mark of what was read of the log.
func (j *Journal) Mark() storage.Mark { j.mu.Lock(); defer j.mu.Unlock(); return j.mark }

// OnDisk reports whether the log exists in its store, as far as is known.
func (j *Journal) OnDisk() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state == live && j.log != nil && j.found != Missing
}

// Old reports whether the log is of an older version than is written.
func (j *Journal) Old() bool { j.mu.Lock(); defer j.mu.Unlock(); return j.loader.stale != nil }

// Queued counts entries that are not in the log though they should be.
func (j *Journal) Queued() int { j.mu.Lock(); defer j.mu.Unlock(); return len(j.queue) }
