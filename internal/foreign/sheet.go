package foreign

import (
	"context"

	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/layout"
)

// A Scribe is a Program for which sessions can be written.
type Scribe interface {
	Program
	// Write returns the file of a new session. It is a function of the sheet. The error is
	// that of ctx where it ended.
	Write(ctx context.Context, s Sheet) (Written, error)
}

// A Sheet is a session that is to be written for a program.
type Sheet struct {
	// ID is the id of the new session, a UUID. CWD is its working directory, Time when it was
	// begun, as the programs write it, and Title its name, "" for none.
	ID, CWD, Time, Title string
	// Parent is the id of the session that it is made of.
	Parent string
	// From is the dialect that the entries are of.
	From dialect.Name
	// Lines are the entries in the spelling of pi, each with an id of its own, behind its
	// parent. What a conversion added is among them.
	Lines []entry.JSON
	// Leaf is the id of the entry on whose branch the session goes on, "" for none.
	Leaf string
	// Env is the machine on which the program looks for it.
	Env layout.Env
}

// A Written is a session as a program keeps it.
type Written struct {
	// ID is the id of the session there, "" for that of the sheet.
	ID string
	// Name is where the program looks for it, Text the file.
	Name string
	Text []byte
	// Beside says that what lies beside a session lies beside it there, too.
	Beside bool
	// Left says why an entry is not told to the model there as it was: for its place among
	// the lines. It is in the file nevertheless.
	Left map[int]convert.Reason
}

// Aside reports whether a message is one that the model is not sent: a command that was run
// aside.
func Aside(message entry.JSON) bool {
	v, _ := jsonedit.Get(message, "excludeFromContext")
	is, _ := jsonedit.Bool(v)
	return is
}

// Reasons why an entry is not told as it was.
const (
	// Silent: the program has no such entry; it is kept beside the others.
	Silent convert.Reason = "silent"
	// Unsigned: reasoning without a signature that the program's provider takes.
	Unsigned convert.Reason = "unsigned"
	// Renamed: a call of a tool that the program has under another name.
	Renamed convert.Reason = "tool"
	// Elsewhere: of a branch that is not the leaf's, where the program has no others.
	Elsewhere convert.Reason = "branch"
	// Reworded: told as a text.
	Reworded convert.Reason = "text"
)
