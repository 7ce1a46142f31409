package natstest

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// Freeze stops the server's process and waits until it stands still; Thaw lets it
// go on.
func (s *Server) Freeze() error {
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	// The kernel says so when the last of its threads has stopped.
	for {
		err := unix.Waitid(unix.P_PID, s.cmd.Process.Pid, nil, unix.WSTOPPED, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// Thaw undoes Freeze.
func (s *Server) Thaw() error { return s.cmd.Process.Signal(syscall.SIGCONT) }
