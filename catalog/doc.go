// Package catalog finds sessions: it lists them, newest first, and resolves
// what a person calls one (a path, an id, the beginning of an id, a name) to
// its file.
//
// It looks into the sessions directories of every dialect's home, reads what
// it finds, and changes nothing. A session belongs to a project by the cwd in
// its header, never by the name of its directory. What is no session is passed
// over; what should be one and cannot be read is a row with Damaged set.
package catalog
