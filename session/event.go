package session

import (
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/presence"
)

// EventKind says what happened to a session without its user's doing, or with
// consequences beyond the call that did it.
type EventKind int

// Kinds of event.
const (
	// Appended: entries were added, by this session or, when Foreign, by
	// another writer. IDs lists them, oldest first.
	Appended EventKind = iota + 1
	// Replaced: the log was rewritten by somebody; entries may differ.
	Replaced
	// Restored: lines that were lost from the log were put back.
	Restored
	// Unsaved: entries could not be written. Err says why.
	Unsaved
	// Busy: another process has the same session open for writing (Holders
	// says who, when a session is opened), writes it, or holds its lock.
	Busy
	// Gone: a log that was opened to read is not there any more.
	Gone
	// Moved: the log has another name now. Text is that name.
	Moved
	// Renamed: the session has another name. Text is the name, "" for none.
	Renamed
	// Tips: the session has live branches beside the leaf's. IDs lists their
	// last entries, newest last. Sent once, by opening.
	Tips
)

// String returns the kind as it is called on the wire.
func (k EventKind) String() string {
	switch k {
	case Appended:
		return "appended"
	case Replaced:
		return "replaced"
	case Restored:
		return "restored"
	case Unsaved:
		return "unsaved"
	case Busy:
		return "busy"
	case Gone:
		return "gone"
	case Moved:
		return "moved"
	case Renamed:
		return "renamed"
	case Tips:
		return "tips"
	}
	return "unknown"
}

// An Event is told to Options.OnEvent.
type Event struct {
	// Kind says what happened.
	Kind EventKind
	// IDs are the entries it is about, if any.
	IDs []entry.ID
	// Foreign says that another writer did it.
	Foreign bool
	// Err is the cause of Unsaved.
	Err error
	// Holders are those of Busy, as far as they are known.
	Holders []presence.Holder
	// Text says the rest in words.
	Text string
}

// A Visit says which session is in use now, and where: what the notes about
// terminals keep (published P1).
type Visit struct {
	// Agent is the session's dialect.
	Agent dialect.Name
	// CWD is its working directory, Path its log.
	CWD, Path string
	// Fresh says that there is no log at the path yet.
	Fresh bool
}

// visit tells Options.OnVisit which session is in use, when that is another
// than before, elsewhere than before, or first written since. Sessions that are
// only looked at, or kept in memory, are not told of. It is called with the lock held.
func (s *Session) visit() {
	if s.opt.OnVisit == nil || s.cur == nil || s.closed || s.cur.why != "" {
		return
	}
	b := s.cur
	now := Visit{Agent: b.rules.Name, CWD: b.cwd, Path: b.log.Name(), Fresh: !b.log.OnDisk()}
	if now.Path == "" || now == s.visited {
		return
	}
	s.visited = now
	s.opt.OnVisit(now)
}
