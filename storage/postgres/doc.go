// Package postgres keeps logs in a PostgreSQL database, 14 or later, so that
// many machines have the same ones.
//
// [Open] connects to a server, makes the schema if there is none, and returns a
// [Store]; [Store.Blobs] keeps blobs in the same database.
//
// # What is stored
//
// A log is a row of heads (its name, how many lines and bytes it has, the token
// of its last append) and a row of lines for each line, as bytea: what is in a
// line comes back byte for byte. Lines are partitioned by a number made of the
// directory in which the log began, its project. A content has a number, its
// generation: a replacement is another generation, never a change of rows.
//
// # Appending
//
// An append is one statement that moves the head and adds the lines if the head
// is where the mark says. Its cost does not depend on the size of the log. Each
// append has a random token, which its lines keep. When the answer is lost, with
// the connection or the server, the token tells whether it took place: it is
// looked for before anything is sent again, by this call while Options.Patience
// lasts and else by the next one. So no line is lost that was acknowledged, and
// none is there twice.
//
// A server whose standby took over without the last appends answers their marks
// with a *storage.Changed of kind Truncated, whatever was written since: each
// line's token is compared with that of the mark.
//
// # Following
//
// Changes are told by NOTIFY, apart from the append, since a notification in the
// same transaction would make all appends wait for each other. What is not heard
// is seen: watchers look each second as well.
//
// # What it does not do
//
// The store knows nothing of what a line means. Text to search by words comes
// from Options.Extract.
package postgres
