// Package browse is the controller of two screens: the sessions, and the tree of one.
//
// A [Browser] goes between them. What a person wants leaves the views (internal/tui)
// as messages; it is carried out here, by internal/work, and what came of it is a
// value with a state. Errors and notes stay typed until they are shown: Options say
// how they are worded. What is to happen to a session that was chosen is up to the
// caller.
package browse
