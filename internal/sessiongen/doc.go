// Package sessiongen makes sessions for tests and measurements: small random
// ones that use everything a dialect can write (Random), large linear ones of a
// known texture (Big, Small, Dense), and damage to either (Damage and its
// single kinds).
//
// Everything is a function of the random source that the caller passes in: the
// same seed gives the same bytes on every machine. The package writes JSON text
// itself and shares nothing with the rooms that it tests, so that a mistake
// there cannot hide here.
//
// It does not say what a session means: no context, no tree. It only tells what
// it wrote (ids, leaves, labels in effect, kinds), which is what a test needs to
// ask its questions.
package sessiongen
