// Package ignore says what of a directory git ignores, as gitignore(5) of git 2.39
// has it: by the .gitignore files of the directory and of those above it up to the
// top of the repository, and by .git/info/exclude. It reads no other settings of git
// and not its index, so that a tracked file may be ignored here.
//
// Its patterns of file names, a Glob each, are there for whoever looks for files.
package ignore
