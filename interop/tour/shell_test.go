//go:build peers

package tour_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// A shell is a terminal on which commands are typed.
type shell struct {
	*tuitest.Terminal
	t    *testing.T
	cols int
}

// shell opens a terminal in a directory below the home.
func (h *house) shell(t *testing.T, dir string, cols, rows int) *shell {
	t.Helper()
	s := &shell{t: t, cols: cols, Terminal: tuitest.Start(t, tuitest.Options{
		Program: "/bin/bash", Args: []string{"--noprofile", "--norc"}, Home: h.Home, Dir: filepath.Join(h.Home, dir),
		Cols: cols, Rows: rows, Patience: 3 * time.Minute, // real programs start on it, beside other tests
		Env: h.env(`PS1=\[\e[32m\]\w\[\e[0m\] $ `, "HISTFILE=", "COLORTERM=truecolor"),
	})}
	s.WaitFor(s.prompted)
	return s
}

// prompted reports whether the shell waits for a command and nothing is typed.
func (s *shell) prompted(screen string) bool {
	x, y, _ := s.Cursor()
	row := strings.Split(screen, "\n")[y]
	return strings.HasPrefix(row, "~") && strings.HasSuffix(row, " $") && x == len(row)+1
}

// begin types a command on an empty screen, and starts it.
func (s *shell) begin(command string) {
	s.t.Helper()
	s.Send("ctrl+l")
	s.WaitFor(func(screen string) bool {
		_, y, _ := s.Cursor()
		return y == 0 && s.prompted(screen)
	})
	s.Send(command)
	s.WaitFor(func(screen string) bool {
		return strings.HasSuffix(strings.TrimSpace(strings.ReplaceAll(screen, "\n", "")), strings.TrimSpace(command))
	})
	s.Send("enter")
}

// run types a command and waits for its end. It returns what stands on the
// screen, without the command and the new prompt.
func (s *shell) run(command string) string {
	s.t.Helper()
	s.begin(command)
	s.WaitFor(s.prompted)
	rows := strings.Split(strings.TrimSpace(s.Screen()), "\n")
	return strings.Join(rows[1:len(rows)-1], "\n") + "\n"
}

// code returns the exit code of the last command.
func (s *shell) code() string {
	s.t.Helper()
	return strings.TrimSpace(s.run("echo $?"))
}

// quit ends pi or omp, which has the terminal.
func (s *shell) quit() {
	s.t.Helper()
	s.Send("ctrl+d")
	s.WaitFor(s.prompted)
}
