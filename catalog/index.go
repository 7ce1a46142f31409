package catalog

import (
	"context"
	"iter"
)

// A Stamp says which state of which file a record describes: a file with the
// same stamp is not read again.
type Stamp struct {
	Dev, Ino uint64
	// Size is in bytes, ModTime in nanoseconds since 1970.
	Size, ModTime int64
}

// A Record is what an index keeps of one session file.
type Record struct {
	// Path is the file's name, absolute.
	Path string
	// Stamp is the file's state that was read; of a symbolic link that of the
	// file it leads to.
	Stamp Stamp
	// Info describes the session. Its Text, Busy and Pinned are not kept.
	Info Info
	// None says that the file was read and is no session.
	None bool
}

// An Index keeps what was found, so that a file that did not change is never
// read again. It is never the truth and never required: an error of it is told
// once ([Options.Trouble]) and the answer is complete without it. It must be
// safe for concurrent use.
type Index interface {
	// Known yields what is kept of every file. An error ends it. A listing asks
	// for it while it looks for files.
	Known(ctx context.Context) iter.Seq2[Record, error]
	// Keep replaces what is kept of the files of records and forgets those of
	// gone. It does not hold on to either.
	Keep(ctx context.Context, records []Record, gone []string) error
}

// A PackedIndex is an [Index] that hands its records over as it keeps them: of
// most, little is asked.
type PackedIndex interface {
	Index
	// Packed yields what [AppendRecord] made of every record, each until the next
	// one is asked for. An error ends it. No method is called meanwhile.
	Packed(ctx context.Context) iter.Seq2[[]byte, error]
}
