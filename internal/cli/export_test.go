package cli

import "time"

// A Use is what a command's usage line says of it.
type Use struct{ Name, Line, Group string }

// WithHome is withHome.
var WithHome = withHome

// Uses lists the commands.
func Uses() []Use {
	a := newApp(System{Now: time.Now})
	var all []Use
	for _, cmd := range commands(a) {
		all = append(all, Use{cmd.Name(), cmd.Use, cmd.GroupID})
	}
	return all
}
