// Package damage says what was found wrong with the log of a session.
package damage

// A Report is what was found wrong with a session's log. It costs only itself: all that it
// does not tell was read. As JSON it has each damaged line, missing parent, duplicate id and
// missing blob.
type Report interface {
	// Any reports whether anything is wrong.
	Any() bool
	// Unreadable returns how many lines are not one JSON object.
	Unreadable() int
	// String returns the report as one line, "" when nothing is wrong.
	String() string
}
