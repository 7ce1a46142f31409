// Package editor lets a person have a text in the editor that they have chosen.
package editor

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	tea "charm.land/bubbletea/v2"
)

// ErrNone says that no editor was chosen.
var ErrNone = errors.New("set $VISUAL or $EDITOR to the editor that you want")

// An Editor is a person's own. Command is a command line for the shell, "" for none; it runs
// with the variables Environ in the directory Dir.
type Editor struct {
	Command string
	Environ []string
	Dir     string
}

// Wrong says what went wrong with it.
func (e Editor) Wrong(err error) string {
	if errors.Is(err, ErrNone) {
		return err.Error()
	}
	return fmt.Sprintf("edit with %q: %v", e.Command, err)
}

// Edit returns a command that gives the terminal to the editor, with a text in a file of that
// name, and answers with what done makes of the text that it leaves. The file is gone then.
func (e Editor) Edit(name, text string, done func(text string, err error) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if e.Command == "" {
			return done("", ErrNone)
		}
		dir, err := os.MkdirTemp("", "cambium-")
		if err != nil {
			return done("", err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return done("", errors.Join(err, os.RemoveAll(dir)))
		}
		cmd := exec.Command("/bin/sh", "-c", e.Command+` "$1"`, "sh", path)
		cmd.Env, cmd.Dir = e.Environ, e.Dir
		return tea.Exec(outside{cmd}, func(err error) tea.Msg {
			defer func() { _ = os.RemoveAll(dir) }() // it is a temporary one
			if err != nil {
				return done("", err)
			}
			data, err := os.ReadFile(path)
			return done(string(data), err)
		})()
	}
}
