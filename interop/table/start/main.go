//go:build linux

// Command start runs a program and says how long it took, and how much memory. It
// is there because it is small: what the system tells of a program that has ended
// is never less than the memory of who started it.
//
// Usage: start REPORT PROGRAM [ARGUMENT...]
//
// The program has the input, the output and the environment of this one. REPORT is
// written when it has ended: when it was started, in ns since 1970, how long it
// ran, in ns, and its greatest resident memory, in KiB. The exit status is that of
// the program.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

func main() {
	runtime.LockOSThread() // the program ends with the thread that started it
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "start:", err)
		code = 1
	}
	os.Exit(code)
}

func run(args []string) (int, error) {
	if len(args) < 2 {
		return 0, errors.New("usage: start REPORT PROGRAM [ARGUMENT...]")
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	from := time.Now()
	err := cmd.Run()
	took := time.Since(from)
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
		return 0, err
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, errors.New("the system does not tell what a process took")
	}
	report := fmt.Sprintln(from.UnixNano(), took.Nanoseconds(), usage.Maxrss)
	return max(cmd.ProcessState.ExitCode(), 0), os.WriteFile(args[0], []byte(report), 0o600)
}
