package session

// Rest makes what the session keeps in memory smaller, for one that is expected to
// do nothing for a while: what is kept in case somebody cuts its log short is
// packed. It takes about 10 ms for each MB of the log, up to 16 MB, and holds up
// nobody. It may be called whenever much was read; on a closed session it does
// nothing.
func (s *Session) Rest() {
	s.mu.Lock()
	if s.closed || s.cur == nil {
		s.mu.Unlock()
		return
	}
	s.cur.walked = walk{}
	log := s.cur.log
	s.mu.Unlock()
	log.Pack()
}
