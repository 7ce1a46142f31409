package picker

import (
	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/catalog"
)

// An Item is a session to be listed.
type Item struct {
	// Info describes it, with Busy and Pinned.
	Info catalog.Info
	// Here says that it belongs to this project.
	Here bool
}

// Found brings sessions: new ones, and those that are described anew, by path.
type Found struct{ Items []Item }

// Gone takes sessions out of the list.
type Gone struct{ Paths []string }

// Progress says how many of how many sessions were read.
type Progress struct{ Done, Total int }

// Done says that all sessions were brought. Err is why some are missing, nil if
// none is.
type Done struct{ Err error }

// Away says, on a line that stays, that the store of the sessions does not answer, and
// what is listed instead; an empty Text that it does again.
type Away struct{ Text string }

// Pinned says that sessions are on top, or no longer.
type Pinned struct {
	Paths []string
	On    bool
}

// Told is a line for the person: what came of a wish.
type Told struct {
	Text string
	// Bad says that something did not succeed.
	Bad bool
	// Undo says that it can be taken back by the key for it.
	Undo bool
}

// A Search asks for the sessions in whose texts something is found. It takes the
// place of the search before it, which need not be answered any more.
type Search struct {
	// Seq is to be given back with the answers.
	Seq int
	// Terms are what to look for, each by itself.
	Terms []Term
}

// Matches is an answer to a Search.
type Matches struct {
	// Seq is that of the Search; answers to another one are passed over.
	Seq int
	// Term is the place of what was looked for in Search.Terms.
	Term int
	// Found are sessions in which it was found.
	Found []TextMatch
	// Done says that there are no more of Term, Err that some may be missing.
	Done bool
	Err  error
	// Next, if not nil, waits for the next answer.
	Next tea.Cmd
}

// A TextMatch is where in the text of a session something was found.
type TextMatch struct {
	// Path is the session's.
	Path string
	// Snippet is text around it, on one line; Ranges are where in it that
	// stands, start and end in UTF-16 units, ascending.
	Snippet string
	Ranges  [][2]int
	// Role is who said it.
	Role string
	// Entry is the id of the entry, "" for none.
	Entry string
}

// A Preview is what is shown of a session beside the list. It is stored text, as
// it is.
type Preview struct {
	// Path is the session's.
	Path string
	// First is the first prompt, "" when it is not known.
	First string
	// Last are the last messages of the branch where the session goes on, in
	// order.
	Last []Said
	// Labels and Tips are the entries with a name and the ends of other live
	// branches; nil until they are known.
	Labels, Tips []Place
	// Notes are what is wrong with the session.
	Notes []string
	// Err is why there is nothing to show.
	Err error
	// Next, if not nil, waits for a fuller preview.
	Next tea.Cmd
}

// Said is a message in a preview.
type Said struct{ Role, Text string }

// A Place is an entry in a preview.
type Place struct {
	// Name is its label or its id, Text what it says.
	Name, Text string
}
