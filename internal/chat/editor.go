package chat

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	own "github.com/cambium-dev/cambium/internal/editor"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
)

// An editor is the person's own, for a prompt.
type editor struct {
	*desk
	face *face
}

// open gives the terminal to the editor and takes the text that it leaves.
func (e *editor) open(text string) tea.Cmd {
	if e.opt.Editor == "" {
		return e.face.complain(own.ErrNone.Error())
	}
	program := own.Editor{Command: e.opt.Editor, Environ: e.environ, Dir: e.lib.Dir}
	return program.Edit("prompt.md", text, func(text string, err error) tea.Msg {
		if err != nil {
			return e.wrong(fmt.Sprintf("edit prompt with %q", e.opt.Editor), err)
		}
		return chatview.Typed{Text: strings.TrimRight(text, "\n")}
	})
}
