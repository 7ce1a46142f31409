// Package tool has what the built-in agent can do: read, bash, edit, write, grep,
// find, ls.
//
// A [Tool] works in one directory, says what it did as content for the model and
// details for screens, keeps what is too long as an artifact beside the session,
// and stops at once when its context ends. Asking a person first is the loop's
// matter.
package tool
