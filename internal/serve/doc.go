// Package serve serves sessions to several programs at once: the methods of
// internal/rpc over a Unix socket, to programs of the same user, and over HTTP
// with tokens, to programs that should not see what the sessions are kept in.
//
// # Terms
//
// A connection is what handles live in, as in internal/rpc. On the socket it is
// the connection of the socket; over HTTP it has an id, which the server gives
// as soon as a session is open in it, belongs to one token, and ends when it was
// not used for a while. A feed holds its notifications until somebody reads them.
//
// # Promises
//
// What was acknowledged is on disk or, where a session waits for its first
// answer, in its draft: nothing that happens to a client or to the server takes
// it away. A client that is gone has its calls ended all the same, and its
// sessions saved and closed. Tokens are kept as hashes, and never logged. Over
// HTTP no path outside the homes of sessions and the named directories is ever
// looked at.
//
// What the other side sees of it is described in doc/serve.md.
package serve
