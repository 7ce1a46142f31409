// Package process starts programs that are ended with all that they start: on unix by
// their process group, on Windows by a job object.
//
// It does not read what they write, and knows no shell.
package process
