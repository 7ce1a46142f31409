package readview

import tea "charm.land/bubbletea/v2"

// A Sort says what a row is.
type Sort uint8

// The sorts of rows.
const (
	// Entry is an entry of no other sort.
	Entry Sort = iota
	// Prompt is what a person said.
	Prompt
	// Tool is what a tool or a command put out.
	Tool
	// Compaction sums up what is above it.
	Compaction
	// Fork is a branch point: other branches leave behind the entry.
	Fork
)

// A Row is an entry of the branch that is read, or a branch point on it.
type Row struct {
	Sort Sort
	// Entry is the position of the entry; of a branch point that of the one it is
	// behind, -1 for the beginning of the session.
	Entry int
}

// Facts are what is shown of a session as a whole.
type Facts struct {
	// Name is the session's name, or what stands for it.
	Name string
	// Elsewhere says that the branch is not the one on which the session goes on.
	Elsewhere bool
}

// Opened brings a branch of the session, or says why there is none.
type Opened struct {
	Rows  []Row
	Facts Facts
	// At is the row to begin at, -1 for the end.
	At int
	// Bodies are what some rows say already.
	Bodies []Body
	Err    error
	// Next, if not nil, answers with Noted.
	Next tea.Cmd
}

// Noted says what is wrong with the session. It is said at first; a badge stays.
type Noted struct{ Notes []string }

// A Body is what a row says.
type Body struct {
	Row int
	Passage
	// Size is how many bytes it has, about.
	Size int
}

// Bodies answers Options.Read.
type Bodies struct {
	// Of is the first row of the branch that was asked for: answers about another
	// branch are passed over.
	Of  *Row
	All []Body
}

// A Search asks in which rows all of something stands. It takes the place of the search before
// it, which need not be answered any more.
type Search struct {
	// Seq is to be given back with the answers.
	Seq int
	// All are what is looked for.
	All []Pattern
	// From is the row to begin at; those above it come last.
	From int
}

// Hits is an answer to a Search.
type Hits struct {
	// Seq is that of the Search; answers to another one are passed over.
	Seq int
	// Rows are rows in which it stands.
	Rows []int
	// Done says that there are no more.
	Done bool
	// Next, if not nil, waits for the next answer.
	Next tea.Cmd
}

// A Seek asks for the next row with an error, from a row on.
type Seek struct {
	// Seq is to be given back with the answer.
	Seq int
	// From is the row beside which to begin, By is 1 to look below it and -1 above.
	From, By int
}

// Sought answers a Seek.
type Sought struct {
	// Seq and By are those of the Seek.
	Seq, By int
	// Row is the row, -1 for none.
	Row int
}

// A Turn asks for another branch from a branch point. It is answered by Opened, or by
// Told when there is none.
type Turn struct {
	// Behind is the entry behind which it leaves, -1 for the beginning.
	Behind int
	// To is its first entry, -1 for the next one in order.
	To int
}

// Told is a line for the person: what came of a wish.
type Told struct {
	Text string
	// Bad says that something did not succeed.
	Bad bool
}

// Resume wants to go on with the session from an entry, by its position. It is answered
// by Told when that cannot be.
type Resume struct{ Entry int }

// Edit wants a text in the person's editor. What becomes of it there is of no account.
type Edit struct{ Text string }

// Copy wants a text in the clipboard. What says what it is.
type Copy struct{ Text, What string }

// Back wants to leave the reader, to where it was opened from.
type Back struct{}

// Exit wants to leave the program.
type Exit struct{}
