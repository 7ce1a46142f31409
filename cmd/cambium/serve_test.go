package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// servants is the key of the one server that a script runs.
type servants struct{}

// A servant is that server.
type servant struct {
	cmd    *exec.Cmd
	stderr bytes.Buffer
}

// served SOCKET ARG…: run cambium with the arguments until ended CODE, and go on
// when it says that it listens on the socket. stdout is what it printed first.
func served(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: served SOCKET ARG...")
	}
	s := &servant{cmd: exec.Command("cambium", args[1:]...)}
	s.cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "TZ", "PATH", "TMPDIR"} {
		s.cmd.Env = append(s.cmd.Env, name+"="+ts.Getenv(name))
	}
	s.cmd.Env = append(s.cmd.Env, "GORACE=atexit_sleep_ms=0")
	s.cmd.Stderr = &s.stderr
	out, err := s.cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(s.cmd.Start())
	ts.Defer(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		ts.Fatalf("%v: %s", err, s.stderr.String())
	}
	_, _ = io.WriteString(ts.Stdout(), line)
	*ts.Value(servants{}).(**servant) = s
}

// short NAME: a new directory for sockets, whose paths are short wherever the
// temporary directory is, in the variable NAME.
func short(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: short NAME")
	}
	dir, err := os.MkdirTemp("/tmp", "cambium")
	ts.Check(err)
	ts.Defer(func() { _ = os.RemoveAll(dir) })
	ts.Setenv(args[0], dir)
}

// ended CODE: interrupt what served runs, which must end with that code. stderr
// is all that it said.
func ended(ts *testscript.TestScript, neg bool, args []string) {
	s := *ts.Value(servants{}).(**servant)
	if neg || len(args) != 1 || s == nil {
		ts.Fatalf("usage: ended CODE, after served")
	}
	ts.Check(s.cmd.Process.Signal(os.Interrupt))
	_ = s.cmd.Wait() // the code says it
	if code := strconv.Itoa(s.cmd.ProcessState.ExitCode()); code != args[0] {
		ts.Fatalf("exit code %s, want %s: %s", code, args[0], s.stderr.String())
	}
	_, _ = ts.Stderr().Write(s.stderr.Bytes())
}

// ask SOCKET FILE: send a file to a socket and print what comes back.
func ask(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ask SOCKET FILE")
	}
	c, err := net.Dial("unix", filepath.Clean(ts.MkAbs(args[0])))
	ts.Check(err)
	defer c.Close()
	_, err = io.WriteString(c, ts.ReadFile(args[1]))
	ts.Check(err)
	ts.Check(c.(*net.UnixConn).CloseWrite())
	_, err = io.Copy(ts.Stdout(), c)
	ts.Check(err)
}
