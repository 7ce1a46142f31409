package secret

import "regexp"

// before is what stands before the @ of something like a URL: behind two slashes, or
// behind a word with a colon.
var before = regexp.MustCompile(`(//|[A-Za-z][A-Za-z0-9+.-]*:(?://)?).*@`)

// Spoken returns what may be said of an argument that names a store, or was meant to:
// without what stands before an @ in anything like a URL, however mistyped.
func Spoken(argument string) string { return before.ReplaceAllString(argument, "${1}…@") }
