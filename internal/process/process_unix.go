//go:build unix

package process

import "syscall"

// kin is the group of processes that the command and all that it starts belong to.
type kin struct{ group int }

func (f *Family) start() error {
	if f.Cmd.SysProcAttr == nil {
		f.Cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	f.Cmd.SysProcAttr.Setpgid = f.Terminal
	f.Cmd.SysProcAttr.Setsid = !f.Terminal // which is a group too
	err := f.Cmd.Start()
	if err == nil {
		f.kin.group = f.Cmd.Process.Pid // that of its first process
	}
	return err
}

// signal tells all of it, none of which may be there. What was never started has no
// group: 0 would be that of this process.
func (k kin) signal(s syscall.Signal) {
	if k.group > 0 {
		_ = syscall.Kill(-k.group, s)
	}
}

func (f *Family) ask() bool {
	f.kin.signal(syscall.SIGTERM)
	return true
}

func (f *Family) kill() { f.kin.signal(syscall.SIGKILL) }

func (f *Family) release() {}
