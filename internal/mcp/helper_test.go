package mcp_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// artifact makes a file at a path.
func artifact(path string) func(context.Context, string) (string, io.WriteCloser, error) {
	return func(context.Context, string) (string, io.WriteCloser, error) {
		f, err := os.Create(path)
		return path, f, err
	}
}

// status is the state of a process as ps tells it, "" for one that is not there.
func status(pid int) string {
	out, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))[:1]
}
