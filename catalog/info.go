package catalog

import (
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/presence"
)

// An Info describes one session.
type Info struct {
	// Path is the session's file, absolute.
	Path string
	// ID, CWD and Parent are the header's; Parent is an id or a path.
	ID, CWD, Parent string
	// Agent is the dialect.
	Agent dialect.Name
	// Title is the session's name, else the short summary of its last
	// compaction (published P3), else "".
	Title string
	// Named says that Title is a name that somebody gave.
	Named bool
	// Created is the header's timestamp; zero when it has none.
	Created time.Time
	// Modified is when the session last changed: the time of the last user or
	// assistant message for pi, of the file for the others.
	Modified time.Time
	// ModTime is when the file last changed.
	ModTime time.Time
	// Messages counts the message entries.
	Messages int
	// FirstMessage is the text of the first user message, "(no messages)"
	// when there is none (published P3); of a longer one the first 64 KiB.
	FirstMessage string
	// Text is the text of all user and assistant messages, joined by spaces,
	// if it was asked for.
	Text string
	// Size is the file's size in bytes.
	Size int64
	// Status is how the conversation stands.
	Status Status
	// Usage sums what the session's own answers took and cost. What a fork
	// copied of the session it came from is in Inherited instead, so that the
	// sum of Usage over a lineage counts every answer once.
	Usage, Inherited Usage
	// Model is the model of the last answer, as "provider/id"; "" when there
	// was none.
	Model string
	// Forked says that the session began as a copy of another: Parent is set,
	// and entries of it were copied.
	Forked bool
	// Pinned says that the agent's own list of pins names the session (omp).
	Pinned bool
	// Tips are the ids of the ends of other live branches than the one where
	// the session goes on, in file order.
	Tips []string
	// Busy are those who have the session open for writing, or seem to, those
	// that are known first. Scan leaves it nil: whoever has a presence fills it.
	Busy []presence.Holder
	// Damaged says that something is wrong with the file, Detail what.
	Damaged bool
	Detail  string
}

// hollow reports whether nothing is in the session to go on with: no message, and in
// omp's lists, which keep what was named (18.3), no name either.
func (i *Info) hollow() bool {
	return i.Messages <= 0 && !(i.Agent == dialect.Omp && i.Named)
}

// NoMessages stands for the first message of a session that has none.
const NoMessages = "(no messages)"

// Status says how a conversation stands, told by its last message (omp
// 18.2.3).
type Status string

// What a status may be.
const (
	Complete    Status = "complete"    // an answer that ended
	Interrupted Status = "interrupted" // a call without result, or a cut answer
	Aborted     Status = "aborted"     // an answer that was stopped
	Failed      Status = "error"       // an answer that failed
	Pending     Status = "pending"     // a prompt without an answer
	UnknownEnd  Status = "unknown"     // anything else
)
