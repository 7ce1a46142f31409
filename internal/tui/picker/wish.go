package picker

// Chosen says that a session was chosen. It is the last message of a picker that
// is not opened again.
type Chosen struct{ Path string }

// Cancelled says that none was chosen.
type Cancelled struct{}

// Exit says that the person wants to leave the program.
type Exit struct{}

// Rename wants a session to have a name.
type Rename struct{ Path, Name string }

// Label wants the entry at which a session goes on to have a label; "" takes it
// away.
type Label struct{ Path, Text string }

// Pin wants sessions to be on top, or no longer. It is answered by Pinned.
type Pin struct {
	Paths []string
	On    bool
}

// Delete wants sessions to be moved to the trash; it was confirmed.
type Delete struct{ Paths []string }

// Undo wants the last change to be taken back.
type Undo struct{}

// Fork wants a copy of a session beside it.
type Fork struct{ Path string }

// Move wants a session to belong to another directory, as the person named it.
type Move struct{ Path, Dir string }

// Copy wants the paths of sessions in the clipboard.
type Copy struct{ Paths []string }

// Tree wants to see the entries of a session.
type Tree struct{ Path string }

// Costs wants to see what sessions cost.
type Costs struct{}

// Read wants to read a session, from where what is searched for was found in its texts.
type Read struct {
	Path string
	// Entry is the id of the entry to begin at, "" for the end.
	Entry string
	// Terms are what is searched for.
	Terms []Term
}
