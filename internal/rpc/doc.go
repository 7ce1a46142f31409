// Package rpc serves sessions to programs in any language: JSON-RPC 2.0, one
// message a line, over any pair of streams. `cambium rpc` serves standard input
// and output with it.
//
// # Terms
//
// A handle names one open session within one connection. A method is a call of
// the library under the name that the published texts give it. table.go has the
// one table of them: name, parameters, answer and errors, by which calls are served,
// and of which discover.go and members.go make the descriptions. The files after it
// say what they do: open.go, list.go, seek.go, history.go, append.go, read.go,
// context.go, handed.go, branch.go, whole.go, kept.go, tend.go. wire.go knows the
// protocol and nothing of sessions, errors.go both.
//
// # Promises
//
// Calls on one handle are done one after the other, in the order in which they
// came; handles are served side by side. What arrives is always read on, so
// that a client may write without reading. Entries, bodies and messages pass
// through as the bytes they are. No input ends the service but the end of it:
// then every call that came is finished and every session saved and closed.
//
// What the other side sees of it is described in doc/rpc.md.
package rpc
