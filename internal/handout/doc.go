// Package handout writes a session out for other people: it chooses what is written, takes
// secrets out of it, and puts it where it is wanted, whole or not at all.
//
// Package internal/export says how it looks.
package handout
