// Package session is one open session: it is read, appended to, branched,
// labelled, renamed, forked and moved here.
//
// A session is a tree of entries in one log. The log only grows; the leaf is a
// pointer into it, at which the next entry is added. [Open] opens a session
// that exists, [Create] begins one, [InMemory] keeps one nowhere, [ForkFrom]
// copies one. All of them are of one of four dialects, which decides how facts
// are spelled; a file's own dialect is kept.
//
// # How it is used
//
// What is said goes in as it comes, and what the model is to see comes out:
//
//	s, err := session.Open(ctx, path, session.Options{Env: env})
//	defer s.Close()
//	id, err := s.Append(ctx, &entry.MessageBody{Message: message})
//	…
//	c, err := s.Context(ctx, session.ContextOptions{})
//	sent, cleaned := s.LLM(ctx, c)
//	for message, err := range sent { … }
//
// To go another way from an earlier entry, [Session.MoveLeaf] takes the leaf
// there: the next entry begins a branch beside what was said, which stays.
// [Session.BranchWithSummary] takes along what was learnt. [Session.Tree] and
// [Session.View] show what there is; [Session.Rename] names it. [Session.Fork] and
// [Session.Move] make it a session of its own, and one of another directory.
// [Options] say where files go (Env), when the first one is written (FirstWrite),
// and what happens where others have the session open (IfBusy, OnEvent).
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
