// Package jsonl reads and writes lines of JSON: it splits a file into lines,
// tells as strictly as JavaScript's JSON.parse whether a line is one JSON
// object, finds the members a caller names, and saves what is whole in a line
// that is damaged. It knows nothing of what the lines mean and keeps none.
//
// # Terms
//
// A line is the bytes between two LF (0x0A); nothing else ends a line, not CR,
// not U+2028. A value is one JSON text. Raw means as it stands in the line: a
// raw string has its quotes and escapes. A span is where a raw value stands.
//
// # What is accepted
//
// Exactly what JSON.parse accepts of the text that a UTF-8 decoder with
// replacement makes of the bytes: any nesting, duplicate names (the last one
// counts), lone surrogate escapes, bytes that are not UTF-8 inside strings,
// numbers of any size, blanks (space, tab, CR, LF) around values. A byte order
// mark, NUL, control characters in strings, comments, trailing commas and
// everything else is refused. One limit is our own: values nested deeper than
// 67,108,864 levels are refused.
//
// # Cost
//
// [Query.Scan] and [Valid] do not allocate for valid lines nested less than 65
// deep. [Lines] holds one window, or one line where that is longer, and never
// more than Options.MaxLine bytes of a line; a [Machine] holds 64 KiB a member
// at most.
//
// All functions are safe for concurrent use; a [Machine] or a [Joiner] is for
// one goroutine at a time.
package jsonl
