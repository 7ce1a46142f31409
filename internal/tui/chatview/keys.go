package chatview

import (
	"charm.land/bubbles/v2/key"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A KeyMap is what the keys do. The help is made from it.
type KeyMap struct {
	// Send sends what is typed, or steers while the agent works; Later sends it
	// when the agent would end, and begins a line while it does not work; Newline
	// begins a line.
	Send, Later, Newline key.Binding
	// Abort stops what runs, closes what is open, and twice shows the tree; Exit
	// empties the editor, and twice leaves; Leave leaves the empty editor.
	Abort, Exit, Leave key.Binding
	// Older and Newer go through the prompts that were typed before, or through
	// what may be typed; Take takes one of that.
	Older, Newer, Take key.Binding
	// Editor edits in the person's own editor; Recall searches the prompts that
	// were typed before; TakeBack takes what waits back into the editor.
	Editor, Recall, TakeBack key.Binding
	// Tools and Thinking unfold what tools put out, and reasoning.
	Tools, Thinking key.Binding
	// PageUp, PageDown, First and Last scroll the transcript.
	PageUp, PageDown, First, Last key.Binding
	// Yes, Always and No answer the question whether a tool may be run.
	Yes, Always, No key.Binding
}

// NewKeyMap returns the keys.
func NewKeyMap() KeyMap {
	return KeyMap{
		Send:     theme.Bind("enter", "send, or steer while the agent works", "enter"),
		Later:    theme.Bind("alt+enter", "say it when the agent has ended; else a new line", "alt+enter"),
		Newline:  theme.Bind("shift+enter", "new line (ctrl+j too)", "shift+enter", "ctrl+j"),
		Abort:    theme.Bind("esc", "stop, close; twice: the tree", "esc"),
		Exit:     theme.Bind("ctrl+c", "empty the editor; twice: leave", "ctrl+c"),
		Leave:    theme.Bind("ctrl+d", "leave, where nothing is typed", "ctrl+d"),
		Older:    theme.Bind("↑", "the prompt before", "up"),
		Newer:    theme.Bind("↓", "the prompt after", "down"),
		Take:     theme.Bind("tab", "complete a command or @file", "tab"),
		Editor:   theme.Bind("ctrl+g", "edit in $VISUAL or $EDITOR", "ctrl+g"),
		Recall:   theme.Bind("ctrl+r", "search the prompts that were typed", "ctrl+r"),
		TakeBack: theme.Bind("alt+↑", "take back what waits to be said", "alt+up"),
		Tools:    theme.Bind("ctrl+o", "unfold tools", "ctrl+o"),
		Thinking: theme.Bind("ctrl+t", "unfold reasoning", "ctrl+t"),
		PageUp:   theme.Bind("pgup", "a page up", "pgup"),
		PageDown: theme.Bind("pgdn", "a page down", "pgdown"),
		First:    theme.Bind("ctrl+home", "to the beginning", "ctrl+home"),
		Last:     theme.Bind("ctrl+end", "to the end", "ctrl+end"),
		Yes:      theme.Bind("y", "run it", "y", "Y"),
		Always:   theme.Bind("a", "always run this tool", "a", "A"),
		No:       theme.Bind("n", "do not", "n", "N"),
	}
}

// Help returns the keys in the order of the help.
func (k KeyMap) Help() []key.Binding {
	return []key.Binding{
		k.Send, k.Later, k.Newline, k.Abort, k.Exit, k.Leave, k.Older, k.Newer, k.Take, k.Recall, k.TakeBack, k.Editor,
		k.Tools, k.Thinking, k.PageUp, k.PageDown, k.First, k.Last, k.Yes, k.Always, k.No,
	}
}
