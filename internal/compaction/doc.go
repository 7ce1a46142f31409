// Package compaction decides when a conversation is too long for its model, what of
// it is summed up and what stays, and what of it can be cut to a notice.
//
// It is pure: it counts, chooses and words; it calls no model and writes nothing.
// A caller asks [Rules.Used] and [Rules.Due], takes a [Preparation] from
// [Rules.Prepare], sends its requests to a model (or has the text from elsewhere),
// and appends what [Preparation.Body] returns. Replaying the branch then gives the
// summary and, after it, what the preparation kept.
//
// Terms. A cut point is an entry at which the kept part may begin, never a tool
// result, since a result without its call is refused by providers. A turn is what
// begins with a request and ends before the next. A cut within a turn splits it;
// what of the turn is not kept is its prefix, and is summed up apart. To prune is
// to replace old results of tools by a notice.
//
// The programs differ in all of it (pi 0.87.1, omp 18.2.3, xcsh 17.4.4); their
// differences are [Rules], a value for each dialect. Numbers of tokens are
// estimates unless a provider counted them.
//
// What is stored with a wrong type counts nothing and is passed over. An error
// means that a line could not be loaded, or is one of this package's own.
package compaction
