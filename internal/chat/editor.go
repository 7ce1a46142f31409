package chat

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
)

// An editor is the person's own, for a prompt.
type editor struct {
	*desk
	face *face
}

// editReady is a file to be edited, of a directory of its own.
type editReady struct{ dir, path string }

// open puts a text where the editor can edit it.
func (e *editor) open(text string) tea.Cmd {
	if e.opt.Editor == "" {
		return e.face.complain("set $VISUAL or $EDITOR to the editor that you want")
	}
	return func() tea.Msg {
		dir, err := os.MkdirTemp("", "cambium-")
		if err != nil {
			return e.wrong("edit prompt", err)
		}
		path := filepath.Join(dir, "prompt.md")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return e.wrong("edit prompt", err)
		}
		return editReady{dir, path}
	}
}

// edit gives the terminal to the editor and takes the text that it leaves.
func (e *editor) edit(m editReady) tea.Cmd {
	cmd := exec.Command("/bin/sh", "-c", e.opt.Editor+` "$1"`, "sh", m.path)
	cmd.Env, cmd.Dir = e.environ, e.lib.Dir
	return tea.Exec(outside{cmd}, func(err error) tea.Msg {
		defer func() { _ = os.RemoveAll(m.dir) }() // it is a temporary one
		if err != nil {
			return e.wrong(fmt.Sprintf("edit prompt with %q", e.opt.Editor), err)
		}
		data, err := os.ReadFile(m.path)
		if err != nil {
			return e.wrong("edit prompt", err)
		}
		return chatview.Typed{Text: strings.TrimRight(string(data), "\n")}
	})
}
