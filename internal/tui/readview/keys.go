package readview

import (
	"charm.land/bubbles/v2/key"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A KeyMap is what the keys do. The help is made from it.
type KeyMap struct {
	theme.Keys
	// HalfUp and HalfDown scroll by half a page.
	HalfUp, HalfDown key.Binding
	// Search begins a search; Next and Previous go to what it found.
	Search, Next, Previous key.Binding
	// The others go to the next of something, with Back to the one before.
	Prompt, PromptBack, Tool, ToolBack, Error, ErrorBack key.Binding
	Compaction, CompactionBack, Fork, ForkBack           key.Binding
	// Turn changes to another branch.
	Turn key.Binding
	// Fold opens and folds the thing at the cursor, All everything.
	Fold, All key.Binding
	// Copy and Code copy, Edit opens in the editor, Resume goes on from the entry.
	Copy, Code, Edit, Resume key.Binding
	// Clear empties the search field.
	Clear key.Binding
}

// NewKeyMap returns the keys.
func NewKeyMap() KeyMap {
	bind := theme.Bind
	k := KeyMap{
		Keys:           theme.NewKeys(),
		HalfUp:         bind("ctrl+u", "half a page up", "ctrl+u"),
		HalfDown:       bind("ctrl+d", "half a page down", "ctrl+d"),
		Search:         bind("/", "search", "/", "ctrl+s"),
		Next:           bind("n", "next match", "n"),
		Previous:       bind("N", "match before", "N"),
		Prompt:         bind("]", "next prompt", "]", "p"),
		PromptBack:     bind("[", "prompt before", "[", "P"),
		Tool:           bind("t", "next tool", "t"),
		ToolBack:       bind("T", "tool before", "T"),
		Error:          bind("e", "next error", "e"),
		ErrorBack:      bind("E", "error before", "E"),
		Compaction:     bind("c", "next compaction", "c"),
		CompactionBack: bind("C", "compaction before", "C"),
		Fork:           bind("b", "next branch point", "b"),
		ForkBack:       bind("B", "branch point before", "B"),
		Turn:           bind("tab", "another branch", "tab", "o"),
		Fold:           bind("enter", "open, fold", "enter", "space"),
		All:            bind("z", "open or fold all", "z"),
		Copy:           bind("y", "copy as Markdown", "y"),
		Code:           bind("Y", "copy the code", "Y"),
		Edit:           bind("ctrl+g", "in your editor", "ctrl+g"),
		Resume:         bind("ctrl+r", "go on from here", "ctrl+r"),
		Clear:          bind("ctrl+u", "clear", "ctrl+u"),
	}
	k.Up = bind("↑", "up", "up", "k")
	k.Down = bind("↓", "down", "down", "j")
	k.PageUp = bind("pgup", "a page up", "pgup", "ctrl+b")
	k.PageDown = bind("pgdn", "a page down", "pgdown", "ctrl+f")
	k.First = bind("g", "to the beginning", "home", "ctrl+home", "g")
	k.Last = bind("G", "to the end", "end", "ctrl+end", "G")
	k.Cancel = bind("q", "back", "q", "esc")
	return k
}

// bar are the keys of the help bar, the most wanted first; the last is always shown.
func (k *KeyMap) bar() []key.Binding {
	return []key.Binding{k.Cancel, k.Fold, k.Search, k.Next, k.Prompt, k.PromptBack, k.Turn, k.All, k.Error, k.Tool, k.Copy, k.Resume, k.Help}
}

// typing are the keys while a search is typed.
func (k *KeyMap) typing() []key.Binding {
	find, cancel := k.Accept, k.Cancel
	find.SetHelp("enter", "find")
	cancel.SetHelp("esc", "cancel")
	return []key.Binding{find, k.Clear, cancel}
}

// page are all keys, in groups.
func (k *KeyMap) page() [][]key.Binding {
	return [][]key.Binding{
		{k.Up, k.Down, k.PageUp, k.PageDown, k.HalfUp, k.HalfDown, k.First, k.Last},
		{k.Search, k.Next, k.Previous},
		{k.Prompt, k.PromptBack, k.Tool, k.ToolBack, k.Error, k.ErrorBack, k.Compaction, k.CompactionBack, k.Fork, k.ForkBack},
		{k.Fold, k.All, k.Turn},
		{k.Copy, k.Code, k.Edit, k.Resume},
		{k.Cancel, k.Exit, k.Help},
	}
}
