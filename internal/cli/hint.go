package cli

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/shellword"
	"github.com/cambium-dev/cambium/internal/work"
)

// A hint is a command line for a person to copy, and what it does.
type hint struct {
	// run are the program and its flags; of are what it is given beside them: they
	// stand behind "--" where one could be taken for a flag.
	run, of []string
	// does says what it does, as the end of a sentence that begins with it.
	does string
}

// advice returns a sentence of hints. What cannot be written so that every shell
// takes it for what it is, is left out; "" is none at all.
func advice(all ...hint) string {
	var parts []string
	for _, h := range all {
		if line, ok := h.line(); ok {
			parts = append(parts, "`"+line+"` "+h.does)
		}
	}
	return strings.Join(parts, ", ")
}

// line returns the command line of a hint. One with a back quote would end the
// quotes of the sentence for the eye that copies it.
func (h hint) line() (string, bool) {
	words := slices.Clone(h.run)
	if slices.ContainsFunc(h.of, func(word string) bool { return strings.HasPrefix(word, "-") }) {
		words = append(words, "--")
	}
	line, ok := shellword.POSIX().Line(append(words, h.of...)...)
	return line, ok && !strings.Contains(line, "`")
}

// writable reports whether a word can stand in a hint.
func writable(word string) bool {
	_, ok := hint{of: []string{word}}.line()
	return ok && word != ""
}

// inShell returns a command line that starts a program in a directory, and says
// what it is for; "" where it cannot be written.
func inShell(what, dir string, args []string) string {
	cd, ok := hint{run: []string{"cd"}, of: []string{dir}}.line()
	line, also := hint{run: args}.line()
	if !ok || !also {
		return ""
	}
	return what + cd + " && " + line
}

// calledAs is what names a session that a person has named already, or path.
func calledAs(arg string, t work.Target) string {
	if writable(arg) {
		return arg
	}
	return t.Path
}
