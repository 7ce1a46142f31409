package repair

import "context"

// A Kind says what was found.
type Kind string

// Kinds of finding in a session file. The first eight are those of damaged
// lines, see package session.
const (
	Torn      Kind = "torn"      // a line that ends before its object does
	Glued     Kind = "glued"     // a line with more than one object, or one and more
	Zeros     Kind = "zeros"     // zero bytes where a line begins, ends or should be
	Array     Kind = "array"     // a JSON array of entries, or a part of it
	Scalar    Kind = "scalar"    // a line with a JSON value that is no object
	Split     Kind = "split"     // one object over several lines
	Syntax    Kind = "syntax"    // any other line that is not JSON
	Name      Kind = "name"      // an id that is too long
	Header    Kind = "header"    // no header, or a torn one
	Headers   Kind = "headers"   // a header after the first
	Version   Kind = "version"   // a header that says another version than the entries are of
	Parent    Kind = "parent"    // a parent that is nowhere
	Cycle     Kind = "cycle"     // parents that lead back to the entry
	Duplicate Kind = "duplicate" // an id that several entries have
	Unusable  Kind = "unusable"  // an entry that says nothing usable
	FirstKept Kind = "firstKept" // a compaction that keeps from an entry that is not before it
	Newline   Kind = "newline"   // no newline after the last entry
	NoBlob    Kind = "noBlob"    // a reference to a blob that is not there
)

// Kinds of finding about a path as a whole.
const (
	NotSession Kind = "notSession" // no session, under the name of one
	Special    Kind = "special"    // no regular file, under the name of a session
	Unreadable Kind = "unreadable" // may not be read
	Head       Kind = "head"       // what a store says of it is not what it holds
	Unlisted   Kind = "unlisted"   // a session where no program looks for it
	Blob       Kind = "blob"       // a blob whose bytes are not those of its name
	Temporary  Kind = "temporary"  // what an interrupted rewrite left
	Old        Kind = "old"        // the old file of an interrupted rewrite
	Lock       Kind = "lock"       // a lock whose owner is gone
	Backup     Kind = "backup"     // bytes that were kept
	Link       Kind = "link"       // a symbolic link beside a session
	Draft      Kind = "draft"      // a prompt that never reached its session
	Database   Kind = "database"   // a database that cannot be read
	// Interrupted is an operation whose process was killed. The command finds it.
	Interrupted Kind = "interrupted"
)

// A Finding is one thing that is wrong, or worth knowing.
type Finding struct {
	// Path is the file that it is about.
	Path string
	// Kind says what it is.
	Kind Kind
	// Line is where, from 1; 0 for the file as a whole.
	Line int
	// Byte is where the line, or what is wrong in it, begins; -1 for the file
	// as a whole.
	Byte int64
	// Detail says what is wrong.
	Detail string
	// Plan says what a repair does about it, or why it does nothing.
	Plan string
	// Fixable says that a repair does something.
	Fixable bool
	// Note says that nothing is wrong: it is only worth knowing.
	Note bool
	// Fixed says that it was repaired.
	Fixed bool
	// UndoID names the operation that takes the repair back, "" for none.
	UndoID string
}

// A Report is what was found at one path.
type Report struct {
	// Path is the file.
	Path string
	// Findings are in the order of lines.
	Findings []Finding

	fix func(context.Context) (undo string, err error) // nil: there is nothing to do
}

// Damaged reports whether anything is wrong.
func (r *Report) Damaged() bool {
	for _, f := range r.Findings {
		if !f.Note {
			return true
		}
	}
	return false
}

// Fixable reports whether a repair does something.
func (r *Report) Fixable() bool {
	for _, f := range r.Findings {
		if f.Fixable && !f.Fixed {
			return true
		}
	}
	return false
}

func (r *Report) add(f Finding) {
	f.Path = r.Path
	r.Findings = append(r.Findings, f)
}

// whole adds a finding about the file as a whole.
func (r *Report) whole(f Finding) {
	f.Byte = -1
	r.add(f)
}
