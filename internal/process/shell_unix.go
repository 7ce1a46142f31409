//go:build unix

package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const noShell = "neither bash nor sh is on the PATH"

// spell leaves the arguments as they are.
func spell(*exec.Cmd) {}

// Bash finds bash, or else sh, on the PATH of an environment, or where it usually is.
func Bash(environ []string) (Shell, error) {
	path := ""
	for _, pair := range environ {
		if value, ok := strings.CutPrefix(pair, "PATH="); ok {
			path = value
		}
	}
	dirs := append(filepath.SplitList(path), "/bin", "/usr/bin")
	for _, name := range []string{"bash", "sh"} {
		for _, dir := range dirs {
			path := filepath.Join(dir, name)
			if !filepath.IsAbs(path) {
				continue
			}
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return Shell{Path: path}, nil
			}
		}
	}
	return Shell{}, ErrNoShell
}

// Hook finds sh, on the PATH of this process.
func Hook([]string) (Shell, error) {
	path, err := exec.LookPath("sh")
	return Shell{Path: path}, err
}
