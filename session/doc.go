// Package session is one open session: it is read, appended to, branched,
// labelled, renamed, forked and moved here.
//
// A session is a tree of entries in one log. The log only grows; the leaf is a
// pointer into it, at which the next entry is added. [Open] opens a session
// that exists, [Create] begins one, [InMemory] keeps one nowhere, [ForkFrom]
// copies one. All of them are of one of four dialects, which decides how facts
// are spelled; a file's own dialect is kept.
//
// # What is promised
//
// What was appended is in memory at once, whatever becomes of the disk. Opening
// to read changes no byte. Opening to write changes none either, unless the
// file is of an older version of the format (it is then migrated, by the one
// safe rewrite) or empty. An entry that cannot be saved is queued; the error is
// returned by every later call that writes, each of which tries again, and
// clears when all is saved.
//
// # Terms
//
// The leaf is the entry that the next one follows, or none. A branch is the
// path from a root to an entry. A session that has no file yet is held: until
// its first write ([FirstWrite]) its entries live in memory and in a draft in
// the state directory of Cambium. To save a branch is to write it as a session
// of its own (published as createBranchedSession).
//
// A [Session] is safe for concurrent use. Its methods run one after the other;
// sequences take the lock for each step only.
package session
