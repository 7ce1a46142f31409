//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// halt stops a process that this one started, and waits until it stands still.
func halt(p *os.Process) error {
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	var status unix.WaitStatus
	if _, err := unix.Wait4(p.Pid, &status, unix.WUNTRACED, nil); err != nil || !status.Stopped() {
		return fmt.Errorf("%v, %v", status, err)
	}
	return nil
}

// goOn undoes halt.
func goOn(p *os.Process) { _ = p.Signal(syscall.SIGCONT) }
