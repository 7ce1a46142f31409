package chat

import "fmt"

// A PlaceReason says why an agent does not go where a session was recorded.
type PlaceReason uint8

const (
	// PlaceGone: the directory is gone.
	PlaceGone PlaceReason = iota
	// PlaceUnfit: nothing is run there.
	PlaceUnfit
	// PlaceDeclined: the person does not want to work there.
	PlaceDeclined
)

// A PlaceError is why an agent does not go to a session: the directory in which it
// was recorded.
type PlaceError struct {
	Dir string
	Why PlaceReason
	// Detail says why a directory is unfit.
	Detail string
}

// Error says what is wrong with the directory.
func (e *PlaceError) Error() string {
	switch e.Why {
	case PlaceGone:
		return fmt.Sprintf("its directory %q is gone", e.Dir)
	case PlaceUnfit:
		return fmt.Sprintf("it was recorded in %q, where nothing is run: %s", e.Dir, e.Detail)
	}
	return "you did not agree to work there"
}

// explain says what to do about it, too.
func (e *PlaceError) explain() Explanation {
	x := Explanation{Text: e.Error()}
	switch e.Why {
	case PlaceGone:
		x.Todo = "`cambium move` moves the session"
	case PlaceUnfit:
		x.Todo = "`cambium chat --fork` goes on with a fork of it here"
	}
	return x
}
