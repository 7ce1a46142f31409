package cli

import (
	"context"
	"crypto/rand"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A fragile screen panics when a key is pressed.
type fragile struct {
	tea.Model
	key string
}

func (f fragile) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok && k.String() == f.key {
		panic("cli: the screen is fragile")
	}
	model, cmd := f.Model.Update(msg)
	return fragile{model, f.key}, cmd
}

// FragileMain is Main with a chat that panics when a key is pressed.
func FragileMain(key string) int {
	dir, err := os.Getwd()
	if err != nil {
		return exitFailed
	}
	sys := System{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Environ(), Dir: dir, Now: time.Now, Random: rand.Reader}
	a := newApp(sys)
	a.wrapScreen = func(m tea.Model) tea.Model { return fragile{m, key} }
	defer a.closeIndex()
	return a.finish(a.execute(context.Background(), os.Args[1:]))
}
