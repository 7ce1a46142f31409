//go:build unix

package process

import "syscall"

// kin is not needed: a group has the number of its first process.
type kin struct{}

func (f *Family) start() error {
	if f.Cmd.SysProcAttr == nil {
		f.Cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	f.Cmd.SysProcAttr.Setpgid = f.Terminal
	f.Cmd.SysProcAttr.Setsid = !f.Terminal // which is a group too
	return f.Cmd.Start()
}

func (f *Family) ask() bool {
	_ = syscall.Kill(-f.Cmd.Process.Pid, syscall.SIGTERM) // none of it may be there
	return true
}

func (f *Family) kill() { _ = syscall.Kill(-f.Cmd.Process.Pid, syscall.SIGKILL) } // none of it may be there

func (f *Family) release() {}
