package state

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// A process is another one, with the regular files that it has open. There are
// none where the system has no /proc, and of other users only those that may be
// looked into.
type process struct {
	pid      int
	terminal string
	files    []descriptor
}

type descriptor struct {
	fd       string
	dev, ino uint64
}

// processes looks at all processes but this one.
func processes(ctx context.Context) []process {
	if runtime.GOOS != "linux" {
		return nil // there who has a file open is asked of the file
	}
	pids, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []process
	for _, entry := range pids {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() || ctx.Err() != nil {
			continue
		}
		fds, err := vfs.Descriptors(pid)
		if err != nil {
			continue // it ended, or is another user's
		}
		p := process{pid: pid}
		for _, info := range fds {
			switch {
			case info.Regular():
				p.files = append(p.files, descriptor{info.Name, info.Dev, info.Ino})
			case info.Name == "0":
				to, err := os.Readlink(filepath.Join("/proc", entry.Name(), "fd", "0"))
				if err == nil && isTerminal(to) {
					p.terminal = to
				}
			}
		}
		all = append(all, p)
	}
	return all
}

// isTerminal reports whether a device is a terminal, by its name.
func isTerminal(device string) bool {
	return strings.HasPrefix(device, "/dev/pts/") || strings.HasPrefix(device, "/dev/tty")
}

// writes reports whether the process has a file open to write to it.
func (p process) writes(info vfs.Info) bool {
	for _, d := range p.files {
		if d.ino != info.Ino || d.dev != info.Dev {
			continue
		}
		raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.pid), "fdinfo", d.fd))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(raw)) {
			text, ok := strings.CutPrefix(line, "flags:")
			flags, err := strconv.ParseUint(strings.TrimSpace(text), 8, 64)
			if ok && err == nil && flags&(syscall.O_WRONLY|syscall.O_RDWR) != 0 {
				return true
			}
		}
	}
	return false
}

// program returns the name of the program that the process runs.
func (p process) program() string { return programOf(p.pid) }

// programOf returns the name of the program that a process runs, of a script
// the script's; "" when it is not known.
func programOf(pid int) string {
	if runtime.GOOS != "linux" {
		return vfs.Process(pid).Program
	}
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil || len(raw) == 0 {
		return ""
	}
	var name string
	for i, arg := range bytes.Split(bytes.TrimRight(raw, "\x00"), []byte{0}) {
		if i > 0 && (len(arg) == 0 || arg[0] == '-') {
			continue // an option of the interpreter
		}
		name = strings.TrimSuffix(filepath.Base(string(arg)), ".js")
		switch name {
		case "node", "bun", "deno", "run":
			continue
		case "cli", "index", "main":
			// A package's own start: the package has the name.
			name = packageOf(string(arg), name)
		}
		break
	}
	return name
}

// packageOf returns the name of the package of agents in which a script lies.
func packageOf(path, name string) string {
	for dir := filepath.Dir(path); dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		switch base := filepath.Base(dir); base {
		case "dist", "src", "bin", "lib":
		case "pi-coding-agent":
			return packageScope(dir)
		default:
			return base
		}
	}
	return name
}

// packageScope tells pi's package from omp's, which has the same name in another
// scope.
func packageScope(dir string) string {
	if filepath.Base(filepath.Dir(dir)) == "@oh-my-pi" {
		return "omp"
	}
	return "pi"
}
