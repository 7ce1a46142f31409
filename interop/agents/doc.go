// Package agents tests the sessions of Claude Code with the real program: those that it
// writes are read here, and those that are written here are gone on with there.
package agents
