// Package jsonedit reads and edits JSON text without encoding again what is not
// changed.
//
// All functions work on raw values, which are bytes of any named type: the text of
// one JSON value, blanks around it allowed. Results that were cut out of a value
// alias it; results of an edit are new slices, except that an edit which changes
// nothing returns its argument. No function changes the bytes it is given.
//
// The rules are those of JavaScript, because the files were written by it: of a
// member named twice the last one counts (ECMA-262, JSON.parse), lengths are
// UTF-16 code units, numbers are printed as Number.prototype.toString prints
// them. Invalid UTF-8 and lone surrogates are left as they are in raw values and
// become U+FFFD only where a Go string is asked for.
//
// Input is expected to be valid JSON (internal/jsonl checks lines). On anything
// else no function panics: a look-up finds nothing and an edit returns its
// argument.
//
// All functions are safe for concurrent use; builders are not.
package jsonedit
