package session

import "github.com/cambium-dev/cambium/dialect"

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
