package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// interrupted CODE FILE COMMAND…: the command, whose input is FILE, must end with
// that code when it is interrupted after it has said something. stderr is all that
// it said.
func interrupted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: interrupted CODE FILE COMMAND [ARG...]")
	}
	cmd := exec.Command(args[2], args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "PATH", "TMPDIR"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.Stdin = bytes.NewReader([]byte(ts.ReadFile(args[1])))
	said, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	defer func() { _ = cmd.Process.Kill() }() // it has ended, or the script has failed
	r := bufio.NewReader(said)
	line, err := r.ReadString('\n')
	ts.Check(err)
	ts.Check(cmd.Process.Signal(os.Interrupt))
	rest, err := io.ReadAll(r)
	ts.Check(err)
	_ = cmd.Wait() // the code says it
	_, _ = io.WriteString(ts.Stderr(), line+string(rest))
	if code := strconv.Itoa(cmd.ProcessState.ExitCode()); code != args[0] {
		ts.Fatalf("%s: exit code %s, want %s: %s%s", args[2], code, args[0], line, rest)
	}
}
