package picker

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// AtOnce returns a picker that does not wait until nothing is typed.
func (m Model) AtOnce() Model {
	m.later = func(_ time.Duration, f func(time.Time) tea.Msg) tea.Cmd {
		return func() tea.Msg { return f(time.Time{}) }
	}
	return m
}

// IsSettled says that a message is the one that a picker sends to itself.
func IsSettled(msg tea.Msg) bool { _, ok := msg.(settled); return ok }

// Shown are the paths in the list, in order.
func (m Model) Shown() (paths []string) {
	for _, r := range m.list.shown {
		paths = append(paths, r.Info.Path)
	}
	return paths
}

// Current is the session at the cursor.
func (m Model) Current() string { return m.cursor.path }
