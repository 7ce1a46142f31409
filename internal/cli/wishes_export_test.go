package cli

import (
	"context"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/browse"
	"github.com/cambium-dev/cambium/internal/tui/picker"
)

// A Screen carries out what a person wants on the screen, about the sessions of a
// system.
type Screen struct{ b *browse.Browser }

// OpenScreen opens what the browser of a system needs. It is closed by close.
func OpenScreen(ctx context.Context, sys System) (s Screen, close func(), err error) {
	a := newApp(sys)
	if err := a.execute(ctx, []string{"ls"}); err != nil {
		return Screen{}, func() {}, err
	}
	return Screen{browse.New(ctx, browseOptions(a, picker.Options{}), func(tea.Msg) {})}, func() { a.lib.Close() }, nil
}

// Do does one thing to the session at a path and says what was told, and whether it
// was a complaint.
func (s Screen) Do(what, path, arg string) (text string, bad bool) {
	var wish tea.Msg = picker.Undo{}
	switch what {
	case "remove":
		wish = picker.Delete{Paths: []string{path}}
	case "rename":
		wish = picker.Rename{Path: path, Name: arg}
	case "move":
		wish = picker.Move{Path: path, Dir: arg}
	case "fork":
		wish = picker.Fork{Path: path}
	}
	told := s.b.Told(s.b.Update(wish)().(browse.Result))
	return told.Text, told.Bad
}
