// Package exchange brings sessions that are kept in two places together: those of
// this machine's homes and those of a shared store or a plain directory. It
// unites by entry, never by file.
//
// # Terms
//
// A Side is a place with sessions; one is here, the other there. A pair is one
// session as both sides have it: the same agent and the same session id, and
// where a side has several such files those of the same project first. What a
// side lacks are the entries of the other whose bytes it does not have.
//
// # What is done
//
// Each side is appended what it lacks, byte for byte, parents before their
// children and otherwise in the order of the other file. Nothing that a side has
// is changed, but for a title that stands in a header: copies that diverged
// become branches of one tree. Two entries with one id and different bytes are
// both kept; who is whose child goes by position then, as package tree says.
// Damaged lines are not sent, and healed only by what is appended. An entry whose
// parent is nowhere, and which would be read below another entry without the damaged
// lines, is sent with the parent below which it is read; it counts as the same entry
// from then on. A session
// that is missing on a side is written there with its title slot, its header and
// its entries.
//
// Three things are decided by what comes last in a file: the leaf, the label of
// an entry, the name of a pi session. Where appending would leave them another on
// one side than on the other, or an older one, an entry is appended to both that
// settles it: a custom entry cambium.leaf, a label or a session_info. What a
// side decided that the other has not seen wins; of two such decisions the newer
// by the times of the entries. The settling entry is a function of what it
// settles, id and time included, so that two machines that settle the same make
// the same entry. No decision is made by the clock of this machine.
//
// A session of an older version is compared and sent as it reads when migrated
// (D2: ids are derived, so that every reading agrees); it is migrated in its
// place only when something must be appended to it.
//
// Blobs that an entry names are there before the entry is, and so are the artifacts
// of its session. A file system has artifacts as files; a store without files has
// each as a blob, and a log of its own says which: "artifacts.list" in the place of
// their directory, a line for each, {"type":"artifact","path":…,"blob":…,"size":…},
// of which the first of a path counts. An artifact that a side has of that path is
// never written over.
//
// # What is promised
//
// All that is appended is whole lines after a check that the log is still the one
// that was read; when it is not, it is read again. So a run may be killed at any
// point, and others may write to either side at the same time: no entry is
// lost, none comes twice, and the next run does the rest. A run with nothing to
// do writes nothing. What was seen last is remembered (Options.State) to make
// that quick; it is never the truth.
package exchange
