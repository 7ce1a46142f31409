// Package cli is the command cambium: its command line, what it prints and how
// it ends. It is the only room that reads the environment, the clock, the
// working directory and the machine's randomness, and only in [Main].
//
// A command is one file with one constructor, listed in root.go. It gets its
// arguments parsed, has its work done by a verb of internal/work, or through session
// and catalog, writes data to the app's out and returns an error; output.go says how
// things are printed, exit.go how errors become words and exit codes.
package cli
