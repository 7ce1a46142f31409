package repair

import "context"

// A Kind says what was found, as a word: of a session file "torn", "glued", "zeros", "array",
// "scalar", "split", "syntax", "name", "header", "headers", "version", "parent", "cycle",
// "duplicate", "unusable", "firstKept", "newline" and "noBlob"; of a path as a whole
// "notSession", "special", "head", "unlisted", "blob", "temporary", "old", "lock", "backup",
// "link", "draft", "database", and those that have a name below.
type Kind string

const (
	// Unreadable is what may not be read.
	Unreadable Kind = "unreadable"
	// Interrupted is an operation whose process was killed. The command finds it.
	Interrupted Kind = "interrupted"
)

// Kinds of finding in a session file, beside those of damaged lines, which package damage
// has.
const (
	kindZeros     Kind = "zeros"     // zero bytes where a line begins, ends or should be
	kindSyntax    Kind = "syntax"    // any other line that is not JSON
	kindName      Kind = "name"      // an id that is too long
	kindHeader    Kind = "header"    // no header, or a torn one
	kindHeaders   Kind = "headers"   // a header after the first
	kindVersion   Kind = "version"   // a header that says another version than the entries are of
	kindParent    Kind = "parent"    // a parent that is nowhere
	kindCycle     Kind = "cycle"     // parents that lead back to the entry
	kindDuplicate Kind = "duplicate" // an id that several entries have
	kindUnusable  Kind = "unusable"  // an entry that says nothing usable
	kindFirstKept Kind = "firstKept" // a compaction that keeps from an entry that is not before it
	kindNewline   Kind = "newline"   // no newline after the last entry
	kindNoBlob    Kind = "noBlob"    // a reference to a blob that is not there
)

// Kinds of finding about a path as a whole.
const (
	kindNotSession Kind = "notSession" // no session, under the name of one
	kindSpecial    Kind = "special"    // no regular file, under the name of a session
	kindHead       Kind = "head"       // what a store says of it is not what it holds
	kindUnlisted   Kind = "unlisted"   // a session where no program looks for it
	kindBlob       Kind = "blob"       // a blob whose bytes are not those of its name
	kindTemporary  Kind = "temporary"  // what an interrupted rewrite left
	kindOld        Kind = "old"        // the old file of an interrupted rewrite
	kindLock       Kind = "lock"       // a lock whose owner is gone
	kindBackup     Kind = "backup"     // bytes that were kept
	kindLink       Kind = "link"       // a symbolic link beside a session
	kindDraft      Kind = "draft"      // a prompt that never reached its session
	kindDatabase   Kind = "database"   // a database that cannot be read
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
