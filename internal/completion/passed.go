// Package completion completes command lines for shells: the script of each shell, which
// sessions and entries are offered for what was typed, and what of that is passed on.
package completion

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/shellword"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/spf13/cobra"
)

// How long what is offered may be, in bytes, and what is said of it, in cells.
const (
	longestOffer = 200
	longestAbout = 80
)

// Asks reports whether a command line is one of a shell that completes.
func Asks(args []string) bool {
	return len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
}

// Asked returns the command line for cobra of a shell that completes, and what makes of
// an offer for the last word one for the part of it that the shell completes.
//
// "__completeLine LINE WORD" is how bash asks: the line as it was typed and what bash
// takes for the word to be completed. What it gets begins with that word.
func Asked(args []string) (words []string, fit func(offer string) (string, bool), err error) {
	name, ok := strings.CutPrefix(args[0], cobra.ShellCompRequestCmd+"Line")
	switch {
	case !ok:
		return args, func(offer string) (string, bool) { return offer, true }, nil
	case len(args) != 3:
		return nil, nil, errors.New("complete: want the line and the word")
	}
	words = shellword.Typed(args[1])
	fit = inWord(words[len(words)-1], args[2])
	return append([]string{cobra.ShellCompRequestCmd + name}, words[min(1, len(words)-1):]...), fit, nil
}

// PassedOn returns of what cobra prints for a shell what is passed on: an offer a line
// with what is said of it, and last a colon and a number. Only what no shell reads as
// anything but itself is, each once: a shell may put it on the command line as it is.
// What is said is text for a terminal.
func PassedOn(printed string, fit func(offer string) (string, bool)) string {
	lines := strings.Split(strings.TrimSuffix(printed, "\n"), "\n")
	last, ok := strings.CutPrefix(lines[len(lines)-1], ":")
	directive, err := strconv.Atoi(last)
	if !ok || err != nil || directive < 0 {
		return "" // shells take it for a failure
	}
	var b strings.Builder
	seen := map[string]bool{}
	for _, line := range lines[:len(lines)-1] {
		offer, about, _ := strings.Cut(line, "\t")
		offer, ok := fit(offer)
		if !ok || !offerable(offer) || seen[offer] {
			continue
		}
		seen[offer] = true
		if about = term.Cut(term.Line(about), longestAbout); about != "" {
			offer += "\t" + about
		}
		b.WriteString(offer + "\n")
	}
	fmt.Fprintf(&b, ":%d\n", directive)
	return b.String()
}

// offerable reports whether a word may be offered: a plain name, or a flag.
func offerable(word string) bool {
	name := strings.TrimSuffix(strings.TrimLeft(word, "-"), "=")
	return len(word) <= longestOffer && shellword.Plain(name) && (len(word)-len(name) <= 3)
}

// inWord returns what makes of an offer for a whole word, of which typed is there,
// one for the part of it that bash completes.
func inWord(typed, part string) func(offer string) (string, bool) {
	if _, value, ok := strings.Cut(typed, "="); ok && strings.HasPrefix(typed, "-") {
		typed = value // offers are of the value
	}
	return func(offer string) (string, bool) {
		switch {
		case !strings.HasPrefix(offer, typed):
			return "", false
		case strings.HasSuffix(typed, part):
			return offer[len(typed)-len(part):], true
		case strings.HasSuffix(part, typed):
			return part[:len(part)-len(typed)] + offer, true
		}
		return "", false
	}
}
