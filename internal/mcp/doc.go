// Package mcp has tools of other programs: it is a client of the Model Context
// Protocol (modelcontextprotocol.io), by modelcontextprotocol/go-sdk 1.8.0.
//
// [Open] starts the servers that somebody named, or connects with them, and
// returns at once; [Toolbox.Tools] are the tools that they have, as the coder
// offers them to a model. Whatever a server does, a turn goes on: one that does not
// start, hangs, says what is no message, has too many tools or dies is told of
// once, and its calls get results that say so.
//
// A server's word is not taken for more than it is: every tool counts as one that
// changes something, so that a person is asked, and that one says of itself that it
// only reads is a hint alone (see tool.Hinted). What a server wants of its client —
// answers of a model, forms for a person — is not offered; it is told the
// directory of the session as its root. What it may say is bounded: so many tools,
// so much of each, no more in one go than two of the longest messages, and of a
// server at an address nothing that leads to another one is followed.
//
// Calls are named as omp 18.2.3 names them, mcp__SERVER_TOOL.
package mcp
