package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

const noShell = "neither bash nor PowerShell is on the PATH"

// spell quotes the arguments in one way for all shells.
func spell(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: quoteAll(cmd.Args)}
}

// Bash finds a bash of Windows, as Git has it, on the Path of an environment or where
// programs are, or else PowerShell.
func Bash(environ []string) (Shell, error) {
	path := filepath.SplitList(variable(environ, "PATH"))
	var programs []string
	for _, name := range []string{"ProgramW6432", "ProgramFiles", "ProgramFiles(x86)"} {
		if dir := variable(environ, name); dir != "" {
			programs = append(programs, dir)
		}
	}
	if dir := variable(environ, "LocalAppData"); dir != "" {
		programs = append(programs, filepath.Join(dir, "Programs"))
	}
	for _, shell := range windowsShells(path, programs, variable(environ, "SystemRoot")) {
		if !filepath.IsAbs(shell.Path) {
			continue
		}
		if info, err := os.Stat(shell.Path); err == nil && info.Mode().IsRegular() {
			return shell, nil
		}
	}
	return Shell{}, ErrNoShell
}

// Hook finds the shell that Bash finds.
func Hook(environ []string) (Shell, error) { return Bash(environ) }

// variable returns a variable, whose name has no case here.
func variable(environ []string, name string) (value string) {
	for _, pair := range environ {
		if k, v, ok := strings.Cut(pair, "="); ok && strings.EqualFold(k, name) {
			value = v
		}
	}
	return value
}
