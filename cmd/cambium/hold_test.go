package main

import (
	"context"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/rogpeppe/go-internal/testscript"
)

// hold NAME FILE: have a session open, as another process has, until the script
// ends, or hold NAME ends it.
func hold(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: hold NAME [FILE]")
	}
	open := ts.Value(holds{}).(map[string]func())
	if len(args) == 1 {
		open[args[0]]()
		return
	}
	p := state.NewPresence(state.PresenceOptions{Dir: filepath.Join(ts.Getenv("HOME"), ".local", "state", "cambium")})
	id, err := p.Enter(context.Background(), ts.MkAbs(args[1]))
	ts.Check(err)
	open[args[0]] = func() { ts.Check(p.Leave(context.Background(), id)) }
	ts.Defer(open[args[0]])
}

// holds is the key of what a script has open.
type holds struct{}
