package cli

import (
	"context"
	"crypto/rand"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A fragile screen panics when a key is pressed: F12 in Update, F11 in a command,
// F10 in one of a batch, F9 in View, F8 in a goroutine of the chat's own.
type fragile struct {
	tea.Model
	broken bool // View is
}

func (f fragile) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	panics := func() tea.Msg { panic("cli: the screen is fragile") }
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch k.String() {
		case "f12":
			panics()
		case "f11":
			return f, panics
		case "f10":
			return f, tea.Batch(panics, tea.Batch(panics, func() tea.Msg { return nil }))
		case "f9":
			f.broken = true
			return f, nil
		case "f8":
			pump := f.Model.(*chat).pump
			return f, func() tea.Msg {
				go func() {
					defer guardPanic(pump)
					panics()
				}()
				return nil
			}
		}
	}
	model, cmd := f.Model.Update(msg)
	return fragile{model, f.broken}, cmd
}

func (f fragile) View() tea.View {
	if f.broken {
		panic("cli: the screen is fragile")
	}
	return f.Model.View()
}

// FragileMain is Main with a chat that panics when a key is pressed.
func FragileMain() int {
	dir, err := os.Getwd()
	if err != nil {
		return exitFailed
	}
	sys := System{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Environ(), Dir: dir, Now: time.Now, Random: rand.Reader}
	a := newApp(sys)
	a.wrapScreen = func(m tea.Model) tea.Model { return fragile{Model: m} }
	defer a.closeIndex()
	return a.finish(a.execute(context.Background(), os.Args[1:]))
}
