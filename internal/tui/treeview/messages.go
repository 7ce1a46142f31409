package treeview

import tea "charm.land/bubbletea/v2"

// Opened brings the outline of the session, at first and whenever it changed, or
// says why there is none. What is selected stays so, by id.
type Opened struct {
	Outline *Outline
	Err     error
}

// A Gist says on one line what an entry says. It is stored text, as it is.
type Gist struct {
	// Entry is its position.
	Entry int
	// Who says it, in a word: "user", "bash", "compaction".
	Who string
	// Text is the beginning of it.
	Text string
	// Bad says that it failed, or cannot be read.
	Bad bool
}

// Gists answers Options.Gists.
type Gists struct{ All []Gist }

// Body answers Options.Body: all that an entry says, as it is stored.
type Body struct {
	// Entry is its position.
	Entry int
	// Text is what it says; Clipped is how many bytes of it are left out.
	Text    string
	Clipped int64
	// Notes are what else is to be known, a line each.
	Notes []string
}

// A Search asks in which entries every one of some words is found, upper and
// lower case alike. It takes the place of the search before it, which need not
// be answered any more.
type Search struct {
	// Seq is to be given back with the answers.
	Seq int
	// Words are what was typed, in lower case.
	Words []string
}

// Matches is an answer to a Search.
type Matches struct {
	// Seq is that of the Search; answers to another one are passed over.
	Seq int
	// Found are entries, by position.
	Found []int
	// Done says that there are no more.
	Done bool
	// Next, if not nil, waits for the next answer.
	Next tea.Cmd
}

// Told is a line for the person: what came of a wish.
type Told struct {
	Text string
	// Bad says that something did not succeed.
	Bad bool
}

// Resume wants to go on with the session from an entry. Leaf says that it goes
// on from there anyway.
type Resume struct {
	ID   string
	Leaf bool
}

// Fork wants a new session that holds the way to an entry.
type Fork struct{ ID string }

// Copy wants the id of an entry in the clipboard.
type Copy struct{ ID string }

// Read wants to read the session from an entry on; an ID of "" is its end.
type Read struct{ ID string }

// Label wants an entry to have a name; "" takes it away. It is answered by
// Opened, or by Told when it cannot be.
type Label struct{ ID, Text string }

// Back wants to leave the tree, to where it was opened from.
type Back struct{}

// Exit wants to leave the program.
type Exit struct{}
