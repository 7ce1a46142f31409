//go:build unix

package cli_test

import "testing"

// Who has no model is told what to set, and has what was typed in the editor.
func TestChatWithoutAModel(t *testing.T) {
	t.Parallel()
	k := &parlour{house: newHouse(t)}
	m := k.start(80, 24, "chat")
	m.WaitFor("~/work")
	m.WaitFor("/help lists keys and commands")
	m.Send("How much water?", "enter")
	m.WaitFor("there is no model that can be used")
	m.WaitFor("set ANTHROPIC_API_KEY")
	m.WaitFor("settings.json")
	m.WaitFor("› How much water?")
	k.leave(m)
}
