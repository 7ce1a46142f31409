package chat

import (
	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A face is the conversation as it is on the screen.
type face struct {
	view  chatview.Model
	theme theme.Theme
	size  tea.WindowSizeMsg
	// want carries out what a person wants.
	want func(tea.Msg) (tea.Cmd, bool)
}

// show gives messages to the conversation, and carries out what it wants then. That is at
// once: sent as a message it could come behind the end of what it is meant for.
func (f *face) show(msgs ...tea.Msg) (cmd tea.Cmd) {
	f.view, cmd = f.view.Update(msgs...)
	for _, wish := range f.view.Wishes() {
		more, _ := f.want(wish) // whatever a screen wants is known
		cmd = tea.Batch(cmd, more)
	}
	return cmd
}

// line shows a line.
func (f *face) line(text string) tea.Cmd { return f.show(chatview.Told{Text: text}) }

// complain shows a line that says what went wrong.
func (f *face) complain(text string) tea.Cmd { return f.show(chatview.Told{Text: text, Bad: true}) }

// frame is the screen as it is now.
func (f *face) frame() frame { return frame{f.view.Form(), f.size.Height} }

// paint has everything in another theme.
func (f *face) paint(th theme.Theme) {
	f.theme = th
	f.view = f.view.SetTheme(th)
}

// resize has it in another size.
func (f *face) resize(size tea.WindowSizeMsg) tea.Cmd {
	f.size = size
	return f.show(size)
}
