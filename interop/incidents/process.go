//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// What a child is told through its environment.
const (
	roleVariable    = "INCIDENTS_ROLE"
	commandVariable = "INCIDENTS_COMMAND" // of this program itself: what is the command, instead of one that is built
	agentVariable   = "INCIDENTS_AGENT"
	syncVariable    = "INCIDENTS_SYNC"
	denyVariable    = "INCIDENTS_DENY" // whether "deny" will be called
)

// cambiumProcess is a child of this very program that serves Cambium's library.
type cambiumProcess struct {
	cmd     *exec.Cmd
	private string
	in      io.WriteCloser
	out     *bufio.Reader
	stderr  strings.Builder
	closing sync.Once
	ended   error
}

// startCambium starts one with a home. More of its environment may be given.
func startCambium(home string, more ...string) (*cambiumProcess, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &cambiumProcess{cmd: exec.Command(self), private: home}
	p.cmd.Env = append([]string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "LANG=C.UTF-8",
		"CAMBIUM_STATE_DIR=" + filepath.Join(home, "state"), roleVariable + "=serve",
	}, more...)
	p.cmd.Stderr = &p.stderr
	in, err1 := p.cmd.StdinPipe()
	out, err2 := p.cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 1<<16)
	return p, p.cmd.Start()
}

func (p *cambiumProcess) call(op string, args ...any) (entry.JSON, error) {
	if args == nil {
		args = []any{}
	}
	list, err := json.Marshal(args, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(p.in, `{"op":%s,"args":%s}`+"\n", jsonedit.Quoted(op), list); err != nil {
		return nil, p.died(err)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return nil, p.died(err)
	}
	if text, ok := jsonedit.Text(line, "error"); ok {
		return nil, &said{text}
	}
	v, _ := jsonedit.Get(line, "value")
	return v, nil
}

// died says what a process that does not answer said last.
func (p *cambiumProcess) died(err error) error {
	_ = p.close() // so that all it said is here
	return fmt.Errorf("%w: %s", err, firstLine(p.stderr.String()))
}

func (p *cambiumProcess) kill() { _ = p.cmd.Process.Kill() } // it may have ended by itself

func (p *cambiumProcess) close() error {
	p.closing.Do(func() {
		_ = p.in.Close() // it may have ended by itself
		p.ended = p.cmd.Wait()
	})
	return p.ended
}

func (p *cambiumProcess) pid() int     { return p.cmd.Process.Pid }
func (p *cambiumProcess) home() string { return p.private }
