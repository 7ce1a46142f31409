package syntax

// Languages returns the names of all languages.
func Languages() []string { return lexers().Names(true) }
