package costview

import (
	"charm.land/bubbles/v2/key"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A KeyMap is what the keys do. The help is made from it.
type KeyMap struct {
	theme.Keys
	// By changes what is grouped by, ByBack the other way round; Span changes the time.
	By, ByBack, Span key.Binding
	// Open opens a group, Out goes back to what it was opened from.
	Open, Out key.Binding
	// Read has the session be read.
	Read key.Binding
}

// NewKeyMap returns the keys.
func NewKeyMap() KeyMap {
	bind := theme.Bind
	k := KeyMap{
		Keys:   theme.NewKeys(),
		By:     bind("tab", "by something else", "tab", "right", "l"),
		ByBack: bind("shift+tab", "the one before", "shift+tab", "left", "h"),
		Span:   bind("s", "another time", "s"),
		Open:   bind("enter", "open", "enter", "space"),
		Out:    bind("backspace", "out again", "backspace"),
		Read:   bind("alt+v", "read the session", "alt+v", "f3", "v"),
	}
	k.Up = bind("↑", "up", "up", "k")
	k.Down = bind("↓", "down", "down", "j")
	k.First = bind("g", "to the first", "home", "g")
	k.Last = bind("G", "to the last", "end", "G")
	k.Cancel = bind("esc", "back", "esc", "q")
	return k
}

// bar are the keys of the help bar, the most wanted first; the last is always shown.
func (k *KeyMap) bar() []key.Binding {
	return []key.Binding{k.Cancel, k.Open, k.By, k.Span, k.Read, k.Out, k.Help}
}

// page are all keys, in groups.
func (k *KeyMap) page() [][]key.Binding {
	return [][]key.Binding{
		{k.Up, k.Down, k.PageUp, k.PageDown, k.First, k.Last},
		{k.Open, k.Out, k.By, k.ByBack, k.Span, k.Read},
		{k.Cancel, k.Exit, k.Help},
	}
}
