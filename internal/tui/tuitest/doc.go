// Package tuitest runs a program on a terminal that is not there: a pseudo
// terminal whose other end is an emulator in this process. A test types keys,
// waits for what is to stand on the screen, looks at its cells, and sees that
// the terminal is left as it was found.
//
// Nothing here sleeps or polls. WaitFor wakes up whenever the program writes and
// gives up only after a time that no healthy run needs. It waits for what is said,
// not for where rows end: the length of a path or a figure moves that.
//
// The program is the test's own binary: Main makes it behave as the command.
package tuitest
