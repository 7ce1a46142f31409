// Package chatview is the screen of a conversation with the built-in agent: the
// transcript, what is being said now, the editor, the line of state and the
// question whether a tool may be run.
//
// It reads no file, asks no model and knows no agent. What is to be shown comes
// in as messages ([Rows], [Bodies], [Delta], [State] …); what a person wants
// leaves as messages ([Send], [Abort], [Command] …), and whoever runs the [Model]
// carries it out.
//
// # The transcript
//
// A transcript is a list of [Row] values, of which only those that stand on the
// screen, or near it, are asked for with Options.Load and drawn; the rest is a
// few bytes each. It follows the newest row until somebody scrolls up, and again
// when they come back to its end. Reasoning and the output of tools are folded to
// a line; a key unfolds all of them.
//
// # Safety
//
// Everything that was stored or said passes through internal/term before it is
// laid out. Markdown is laid out by internal/tui/markdown, without links that a
// terminal follows and without pictures.
package chatview
