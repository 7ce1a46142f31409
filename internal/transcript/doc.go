// Package transcript renders what a session says as values: an entry in short
// ([Gist]), a message as blocks ([Message]), a branch as parts in order ([Reader]),
// and the tree as rows ([Drawing]).
//
// It knows no screen. Its texts are as they were stored: neither safe for a
// terminal nor wrapped, folded or coloured. Whoever shows them does that, by the
// kind of each.
package transcript
