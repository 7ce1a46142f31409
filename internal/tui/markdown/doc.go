// Package markdown lays out, in the cells of a terminal, the Markdown that models
// write: that of CommonMark with GitHub's tables, strikethrough, task lists and
// bare links. goldmark takes it apart; how it looks is said here, by a theme.
//
// # Safety
//
// The text is made safe (internal/term) before it is taken apart, and again where
// a character was written as an entity. Links are written out behind their text,
// not linked; pictures are their description; HTML is shown as it was written.
// Nothing in a text drives the terminal, and no line is wider than asked for.
//
// # Cost
//
// Laying out takes time in proportion to the text, whatever it holds: a paragraph
// with thousands of signs, or quotes within dozens of quotes, is no Markdown but
// an attack or an accident, and is shown as it was written.
//
// # What comes bit by bit
//
// A [Stream] lays out a text that grows: only what may still change is taken apart
// anew, and the end is shown as what it will most likely become, so that a table,
// a fence or an emphasis of which half is there does not flicker.
package markdown
