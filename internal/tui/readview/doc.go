// Package readview is the screen on which one session is read: a branch from its
// beginning to its end, in full, and from there the other branches.
//
// It is a [Model] in the shape of bubbles: New, Update, View. It does no input or
// output. Which entries there are arrives as rows ([Opened]); what an entry says is asked
// for by the commands in [Options], for what is on the screen and near it only, and
// arrives as [Bodies]. What a person wants leaves as a message: [Resume], [Copy], [Back],
// [Exit]. Whoever runs the model carries it out and says what came of it ([Told]).
//
// # Terms
//
// A row is an entry that is shown, or a branch point: the place behind an entry where
// other branches leave. What an entry says is a [Passage]; its blocks are its things.
// Each can be open or folded: a folded text shows its beginning and its end and says how
// much is between them, a call is one line, reasoning is one line. A line says of which
// thing it is, so that a key is about the thing at the cursor.
//
// # Safety
//
// All stored text goes through internal/term before it is painted, and what a call was
// given through internal/consent, so that each of its characters is seen. No line is
// wider than the screen. What is copied is made safe, too.
//
// # Cost
//
// An entry that is not shown is not read. What is folded is cut before it is laid out,
// whatever its length. What is open is laid out up to a mebibyte; a line says how much
// there is more.
//
// A model is not safe for concurrent use, as any of Bubble Tea's.
package readview
