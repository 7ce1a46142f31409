// Package entry says what one line of a session is: the header, and the entries
// that follow it, in the spellings of all four dialects.
//
// A line is a JSON object. Its envelope (type, id, parentId, timestamp and, of a
// message, the role) is read without decoding the rest; its body is decoded only
// when asked for. An entry keeps its bytes: types and fields that no dialect here
// knows survive, and what is not changed is never encoded again.
//
// The package does not know which entry follows which (tree), what the model sees
// of them (replay), or where lines are kept (internal/journal).
package entry
