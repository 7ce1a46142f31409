package journal

import (
	"sync"

	"github.com/cambium-dev/cambium/internal/powers"
)

// A source is the bytes of a log that is open for reading, with a count of who
// reads them: contexts of the session may do so longer than the journal. It is
// safe for concurrent use.
type source struct {
	mu    sync.Mutex
	sec   powers.Section // nil in a store without bytes
	users int
}

// newSource returns a source with one user.
func newSource(sec powers.Section) *source { return &source{sec: sec, users: 1} }

// get returns the bytes, nil if there are none.
func (s *source) get() powers.Section {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sec
}

// set puts other bytes of the same log in the place of those that it returns.
func (s *source) set(sec powers.Section) powers.Section {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.sec
	s.sec = sec
	return old
}

// use adds a user.
func (s *source) use() *source {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
	return s
}

// drop takes a user away. The last one lets the log go.
func (s *source) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users == 0 && s.sec != nil {
		_ = s.sec.Close() // nothing was written through it
		s.sec = nil
	}
}
