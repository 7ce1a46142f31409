package completion

import (
	_ "embed"
	"strings"
)

// What shells need to complete a command line. Unlike what cobra would write, these
// evaluate nothing: neither what was typed so far, where the name of a file may
// stand, nor what is offered. They call the cambium of the PATH.

// bash gives the line as it was typed: what its words are is found out without the
// shell, which would run what they substitute.
//
//go:embed cambium.bash
var bash string

// zsh takes the quotes off what was typed, which expands nothing.
//
//go:embed cambium.zsh
var zsh string

// fish asks fish for the words without their quotes.
//
//go:embed cambium.fish
var fish string

// Script returns the script for a shell, which with bare says nothing of what is
// offered; ok is false for a shell that has none of ours.
func Script(shell string, bare bool) (text string, ok bool) {
	text, ok = map[string]string{"bash": bash, "zsh": zsh, "fish": fish}[shell]
	if bare {
		text = strings.NewReplacer("__completeLine", "__completeLineNoDesc", "__complete ", "__completeNoDesc ").Replace(text)
	}
	return text, ok
}
