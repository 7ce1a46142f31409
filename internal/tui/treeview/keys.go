package treeview

import (
	"charm.land/bubbles/v2/key"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A KeyMap is what the keys do. Letters go to the search, so that what is done
// to an entry is on other keys: those of pi 0.87 where it has one. The help is
// made from it.
type KeyMap struct {
	theme.Keys
	// Fold and Unfold close and open stretches or go along them; Next and
	// Previous go to the branches beside, Leaf to where the session goes on.
	Fold, Unfold, Next, Previous, Leaf key.Binding
	// Cycle goes through the filters, the others choose one or go back from it.
	Cycle, Default, NoTools, UserOnly, LabeledOnly, All key.Binding
	// Peek shows the pane, beside and then alone; PeekUp and PeekDown scroll it.
	Peek, PeekUp, PeekDown key.Binding
	// Read reads the branch of the entry in full.
	Read key.Binding
	// Times shows times in place of ages.
	Times key.Binding
	// Fork, Label and Copy are what can be done to an entry.
	Fork, Label, Copy key.Binding
	// Clear empties the search, HelpAnywhere is Help while something is searched
	// for.
	Clear, HelpAnywhere key.Binding
	// Save is what ends the editing of a label.
	Save key.Binding
}

// NewKeyMap returns the keys.
func NewKeyMap() KeyMap {
	bind := theme.Bind
	k := KeyMap{
		Keys:         theme.NewKeys(),
		Fold:         bind("←", "fold, to the fork", "left", "ctrl+left", "alt+left"),
		Unfold:       bind("→", "unfold, to the end", "right", "ctrl+right", "alt+right"),
		Next:         bind("tab", "next branch", "tab"),
		Previous:     bind("shift+tab", "branch before", "shift+tab"),
		Leaf:         bind("ctrl+e", "to the leaf", "ctrl+e"),
		Cycle:        bind("ctrl+o", "filter", "ctrl+o"),
		Default:      bind("ctrl+d", "show the conversation", "ctrl+d"),
		NoTools:      bind("ctrl+t", "no results of tools", "ctrl+t"),
		UserOnly:     bind("ctrl+u", "the user only", "ctrl+u"),
		LabeledOnly:  bind("ctrl+l", "labels only", "ctrl+l"),
		All:          bind("ctrl+a", "every entry", "ctrl+a"),
		Peek:         bind("ctrl+v", "peek", "ctrl+v"),
		PeekUp:       bind("alt+↑", "read upwards", "alt+up", "shift+up"),
		PeekDown:     bind("alt+↓", "read downwards", "alt+down", "shift+down"),
		Read:         bind("alt+v", "read in full", "alt+v", "f3"),
		Times:        bind("T", "ages or times", "T"),
		Fork:         bind("ctrl+f", "new session from here", "ctrl+f"),
		Label:        bind("L", "label", "L"),
		Copy:         bind("ctrl+y", "copy id", "ctrl+y", "ctrl+x"),
		Clear:        bind("ctrl+w", "clear the search", "ctrl+w"),
		HelpAnywhere: bind("f1", "keys", "f1"),
		Save:         bind("enter", "save", "enter"),
	}
	k.Accept.SetHelp("enter", "go on from here")
	k.Cancel.SetHelp("esc", "back")
	return k
}

// bar are the keys of the help bar, the most wanted first; the last is always
// shown.
func (k *KeyMap) bar() []key.Binding {
	return []key.Binding{k.Accept, k.Cancel, k.Peek, k.Read, k.Cycle, k.Label, k.Fold, k.Next, k.Fork, k.Leaf, k.Copy, k.Help}
}

// labelBar are the keys while a label is edited.
func (k *KeyMap) labelBar() []key.Binding {
	back := k.Cancel
	back.SetHelp("esc", "cancel")
	return []key.Binding{back, k.Save}
}

// page are all keys, in groups.
func (k *KeyMap) page() [][]key.Binding {
	return [][]key.Binding{
		{k.Accept, k.Cancel, k.Exit, k.Up, k.Down, k.PageUp, k.PageDown, k.First, k.Last},
		{k.Fold, k.Unfold, k.Next, k.Previous, k.Leaf},
		{k.Cycle, k.Default, k.NoTools, k.UserOnly, k.LabeledOnly, k.All, k.Clear},
		{k.Peek, k.PeekUp, k.PeekDown, k.Read, k.Times},
		{k.Label, k.Fork, k.Copy, k.HelpAnywhere},
	}
}
