// Package agents tests the sessions of Claude Code, Codex and OpenCode with the real programs:
// those that they write are read here, and those that are written here are gone on with there.
package agents
