//go:build unix

package cli_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
)

// The screen hears keys while a model says more than it can show, and Esc ends it.
func TestChatHearsKeysInAFlood(t *testing.T) {
	t.Parallel()
	for _, piece := range []wiretest.Piece{{Text: "so "}, {Text: "*a* `b`\n"}, {Thinking: "hm "}, {Open: true, ID: "a", Name: "bash"}} {
		again := []byte(strings.Repeat(string(piece.In(wiretest.Chat)), 100))
		k := newTalk(t, wiretest.Reply{Flow: func(yield func([]byte) bool) {
			if !yield(wiretest.Piece{Text: "It begins. "}.In(wiretest.Chat)) {
				return
			}
			for yield(again) {
			}
		}, Always: true})
		m := k.chat()
		m.Send("Go on.", "enter")
		m.WaitFor("working ·")
		m.Send("draft")
		m.WaitFor("› draft")
		m.Send("esc")
		m.WaitFor("Stopped by the user.")
		k.leave(m)
	}
}
