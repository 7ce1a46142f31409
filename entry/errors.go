package entry

import (
	"errors"
	"fmt"
)

// What is wrong with a body that is to be appended. Errors of [ParseBody] and
// [Encode] wrap one of them; a line that is not JSON is a [jsonl.SyntaxError].
var (
	// ErrNotBody is for JSON that cannot be the body of an entry: not an
	// object, without a string as its type, of a type that is a record of the
	// file and no entry, or a message without a role. Nothing can be done but
	// to give another body.
	ErrNotBody = errors.New("not an entry body")
	// ErrStamp is for an id or a time that no program could write: an empty
	// id, or a time that no JavaScript date can hold.
	ErrStamp = errors.New("no id or time for an entry")
)

// A BodyError says which member makes a body one that says nothing to any program.
// It wraps [ErrNotBody].
type BodyError struct {
	// Type is that of the entry.
	Type string
	// Member is the member that is to blame; one inside of the message is
	// "message.role".
	Member string
	// Reason says what is wrong with it.
	Reason string
}

// Error says what is wrong.
func (e *BodyError) Error() string { return fmt.Sprintf("%v: %s", ErrNotBody, e.Reason) }

// Unwrap returns [ErrNotBody].
func (e *BodyError) Unwrap() error { return ErrNotBody }
