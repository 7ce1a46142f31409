// Package message has what a user, an assistant or a tool said: the roles, the
// content blocks and the usage, as pi 0.87.1, omp 18.2.3 and xcsh 17.4.4 write
// them and as the published formats P1 and P5 describe them.
//
// A message is the object under "message" in a session's entry of type
// "message". [Decode] makes it one of the concrete types below by its role;
// [Encode] gives back its text.
//
// Raw first: a decoded message, block or usage remembers the text it came from.
// Encoding compares each field with what that text says and edits the text only
// where they differ, so that an unchanged message comes back byte for byte, and
// a changed one keeps everything that was not changed, the order of its members
// included. Decoding may therefore lose what Go cannot hold (lone surrogates
// become U+FFFD, fractions of a millisecond are cut) without harm.
//
// Tolerance: a field that is absent or null has its zero value; one that has the
// wrong type has its zero value too and is kept among the Extra members, as is
// every field that the type does not name. Nothing in a message can make this
// package panic or fail, except that a message must be an object.
//
// The comment of a field names the programs that write it where not all do.
// Numbers in files are JavaScript's: doubles. Times are milliseconds since 1970,
// unlike the timestamps of entries.
//
// Values of this package are not safe for concurrent use when one of the users
// changes them.
package message
