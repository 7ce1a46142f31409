// Package treeview is the screen that shows one session as a tree: every entry
// of every branch, the branch of the leaf first, to go on from any of them.
//
// It is a [Model] in the shape of bubbles: New, Update, View. It does no input
// or output. What is known of a session without reading bodies is an [Outline],
// which arrives as a message ([Opened]); what rows and the pane say of a body is
// asked for by the commands in [Options], for what is on the screen only, and
// arrives as messages too ([Gists], [Body], [Matches]). What a person wants
// leaves as a message: [Resume], [Fork], [Copy], [Label], [Back], [Exit].
// Whoever runs the model carries it out and says what came of it ([Told],
// [Opened]).
//
// # Terms
//
// A fork is an entry with several children among those that are shown. A stretch
// is a run of entries between forks: it stands in one column, so that a session
// without forks is a plain list however long it is. Folding a stretch hides what
// is below its first entry.
//
// All stored text goes through internal/term before it is shown. A model is not
// safe for concurrent use, as any of Bubble Tea's.
package treeview
