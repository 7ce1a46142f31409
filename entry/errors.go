package entry

import "errors"

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
