package cli_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// heed runs a command line in a process that modes of files keep out, root's too:
// it may not pass over them.
func (m *machine) heed(args []string, stdout, stderr io.Writer) int {
	self, err := os.Executable()
	if err != nil {
		_, _ = fmt.Fprintln(stderr, err) // the test shows it
		return -1
	}
	cmd := exec.Command(self, args...)
	cmd.Dir, cmd.Env = m.dir, append(tuitest.AsCommand(), m.env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(m.stdin), stdout, stderr
	ended := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: what is taken from the thread it does not get back, and it ends here
		if os.Geteuid() == 0 {
			if err := giveUp(); err != nil {
				ended <- err
				return
			}
		}
		ended <- cmd.Run()
	}()
	err = <-ended
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		_, _ = fmt.Fprintln(stderr, err)
		return -1
	}
	return 0
}
