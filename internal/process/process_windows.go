package process

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/windows"
)

// kin is the job object that the command and all that it starts belong to.
type kin struct{ job windows.Handle }

// resume lets a process that was made to wait run.
var resume = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")

// start puts the command into a job before it does anything: it is made to wait, so that
// nothing that it starts is outside of the job.
func (f *Family) start() (err error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("make a job object: %w", err)
	}
	f.kin.job = job
	defer func() {
		if err != nil {
			f.release()
		}
	}()
	if f.Cmd.SysProcAttr == nil {
		f.Cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	f.Cmd.SysProcAttr.HideWindow = true
	f.Cmd.SysProcAttr.CreationFlags |= windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW
	if err := f.Cmd.Start(); err != nil {
		return err
	}
	if err := f.adopt(); err != nil {
		_ = f.Cmd.Process.Kill() // it did nothing yet
		_ = f.Cmd.Wait()
		return err
	}
	return nil
}

// adopt puts the command into the job and lets it run.
func (f *Family) adopt() error {
	const rights = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE | windows.PROCESS_SUSPEND_RESUME
	p, err := windows.OpenProcess(rights, false, uint32(f.Cmd.Process.Pid))
	if err != nil {
		return fmt.Errorf("open the program: %w", err)
	}
	defer func() { _ = windows.CloseHandle(p) }() // it goes on without
	if err := windows.AssignProcessToJobObject(f.kin.job, p); err != nil {
		return fmt.Errorf("put the program into a job object: %w", err)
	}
	if err := resume.Find(); err != nil {
		return err
	}
	if status, _, _ := resume.Call(uintptr(p)); status != 0 {
		return errors.Join(errors.New("let the program run"), windows.NTStatus(status))
	}
	return nil
}

// ask has no way: only who shares a console can be asked to end.
func (f *Family) ask() bool { return false }

func (f *Family) kill() { _ = windows.TerminateJobObject(f.kin.job, 1) } // none of it may be there

func (f *Family) release() {
	_ = windows.CloseHandle(f.kin.job) // what is in it goes on
	f.kin.job = 0
}
