// Package journal is where meaning and bytes meet: it keeps one session's log.
// It loads a log into a header, an index of entries and a report of damage;
// reads the line of an entry when it is asked for; and writes: appends, syncs,
// rewrites. It knows lines and entries, not what they mean to a dialect: that
// comes in as functions.
//
// # Reading
//
// A log is read in windows, on two cores where that pays, and never held in
// memory. Every line is checked as strictly as JSON.parse does. A line that is
// not one JSON object is damage: it is counted and located, what is legible of
// it is recovered (whole objects glued together, a whole object behind a torn
// one, an object over several lines), and it costs only itself. The header is
// the first record of type "session", wherever it stands. Reading never changes
// a byte.
//
// # Writing
//
// A journal is in one of four states:
//
//	holding   nothing at the path yet: lines live in memory and in a draft
//	live      the log exists; an append is one write of whole lines
//	failed    a write failed: its error is returned by every later call, the
//	          lines stay queued, and each later append, flush and close first
//	          retries the whole queue in order
//	closed    no more calls
//
//	holding ──Materialise──▶ live ──write fails──▶ failed ──a retry saves all──▶ live
//	                           any ──Close──▶ closed
//
// An append looks first at what others did to the log since it was last seen:
// lines they added are read and indexed, and only then are ours written, with
// the mark that the store answered. So two writers are two branches of one
// tree, never one writer's loss. A rewrite streams the log as it is then, under
// the store's lock, and changes only the lines it is asked to.
//
// A Journal is safe for concurrent use.
package journal
