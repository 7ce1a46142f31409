package problem

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/shellword"
	"github.com/cambium-dev/cambium/internal/work"
)

// ownProgram is what goes on with sessions of Cambium's own.
const Program = "cambium"

// A Hint is a command line for a person to copy, and what it does.
type Hint struct {
	// run are the program and its flags; of are what it is given beside them: they
	// stand behind "--" where one could be taken for a flag.
	Run, Of []string
	// does says what it does, as the end of a sentence that begins with it.
	Does string
}

// Advice returns a sentence of hints. What cannot be written so that every shell
// takes it for what it is, is left out; "" is none at all.
func Advice(all ...Hint) string {
	var parts []string
	for _, h := range all {
		if line, ok := h.Line(); ok {
			parts = append(parts, "`"+line+"` "+h.Does)
		}
	}
	return strings.Join(parts, ", ")
}

// Line returns the command line of a hint. One with a back quote would end the
// quotes of the sentence for the eye that copies it.
func (h Hint) Line() (string, bool) {
	words := slices.Clone(h.Run)
	if slices.ContainsFunc(h.Of, func(word string) bool { return strings.HasPrefix(word, "-") }) {
		words = append(words, "--")
	}
	line, ok := shellword.POSIX().Line(append(words, h.Of...)...)
	return line, ok && !strings.Contains(line, "`")
}

// Writable reports whether a word can stand in a hint.
func Writable(word string) bool {
	_, ok := Hint{Of: []string{word}}.Line()
	return ok && word != ""
}

// InShell returns a command line that starts a program in a directory, and says
// what it is for; "" where it cannot be written.
func InShell(what, dir string, args []string) string {
	cd, ok := Hint{Run: []string{"cd"}, Of: []string{dir}}.Line()
	line, also := Hint{Run: args}.Line()
	if !ok || !also {
		return ""
	}
	return what + cd + " && " + line
}

// CalledAs is what names a session that a person has named already, or path.
func CalledAs(arg string, t work.Target) string {
	if Writable(arg) {
		return arg
	}
	return t.Path
}
