//go:build unix

package shellhook

import (
	"os/exec"
	"syscall"
)

// group makes a command a process group of its own, and the end of its context
// that of the group.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
