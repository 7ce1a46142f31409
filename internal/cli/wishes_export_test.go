package cli

import "context"

// A Screen carries out what a person wants on the screen, about the sessions of a
// system.
type Screen struct{ w *wishes }

// OpenScreen opens what the browser of a system needs. It is closed by close.
func OpenScreen(ctx context.Context, sys System) (s Screen, close func(), err error) {
	a := newApp(sys)
	if err := a.execute(ctx, []string{"ls"}); err != nil {
		return Screen{}, func() {}, err
	}
	return Screen{&wishes{a: a, ctx: ctx}}, func() { a.lib.Close() }, nil
}

// Do does one thing to the session at a path and says what was told, and whether it
// was a complaint.
func (s Screen) Do(what, path, arg string) (text string, bad bool) {
	cmd := s.w.undo()
	switch what {
	case "remove":
		cmd = s.w.remove([]string{path})
	case "rename":
		cmd = s.w.rename(path, arg)
	case "move":
		cmd = s.w.move(path, arg)
	case "fork":
		cmd = s.w.fork(path)
	}
	told := cmd().(carriedOut).told
	return told.Text, told.Bad
}
