// Package prompts keeps the prompts that a person typed and finds them again, in
// a database of its own and, beside it, in those of other programs.
//
// # The own database
//
// It has the published form (P1): an SQLite file with the table
// history(id, prompt, created_at, cwd), an FTS5 index history_fts over the
// prompts that a trigger fills, write-ahead logging, synchronous NORMAL.
// created_at is in seconds since 1970. Prompts are stored without the blanks
// around them; empty ones, and one that repeats the one before it, are not
// stored. Which session a prompt was typed in is kept beside it, in the table
// history_session(history_id, session_id), which other programs do not see.
//
// The file comes into being with the first prompt. It is open only while
// prompts are written, so that nothing is left beside it afterwards. One that is
// damaged, is something else, or has triggers, columns or indexes by which writing
// a prompt would do more than that, is renamed to NAME.damaged-1 (-2, …) when the
// next prompt is kept; what can still be read of it is taken over. What xcsh and
// omp make is written to as it is. Writing ends after a time, and at 1 GiB.
//
// # Writing
//
// [History.Add] never waits: it puts the prompt in a queue, which is written in
// one transaction behind the caller's back. What cannot be written stays in the
// queue, is found as if it had been written, and is tried again by the next Add,
// Flush and Close. The trouble is told once.
//
// # Looking changes nothing
//
// Reading takes no lock and creates no file in anybody's directory. A database
// with nothing in its write-ahead log is read where it lies, as an immutable
// file; if it changed meanwhile it is read again. One with a log or a rollback
// journal is copied to a private folder that is gone before the first row is
// read. A copy counts if the log did not begin anew while it was made: the
// database is copied before its log, so that all it may hold of a later time
// stands in the log, too.
//
// # What it does not do
//
// It never writes to another program's database, and migrates none. A process
// should have one History of a database open: by the rules of POSIX, closing one
// would take the locks of the other away.
package prompts
