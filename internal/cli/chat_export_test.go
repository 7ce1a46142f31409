package cli

import (
	"context"
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
			beside := f.Model.(interface{ Go(func()) })
			return f, func() tea.Msg {
				beside.Go(func() { panics() })
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

// TerminalMain is Main with a chat that waits as long as a test does for a key that
// has to be pressed twice; one that is fragile panics when some others are.
func TerminalMain(breaks bool) int {
	return begin(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ(), func(ctx context.Context, args []string, sys System) int {
		a := newApp(sys)
		a.lapse = time.Hour
		if breaks {
			a.wrapScreen = func(m tea.Model) tea.Model { return fragile{Model: m} }
		}
		defer a.lib.CloseIndex()
		return a.finish(a.execute(ctx, args))
	})
}
