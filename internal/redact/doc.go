// Package redact takes out of a text what should not be shown to others: keys,
// tokens and passwords, the home directory and the name of its user.
//
// What looks like a secret is said by a table of rules (rules.txt). A rule has
// keywords: its expression is tried only around them, at most once at any place, so
// that the time is in proportion to the text. The expressions are those of package
// regexp, which never go back.
//
// A secret that is cut in two texts, or spelled in another way (base64, hex), is not
// found. Who shows a text to others looks at it first.
package redact
