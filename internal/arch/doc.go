// Package arch keeps the house as it is drawn: it holds the table of all rooms
// (folders with Go code), bottom first, with what each may import, and its test
// reads every source file of the module to see that this and the other rules of
// the house are kept.
//
// To add a room is to add a row. A room may only name rooms that stand above it
// in the table, so the table itself proves that all imports run one way.
//
// The files are read and parsed here, not asked of the go command: Go's test
// cache does not see what a child process reads, and would go on answering "ok"
// after the house was broken.
package arch
