package theme

import "charm.land/bubbles/v2/key"

// Keys are those that mean the same on every screen.
type Keys struct {
	Up, Down, PageUp, PageDown, First, Last key.Binding
	Accept, Cancel, Exit, Help              key.Binding
}

// NewKeys returns the keys as published (P3): arrows and page keys, Enter, Esc,
// Ctrl+C; beside them the ends of a list and the help.
func NewKeys() Keys {
	return Keys{
		Up:       Bind("↑", "up", "up"),
		Down:     Bind("↓", "down", "down"),
		PageUp:   Bind("pgup", "a page up", "pgup"),
		PageDown: Bind("pgdn", "a page down", "pgdown"),
		First:    Bind("home", "to the first", "home", "ctrl+home"),
		Last:     Bind("end", "to the last", "end", "ctrl+end"),
		Accept:   Bind("enter", "choose", "enter"),
		Cancel:   Bind("esc", "cancel", "esc"),
		Exit:     Bind("ctrl+c", "quit", "ctrl+c"),
		Help:     Bind("?", "keys", "?", "f1"),
	}
}

// Bind returns a binding: how the help calls the key, what it does, and the keys
// themselves as Bubble Tea names them.
func Bind(name, does string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(name, does))
}
