// Package foreign is what readers of other programs' sessions share. Such a reader makes, of
// what a program keeps, the lines of a session as Cambium has them: entries, whose long texts
// stay where they are and are read there. Nothing of the program's is written to, locked or
// moved.
//
// The readers are rooms below this one, one for each program.
package foreign
