// Package storage keeps named append-only logs of lines. It knows bytes only:
// what a line means is the caller's business.
//
// A [Store] opens logs by name; a [Log] is appended to, read and, rarely,
// replaced whole. The words:
//
//   - A line is any bytes without a line feed. A store that has bytes ends
//     each with one; a store of rows keeps none.
//   - A [Mark] is what a caller knows of a log: this log, up to here. Whoever
//     writes gives the mark of what it has seen. If the log is no longer so,
//     nothing is written and the error is a [*Changed] that says what became
//     of it and the mark to go on with.
//
// The two interfaces hold what every store can do. What only some can do are the
// powers, each an interface of its own: [Syncer], [Watcher], [Leaser].
//
// The rules for writing are those of the log, not of the caller: one write of
// whole lines, under a lock, after checking that the log is the one the caller
// knows. See package storage/local for how it is done on a disk.
package storage

import (
	"context"
	"io/fs"
	"iter"
)

// Mode says what a log is opened for.
type Mode int

// Modes of opening.
const (
	// Read opens a log that exists, and never changes anything.
	Read Mode = iota
	// Write opens a log that exists, to read and append.
	Write
	// Create begins a log that does not exist. Nothing is stored before the
	// first Append, which is given the zero Mark and fails with ErrExist if
	// the name was taken meanwhile.
	Create
)

// String returns the name of the mode in lower case.
func (m Mode) String() string {
	switch m {
	case Read:
		return "read"
	case Write:
		return "write"
	case Create:
		return "create"
	}
	return "unknown"
}

// Store holds logs by name. A name is the store's own (package storage/local:
// an absolute path); names are grouped into directories by "/". A Store is
// safe for concurrent use. Errors wrap the sentinels of this package.
type Store interface {
	// Open opens the log of that name. The caller closes it.
	Open(ctx context.Context, name string, mode Mode) (Log, error)
	// List describes what is directly in a directory, in the order of names,
	// what is not a log included: see Info.Mode. A directory that is not there
	// yields ErrNotExist.
	List(ctx context.Context, dir string) iter.Seq2[Info, error]
	// Stat describes one name, without following a link.
	Stat(ctx context.Context, name string) (Info, error)
	// Rename gives a log another name. It never replaces: ErrExist if new is
	// taken. A log of that name which is open anywhere goes on under the new
	// name, after one Append answered with a *Changed of kind Moved.
	Rename(ctx context.Context, old, new string) error
	// Remove ends a log.
	Remove(ctx context.Context, name string) error
}

// Log is one log, opened. It is safe for concurrent use; appends of one Log
// happen one after the other. A method called after Close fails with
// fs.ErrClosed.
type Log interface {
	// Append adds all lines, in one write, if the log is as after says, and
	// returns the mark that follows them. The zero Mark stands for a log that
	// is not there yet.
	//
	// An error that is a *Changed: nothing was written. An error that is a
	// *Partial: so many lines are in place, the returned mark follows those,
	// and the rest can be given again with it. Any other error: nothing is in
	// place and after still holds.
	//
	// The returned mark covers only what the caller gave or has seen. When a
	// writer that takes no lock slips in between, the mark stays before its
	// lines: the next Append answers Grown, and reading from the mark may give
	// lines again that this caller wrote.
	//
	// A line must not hold a line feed; no lines at all is only the check. The
	// lines are not kept after the call.
	Append(ctx context.Context, after Mark, lines [][]byte) (Mark, error)
	// Read gives the lines after a mark, all of them for the zero Mark, up to
	// what the log holds when the reading begins. A last line that was not
	// whole at the mark is given again from its start. If the log is not the
	// one the mark knows, the sequence ends with a *Changed.
	Read(ctx context.Context, from Mark) iter.Seq2[Line, error]
	// ReadTail returns the last lines that fit in n bytes together, line feeds
	// counted, oldest first. There are none if the last one is longer than n.
	// The bytes belong to the caller.
	ReadTail(ctx context.Context, n int64) ([]Line, error)
	// Replace puts a new content in place of the whole log: what rewrite gives
	// when it is given the log as it is now. It is all or nothing: on any
	// error the log is as it was. What other writers append meanwhile is
	// carried over behind the new content. The marks of before are stale
	// afterwards, for every Log of that name.
	//
	// rewrite takes each line with its error and gives lines without line
	// feed; it gives every line that it does not mean to change as it came.
	// An error that it yields ends the Replace and is returned.
	Replace(ctx context.Context, at Mark, rewrite Rewrite) (Mark, error)
	// Stat describes the log as it is now. Its mark is that of the whole log:
	// only who reads all of it may append with it. For a log not yet begun the
	// error is ErrNotExist.
	Stat(ctx context.Context) (Info, error)
	// Close gives back what the log holds. It does not sync.
	Close() error
}

// Rewrite makes the new lines of a log of its old ones. The bytes of each are
// valid until the next step, on both sides.
type Rewrite = func(iter.Seq2[Line, error]) iter.Seq2[[]byte, error]

// Line is one line as it was read.
type Line struct {
	// Bytes is the line without its line feed; a carriage return before it is
	// part of the line. Valid until the next step of the sequence.
	Bytes []byte
	// Pos is where the line starts: a byte offset, or the number of the row
	// from 0 in a store of rows.
	Pos int64
	// LF is false only for a last line without line feed.
	LF bool
}

// Info describes a name in a store.
type Info struct {
	// Name is the whole name, as Open takes it.
	Name string
	// Mark is that of the log's end; zero for what is not a log.
	Mark Mark
	// Size is the number of bytes, line feeds included.
	Size int64
	// ModTime is when the content last changed, in nanoseconds since 1970.
	ModTime int64
	// Mode tells logs (regular) from directories, links and what else there
	// may be, and holds the permission bits where there are any.
	Mode fs.FileMode
	// Target is what a link leads to in the end, not resolved further; empty
	// for all else.
	Target string
}

// IsLog reports whether the name is that of a log.
func (i Info) IsLog() bool { return i.Mode.IsRegular() }
