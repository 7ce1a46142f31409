// Package repair looks for what is wrong with stored sessions and what lies
// about beside them, says what could be done about each thing, and does it.
//
// A [Finding] is a value: where, what, and what a repair would do. A [Report]
// holds the findings of one path. Looking changes nothing: no byte, no time, no
// mode, no lock. Nothing is done before it was planned.
//
// # What a repair does, and what not
//
// A repair throws no byte away. The file as it was is kept first, under the
// name of an operation that can be taken back; damaged bytes that cannot be
// mended are moved to a file ".NAME.cambium-damaged" beside the session, as
// lines. Then the file is replaced by the one safe rewrite (see package
// storage/local): a header is put back, objects glued into one line are put on
// lines of their own, an object written over several lines is put on one, runs
// of zero bytes and a missing last newline are mended. The lines of readable
// entries stay as they are, byte for byte and in their order, but for links: an
// entry whose parent is nowhere gets the parent below which it is read, which gets an
// id if it has none, and a compaction that keeps from a lost entry keeps from what
// followed it. Other
// programs begin the conversation with such an entry, and what is read of the
// damaged lines goes with them.
//
// Some things are reported and left alone: a cycle of parents is healed as the
// session is read, and which link is wrong cannot be told; of entries with the same
// id nobody knows which one others mean.
//
// Afterwards the file is read again. Every entry that could be read before must
// be there, with at least the entries before it that it had. If there is any
// doubt the file is put back as it was.
package repair
