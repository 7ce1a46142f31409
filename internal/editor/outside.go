package editor

import (
	"io"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"
)

// leastOutside is how long the terminal is another program's at least. Bubble Tea
// 2.0.10 stops the clock of its screen beside what follows: where the program ended
// at once, that could be after the clock was started again, and nothing was drawn
// any more.
const leastOutside = 100 * time.Millisecond

// An outside program has the terminal.
type outside struct{ cmd *exec.Cmd }

var _ tea.ExecCommand = outside{}

// Run runs it.
func (o outside) Run() error {
	settled := time.After(leastOutside)
	err := o.cmd.Run()
	<-settled
	return err
}

// SetStdin gives it what is typed.
func (o outside) SetStdin(r io.Reader) { o.cmd.Stdin = r }

// SetStdout gives it the screen.
func (o outside) SetStdout(w io.Writer) { o.cmd.Stdout = w }

// SetStderr gives it the screen too.
func (o outside) SetStderr(w io.Writer) { o.cmd.Stderr = w }
