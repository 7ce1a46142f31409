// Package state is what Cambium keeps about sessions that belongs in nobody's
// agent directory: drafts, the record of what can be taken back, and the trash.
// It lies in the state directory of Cambium, which no other program reads.
//
//	drafts/               sessions that have no file yet
//	operations            what was done to sessions, a line a step
//	operations.lock       held while something is taken back
//	kept/ID/              bytes that an operation replaced
//	pending/ID            locked while an operation is under way
//	trash/ID/             what was removed
//	presence/             who has which session open; see Presence
//
// # Drafts
//
// A draft is the session file of a session that has no file yet: its header and
// the entries appended so far, so that a prompt is not lost when the process is
// killed before the model has answered. It is a valid session file; what makes
// it a draft stands in its header line, as
//
//	"cambium":{"draft":{"path":PATH,"agent":DIALECT}}
//
// PATH being where the session is to be written. A draft is made by the first
// append and removed after the session file is written; the file itself never
// holds the member.
//
// # Operations
//
// An operation is a change to a session that appending cannot take back. Each
// has an id and takes at least two lines of JSON in the file "operations": one
// of state "begun", on the disk before anything is changed, with all that is
// needed to take it back, and one that says how it ended: "done" or "failed".
// Later ones say that it is being taken back ("undoing"), was "undone", or "emptied"
// from the trash. Of a process that was killed in between the file in pending/ is
// left, without a lock: [Journal.Settle] finishes or takes back. Lines are
// only appended, in one write, under the lock of the file, and synced; a line
// that a crash tore is closed by the next. Who reads skips what it cannot read,
// and looks at the last 16 MiB.
//
//	{"v":1,"id":ID,"state":"begun","at":TIME,"op":OP,"path":PATH, …}
//	{"v":1,"id":ID,"state":"done","at":TIME}
//
// A path that is not UTF-8 is {"bytes":BASE64}. Header lines are base64, too,
// and nothing of them is lost. An operation that replaces a file as a whole
// keeps the old bytes as kept/ID/bytes.
//
// # Trash
//
// What is removed is renamed to trash/ID/session, and its artifacts to
// trash/ID/artifacts, beside a record of where it was: trash/ID/record. No name
// there ends as session files do, so that no program lists it. The file stays
// the same file: a process that has it open follows it, and what it appends is
// in what is restored. From another file system it is copied, synced, compared
// and then unlinked. Nothing else is ever unlinked, save by [Journal.Empty].
//
// # Shared stores
//
// Of sessions in a store that many machines have, the record is this machine's:
// it takes back what was done here. The trash is in the store, where every
// machine finds it: what is removed is renamed there, in one step.
//
// A journal holds nothing open but the locks of what it has under way. It is safe for concurrent use, by several
// processes too.
package state
