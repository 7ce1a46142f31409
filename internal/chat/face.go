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
}

// show gives messages to the conversation.
func (f *face) show(msgs ...tea.Msg) (cmd tea.Cmd) {
	f.view, cmd = f.view.Update(msgs...)
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
