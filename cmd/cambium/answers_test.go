package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// answers CODE TEXT COMMAND…: the command must ask something on a terminal and end
// with that code when TEXT is typed behind its question, or "^D" is. What the
// terminal showed is its standard output.
func answers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: answers CODE TEXT COMMAND [ARG...]")
	}
	path, err := exec.LookPath(args[2])
	ts.Check(err)
	cmd := exec.Command(path, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "PATH", "WORK", "TMPDIR", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(cmd.Env, "TERM=dumb", "PWD="+cmd.Dir)
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 10_000}) // so wide that nothing is wrapped, however long the names
	ts.Check(err)
	defer terminal.Close()
	typed := strings.ReplaceAll(args[1], "^D", "\x04")
	if typed == args[1] {
		typed += "\n"
	}
	shown := read(terminal, typed)
	code := 0
	if exit, ok := cmd.Wait().(*exec.ExitError); ok {
		code = exit.ExitCode()
	}
	fmt.Fprint(ts.Stdout(), strings.ReplaceAll(shown, "\r\n", "\n"))
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("%s: exit code %d, want %s:\n%s", strings.Join(args[2:], " "), code, args[0], shown)
	}
}

// read returns all that a terminal shows, and types a text where a question ends.
func read(terminal *os.File, typed string) string {
	var all bytes.Buffer
	piece := make([]byte, 1<<10)
	for asked := false; ; {
		n, err := terminal.Read(piece)
		all.Write(piece[:n])
		if !asked && bytes.HasSuffix(all.Bytes(), []byte("] ")) {
			asked = true
			_, _ = io.WriteString(terminal, typed) // one that has ended hears nothing
		}
		if err != nil {
			return all.String()
		}
	}
}
