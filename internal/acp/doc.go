// Package acp lets an editor have the built-in agent, and the sessions of all
// agents, over the Agent Client Protocol (agentclientprotocol.com, version 1, as
// coder/acp-go-sdk 0.13.0 has it): JSON-RPC 2.0, one message a line, over standard
// input and output.
//
// [Serve] serves one client. It opens, begins, forks and lists sessions; each open
// one has a coder of its own, which Options.Coder makes. What the coder tells goes
// to the client as updates, and what it wants to ask as permission requests. A
// session that is loaded is told from its root, compacted parts included, in the
// updates that it would have been told with as it happened.
//
// Terms: a turn is what answers one prompt of the client, until then the client's
// call is under way. A held session is one that is open here. doc/acp.md has the
// tables of methods, updates and errors.
package acp
