// Package shellword writes words for a shell and reads what was typed for one.
//
// A name from a session, a directory or a server goes to a shell in two ways: in a
// line that a person copies, and as a word that a shell completes. Neither may run
// anything, in whatever shell. So a word is quoted by [Family.Quote], which refuses
// what cannot be shown, since what a person copies is what a person sees; and only
// names that are [Plain], which no shell reads as anything else, are offered to be
// completed.
//
// The package runs nothing and asks nothing of the machine.
package shellword
