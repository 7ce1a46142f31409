package offline

import (
	"errors"
	"fmt"
)

// An Outage is what a store that does not answer makes of what was asked of it. A store
// that is away is not an empty one, and what is kept of it here is not all there is.
type Outage uint8

const (
	// None: the store answered.
	None Outage = iota
	// Partly: the store did not answer, and what is kept here was found instead.
	Partly
	// Unreachable: the store did not answer, and nothing of what was asked for is
	// kept here.
	Unreachable
)

// A Look is what is asked of a store from a moment on.
type Look struct {
	s     *Store
	lacks int // how often the store had not answered then
}

// Look begins a look. A nil store is none, and always answers.
func (s *Store) Look() Look {
	if s == nil {
		return Look{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return Look{s, s.lacked}
}

// Outage reports how the store answered since the look began, and why it did not.
// found says that something was found.
func (l Look) Outage(found bool) (Outage, error) {
	if l.s == nil {
		return None, nil
	}
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	switch {
	case l.s.lacked == l.lacks:
		return None, nil
	case found:
		return Partly, l.s.last
	}
	return Unreachable, l.s.last
}

// A Report says of a store that it does not answer.
type Report struct {
	// Store is what the store is called, without a password.
	Store string `json:"store"`
	// Error is why it cannot be reached.
	Error string `json:"error"`
	// Kept is of how many logs copies are kept here.
	Kept int `json:"kept"`
}

// Report returns what there is to say of a store that did not answer.
func (s *Store) Report(why error) Report {
	return Report{Store: s.opt.Name, Error: why.Error(), Kept: len(s.heads())}
}

// Lacks reports whether an error means that the store does not answer.
func (s *Store) Lacks(err error) bool {
	return s != nil && err != nil && (errors.Is(err, ErrAway) || s.opt.Away(err))
}

// A MissingError is the error of who found nothing of a store that does not answer.
// It wraps [ErrAway].
type MissingError struct {
	// Report is of the store.
	Report Report
	err    error
}

// Missing returns the error of who found nothing.
func (s *Store) Missing(why error) *MissingError { return &MissingError{s.Report(why), why} }

// Error says what is missing, and why.
func (e *MissingError) Error() string {
	return fmt.Sprintf("nothing of that is kept here, and the store cannot be reached: %v", e.err)
}

// Unwrap returns ErrAway, and why the store did not answer.
func (e *MissingError) Unwrap() []error { return []error{ErrAway, e.err} }
