package picker

import (
	"charm.land/bubbles/v2/key"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A KeyMap is what the keys do. Letters go to the search field, so that what is
// done to a session is on control keys: those of pi 0.87 where it has one. The
// help is made from it.
type KeyMap struct {
	theme.Keys
	// Scope to Path change what is listed and how.
	Scope, Sort, Agent, Named, Path key.Binding
	// Peek shows and hides the preview, PeekUp and PeekDown scroll it.
	Peek, PeekUp, PeekDown key.Binding
	// Mark chooses several; MarkBlank is it while nothing is searched for.
	Mark, MarkBlank key.Binding
	// Rename to Read are what can be done to a session. DeleteBlank is Delete
	// while nothing is searched for, UndoOffer Undo while it is offered.
	Rename, Label, Pin, Delete, DeleteBlank, Undo, UndoOffer key.Binding
	Fork, Move, Copy, Tree, Read                             key.Binding
	// Costs shows what sessions cost.
	Costs key.Binding
	// Clear empties the search field, HelpAnywhere is Help while something is
	// searched for; Yes and No answer a question.
	Clear, HelpAnywhere, Yes, No key.Binding
}

// NewKeyMap returns the keys.
func NewKeyMap() KeyMap {
	bind := theme.Bind
	return KeyMap{
		Keys:         theme.NewKeys(),
		Scope:        bind("tab", "all projects", "tab"),
		Sort:         bind("ctrl+s", "sort", "ctrl+s"),
		Agent:        bind("ctrl+g", "one agent", "ctrl+g"),
		Named:        bind("ctrl+n", "named only", "ctrl+n"),
		Path:         bind("ctrl+p", "show paths", "ctrl+p"),
		Peek:         bind("ctrl+v", "preview", "ctrl+v"),
		PeekUp:       bind("alt+↑", "preview up", "alt+up", "shift+up"),
		PeekDown:     bind("alt+↓", "preview down", "alt+down", "shift+down"),
		Mark:         bind("insert", "mark", "insert", "ctrl+space", "ctrl+@"),
		MarkBlank:    bind("space", "mark, with nothing typed", "space"),
		Rename:       bind("ctrl+r", "rename", "ctrl+r"),
		Label:        bind("ctrl+l", "label its last entry", "ctrl+l"),
		Pin:          bind("ctrl+b", "pin on top", "ctrl+b"),
		Delete:       bind("ctrl+d", "delete", "ctrl+d"),
		DeleteBlank:  bind("del", "delete, with nothing typed", "delete", "ctrl+backspace"),
		Undo:         bind("ctrl+z", "undo", "ctrl+z"),
		UndoOffer:    bind("u", "undo, right after", "u"),
		Fork:         bind("ctrl+f", "fork", "ctrl+f"),
		Move:         bind("ctrl+x", "move to a directory", "ctrl+x"),
		Copy:         bind("ctrl+y", "copy path", "ctrl+y"),
		Tree:         bind("ctrl+t", "tree", "ctrl+t"),
		Read:         bind("alt+v", "read", "alt+v", "f3"),
		Costs:        bind("alt+c", "what they cost", "alt+c", "f4"),
		Clear:        bind("ctrl+u", "clear the search", "ctrl+u"),
		HelpAnywhere: bind("f1", "keys", "f1"),
		Yes:          bind("enter", "yes", "enter", "y", "Y"),
		No:           bind("esc", "no", "esc", "n", "N"),
	}
}

// bar are the keys of the help bar, the most wanted first; the last is always
// shown.
func (k *KeyMap) bar() []key.Binding {
	return []key.Binding{k.Accept, k.Scope, k.Sort, k.Peek, k.Read, k.Rename, k.Delete, k.Fork, k.Tree, k.Pin, k.Costs, k.Agent, k.Help}
}

// page are all keys, in groups.
func (k *KeyMap) page() [][]key.Binding {
	return [][]key.Binding{
		{k.Accept, k.Cancel, k.Exit, k.Up, k.Down, k.PageUp, k.PageDown, k.First, k.Last},
		{k.Scope, k.Sort, k.Agent, k.Named, k.Path, k.Clear},
		{k.Peek, k.PeekUp, k.PeekDown, k.Tree, k.Read, k.Costs},
		{k.Rename, k.Label, k.Pin, k.Fork, k.Move, k.Copy},
		{k.Delete, k.DeleteBlank, k.Undo, k.UndoOffer, k.Mark, k.MarkBlank},
	}
}
