// Package export writes a session for people who do not have Cambium: as pages of HTML
// or as Markdown.
//
// Text of a session is data there as everywhere: it never becomes markup. A writer takes
// markup only as constants of its own type; all else goes through one function that
// escapes. A page asks for nothing: its policy allows no address, no script but the page's
// own and no picture but those in it.
//
// Each entry is taken, redacted, written and forgotten. What is kept is the list of the
// prompts of one page.
package export
