// Package defects says what was found wrong with the log of a session: which lines, in
// which way, and what was read all the same.
package defects

import (
	"fmt"
	"strings"
)

// MaxTold is how much of each kind of damage a report describes; more is only counted.
const MaxTold = 10_000

// A Report is what was found wrong with a session's log. It costs only itself:
// all that is not listed here was read. The zero Report is a healthy session.
type Report struct {
	// Bad are the lines that are not one JSON object, in file order, at most
	// 10,000 of them; BadCount counts all.
	Bad      []Bad `json:"bad,omitempty"`
	BadCount int   `json:"badCount,omitzero"`
	// Recovered counts entries that were read out of bad lines.
	Recovered int `json:"recovered,omitzero"`
	// Healed are entries whose parent is nowhere, with where they hang now, at most
	// 10,000 of them; HealedMore counts the others.
	Healed     []Heal `json:"healed,omitempty"`
	HealedMore int    `json:"healedMore,omitzero"`
	// Cycles are entries whose parents lead back to them, of each cycle the
	// first.
	Cycles []Flag `json:"cycles,omitempty"`
	// Duplicates are ids that more than one entry has.
	Duplicates []Duplicate `json:"duplicates,omitempty"`
	// Flagged are entries that could be read but not used as they are: a
	// message that is no object, for instance, at most 10,000 of them; FlaggedMore
	// counts the others.
	Flagged     []Flag `json:"flagged,omitempty"`
	FlaggedMore int    `json:"flaggedMore,omitzero"`
	// MissingBlobs are references to blobs that are not in the blob store,
	// or whose bytes are not those of their hash.
	MissingBlobs []MissingBlob `json:"missingBlobs,omitempty"`
	// DanglingFirstKept are compactions whose firstKeptEntryId stands
	// nowhere before them on their branch.
	DanglingFirstKept []Flag `json:"danglingFirstKept,omitempty"`
	// HeaderRebuilt says that the header was missing or torn and was made
	// up from the file's name and its entries. Such a session is read-only.
	HeaderRebuilt bool `json:"headerRebuilt,omitzero"`
	// WrongVersion says that the header says version 1 and the entries have ids, as
	// those of later versions do: it is not believed.
	WrongVersion bool `json:"wrongVersion,omitzero"`
	// ExtraHeaders counts later records of type "session".
	ExtraHeaders int `json:"extraHeaders,omitzero"`
	// OtherRecords counts objects before the header that are not entries.
	OtherRecords int `json:"otherRecords,omitzero"`
	// Array says that the log is a JSON array of its entries, not a line for each. Such
	// a session is read-only.
	Array bool `json:"array,omitzero"`
	// Torn says that the log does not end with a newline.
	Torn bool `json:"torn,omitzero"`
}

// A Bad is one damaged line.
type Bad struct {
	// Line is its number from 1, Byte where it begins in the log (the row
	// number in a store without bytes), Len its length in bytes.
	Line int   `json:"line"`
	Byte int64 `json:"byte"`
	Len  int64 `json:"len"`
	// Lines is how many physical lines it covers.
	Lines int `json:"lines,omitzero"`
	// Kind is one of the Bad… constants.
	Kind string `json:"kind"`
	// Reason says what is wrong with it, and where in the line.
	Reason string `json:"reason"`
	// ID and ParentID are what is still legible of them.
	ID       string `json:"id,omitempty"`
	ParentID string `json:"parentId,omitempty"`
	// Recovered is how many entries were read out of it.
	Recovered int `json:"recovered,omitzero"`
}

// Kinds of damaged line.
const (
	BadTorn   = "torn"   // ends before its object does
	BadGlued  = "glued"  // holds more than one object, or one and more
	BadZeros  = "zeros"  // holds nothing but NUL bytes
	BadArray  = "array"  // a JSON array of entries, or a part of it
	BadScalar = "scalar" // a JSON value that is not an object
	BadSplit  = "split"  // one object written over several lines
	BadSyntax = "syntax" // anything else
	BadName   = "name"   // an id that is too long to index
)

// A Heal is an entry whose parent is nowhere.
type Heal struct {
	Line     int    `json:"line"`
	ID       string `json:"id,omitempty"`
	ParentID string `json:"parentId,omitempty"`
	// To is the id of the entry it hangs on now, "" when that has none, and
	// ToLine its line.
	To     string `json:"to,omitempty"`
	ToLine int    `json:"toLine,omitempty"`
}

// A Duplicate is an id that several entries have, with their lines.
type Duplicate struct {
	ID    string `json:"id"`
	Lines []int  `json:"lines"`
}

// A Flag is an entry with something wrong in it.
type Flag struct {
	Line   int    `json:"line"`
	ID     string `json:"id,omitempty"`
	Detail string `json:"detail"`
}

// A MissingBlob is a reference that cannot be resolved.
type MissingBlob struct {
	Line   int    `json:"line"`
	ID     string `json:"id,omitempty"`
	Ref    string `json:"ref"`
	Detail string `json:"detail"`
}

// Of returns the report behind what a session shows of it, which must be one of this
// package.
func Of(shown any) *Report { return shown.(*Report) }

// Unreadable returns how many lines are not one JSON object.
func (d *Report) Unreadable() int { return d.BadCount }

// Any reports whether anything is wrong.
func (d *Report) Any() bool {
	return d != nil && (d.BadCount > 0 || len(d.Healed) > 0 || len(d.Cycles) > 0 || len(d.Duplicates) > 0 ||
		len(d.Flagged) > 0 || len(d.MissingBlobs) > 0 || len(d.DanglingFirstKept) > 0 ||
		d.HeaderRebuilt || d.WrongVersion || d.ExtraHeaders > 0 || d.Torn)
}

// String returns the report as one line, "" when nothing is wrong.
func (d *Report) String() string {
	if !d.Any() {
		return ""
	}
	var parts []string
	count := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	if d.HeaderRebuilt {
		parts = append(parts, "header missing or torn")
	}
	if d.WrongVersion {
		parts = append(parts, "header with another version than the entries")
	}
	if d.Array {
		parts = append(parts, "written as a JSON array")
	}
	if d.BadCount == 1 && len(d.Bad) == 1 {
		b := d.Bad[0]
		parts = append(parts, fmt.Sprintf("1 damaged line (line %d, byte %d: %s)", b.Line, b.Byte, b.Reason))
	} else if d.BadCount > 0 && len(d.Bad) > 0 {
		parts = append(parts, fmt.Sprintf("%d damaged lines (first at line %d, byte %d)", d.BadCount, d.Bad[0].Line, d.Bad[0].Byte))
	}
	count(d.Recovered, "entry recovered from them", "entries recovered from them")
	count(len(d.Healed)+d.HealedMore, "missing parent", "missing parents")
	count(len(d.Cycles), "cycle of parents", "cycles of parents")
	count(len(d.Duplicates), "duplicate id", "duplicate ids")
	count(len(d.Flagged)+d.FlaggedMore, "unusable entry", "unusable entries")
	count(len(d.MissingBlobs), "missing blob", "missing blobs")
	count(len(d.DanglingFirstKept), "compaction with a dangling firstKeptEntryId", "compactions with a dangling firstKeptEntryId")
	count(d.ExtraHeaders, "further header", "further headers")
	if d.Torn && d.BadCount == 0 {
		parts = append(parts, "no newline at the end")
	}
	return strings.Join(parts, ", ")
}
