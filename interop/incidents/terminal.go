//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/creack/pty"
)

// command builds the command into a folder and returns its path, or that of the
// program which commandVariable says is the command in its role.
func command(dir string) (string, error) {
	if path := os.Getenv(commandVariable); path != "" {
		return path, nil
	}
	root, err := peers.Root()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "cambium-command")
	build := exec.Command("go", "build", "-o", path, "./cmd/cambium")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build cambium: %w: %s", err, out)
	}
	return path, nil
}

// onTerminal runs the command with a terminal of 200 columns for its output, at
// most as long as a call may take, and returns what the terminal received.
func onTerminal(home string, args ...string) (out string, code int, err error) {
	path, err := command(home)
	if err != nil {
		return "", 0, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), ownLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "PAGER=cat", roleVariable + "=command"}
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 200})
	if err != nil {
		return "", 0, err
	}
	var b bytes.Buffer
	_, _ = io.Copy(&b, master) // ends with an error when the terminal closes
	err = errors.Join(cmd.Wait(), master.Close())
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return b.String(), exit.ExitCode(), nil
	}
	return b.String(), 0, err
}
