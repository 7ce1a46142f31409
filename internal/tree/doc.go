// Package tree says which entry of a session follows which: parents, paths,
// children, roots, labels, the leaf, and the plan of a session made from one
// branch.
//
// Everything goes by the position of an entry in its [entry.List], never by its
// id: duplicate ids, cycles and self-parents cost nothing but themselves
// (published P1 and P5 describe the tree by id; the programs keep one entry an
// id, the last). A parentId means the nearest entry before with that id, else
// the first after it.
//
// There are two readings of the links. [Strict] is the published one: an entry
// whose parent is not there is a root. [Healed] gives such an orphan the parent
// that is still legible in a damaged line, else the readable entry before it,
// so that a damaged line does not cut the conversation. Healed links are
// counted and never written. In both, a walk stops at the first repeat and
// every entry is reachable.
//
// The package is pure: it reads bodies of label and compaction entries through
// the list and nothing else. No walk is recursive, so depth is no limit.
package tree
