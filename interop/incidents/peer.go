//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/interop/peers"
)

// peerProcess is a process of pi or omp.
type peerProcess struct {
	driver *peers.Driver
	cancel context.CancelFunc
	cwd    string
}

func startPeer(program peers.Program, cwd string) (*peerProcess, error) {
	ctx, cancel := context.WithCancel(context.Background())
	d, err := peers.Start(ctx, program)
	if err != nil {
		cancel()
		return nil, err
	}
	return &peerProcess{d, cancel, cwd}, nil
}

// call gives a call the name that the driver has for it.
func (p *peerProcess) call(op string, args ...any) (entry.JSON, error) {
	switch op {
	case "append":
		op, args = "say", args[:1]
	case "image":
		op = "picture"
	case "size":
		op = "contextSize"
	case "tree":
		op = "treeSize"
	case "llm":
		op = "outgoing"
	case "title":
		op, args = "setName", append(args, "user")
	case "list":
		if args[0] == "" {
			op, args = "listPaths", args[1:] // where the program itself looks
		} else {
			op, args = "listPaths", []any{p.cwd, args[0]}
		}
	case "fork":
		op = "forkFrom"
	case "path":
		op = "sessionFile"
	case "continue":
		op = "continueRecent"
	}
	v, err := p.driver.Call(op, args...)
	var fault *peers.Fault
	if errors.As(err, &fault) {
		return nil, &said{fault.Message}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	if op == "continueRecent" {
		v, _ = jsonedit.Get(v, "file")
	}
	return entry.JSON(v), nil
}

func (p *peerProcess) kill() { p.cancel() }

func (p *peerProcess) close() error {
	err := p.driver.Close()
	p.cancel()
	return err
}

func (p *peerProcess) pid() int     { return p.driver.PID() }
func (p *peerProcess) home() string { return p.driver.Home() }
