// Package term stands between stored text and a person's terminal. Safe is the
// one function that makes text fit to be printed; everything that came from a
// file, the environment or another program goes through it (or Line) before it
// is styled, measured and written.
//
// The order is always: Safe or Line, then Wrap, Cut or Pad, then a Palette. Text
// that a Palette has styled may still be measured, cut and padded, because the
// palette's own sequences count as nothing; but it must not go through Safe
// again, which would take them away.
//
// The package also knows the terminal itself: its size, whether it is one, a
// pager for long output and a line of progress. The environment and the clock
// are given by the caller.
package term
