// Package picker is the screen on which a person chooses a session: a list that
// is searched as one types, with a preview beside it.
//
// It is a [Model] in the shape of bubbles: New, Update, View. It does no input
// or output and starts nothing by itself. Sessions arrive as messages ([Found],
// [Gone], [Progress], [Done], [Pinned], [Told]); the two things that take time,
// the preview of a session and the search through texts, are asked for by the
// commands in [Options], and their answers ([Preview], [Matches]) are messages,
// too. What a person wants leaves as a message: [Chosen], [Cancelled], [Exit]
// and the wishes in wish.go. Whoever runs the model carries them out and says
// what came of it.
//
// A session is in the list when everything that was typed is found in it: each
// word literally, upper and lower case alike, in its id, title, working
// directory, first message, path or anything that was said in it (published P3),
// or loosely, as fzf matches, in its name or project. "A phrase" in quotes is
// one word with blanks; what begins with re: is one regular expression. In the
// order by relevance what is found in names comes before what is found in
// texts, and that before what is only alike.
//
// All stored text goes through internal/term before it is shown. A model is not
// safe for concurrent use, as any of Bubble Tea's.
package picker
