package costview

import "github.com/cambium-dev/cambium/internal/usage"

// A Span is a time up to now.
type Span uint8

// The spans, in the order in which the key goes through them.
const (
	Month Span = iota // 30 days
	Year
	All
	Today
	Week
	spans
)

var spanNames = [spans]string{"the last 30 days", "the last year", "all time", "today", "the last 7 days"}

// String says which time it is.
func (s Span) String() string { return spanNames[s] }

// Days returns how many days a span has, today among them, 0 for all.
func (s Span) Days() int { return [spans]int{30, 365, 0, 1, 7}[s] }

// A Step is a group that was opened: By is the dimension, Key the group in it.
type Step struct{ By, Key, Name string }

// An Ask is what a model wants to know.
type Ask struct {
	Span Span
	// Within are the groups that were opened.
	Within []Step
	// By is what is grouped by, "" for the charges themselves.
	By string
}

// A Row is a group, or a charge.
type Row struct {
	// Key is the group, Name what it is called.
	Key, Name string
	// Path and Line are where a charge stands. They are of one session for a session.
	Path string
	Line int
	usage.Sum
}

// A Day is a day and what it cost.
type Day struct {
	// Date is as in 2026-11-27.
	Date string
	Cost usage.Micros
}

// Sums answer an Ask. The days are those of the span, without gaps.
type Sums struct {
	Ask   Ask
	Days  []Day
	Rows  []Row
	Total usage.Sum
	Err   error
}

// What leaves the model.
type (
	// Back leaves the screen.
	Back struct{}
	// Exit ends the program.
	Exit struct{}
	// Read has a session be read, from a line of it on; 0 for where it stands.
	Read struct {
		Path string
		Line int
	}
)
