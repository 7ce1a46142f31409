//go:build linux

// Command table measures Cambium beside the real programs pi and omp and prints
// one table of ratios from one run.
//
// Usage: table [-repeat N] [-only TEXT] [-rows TEXT] [-many] [-gate] [-write FILE]
//
// Every cell is the median of N fresh processes; the three programs take turns
// on the same files, in an order that rotates. The files are generated into the
// temporary directory (about 500 MB at a time, 1 GB with -many) and removed. With
// -write the table also goes to a file, with the date, the versions and the
// machine. With -gate the exit status is 1 when a ratio is below half of what is
// wanted; half, because a shared machine can slow one program down for a whole
// run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cambium-dev/cambium/interop/peers"
)

// options are what the command line says.
type options struct {
	repeat int
	only   string
	rows   string
	gate   bool
	write  string
	many   bool
}

func main() {
	var o options
	flag.IntVar(&o.repeat, "repeat", 5, "processes for each cell")
	flag.StringVar(&o.only, "only", "", "measure the files whose name contains this only: \"listing\" for the finding of sessions, \"growth\" for that of many, \"starting\" for the start of a process, \"prompt\" for a prompt, \"chat\" for the chat, \"acp\" for the agent of editors, \"writers\" for several at once")
	flag.StringVar(&o.rows, "rows", "", "measure the rows whose name contains this only")
	flag.BoolVar(&o.gate, "gate", false, "fail when a ratio is below half of what is wanted")
	flag.StringVar(&o.write, "write", "", "write the table to this file too")
	flag.BoolVar(&o.many, "many", false, "measure with 100,000 sessions too, which need 1 GB in the temporary directory")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

// run measures everything and prints it.
func run(ctx context.Context, o options) (err error) {
	if o.repeat < 1 || flag.NArg() > 0 {
		return errors.New("usage: table [-repeat N] [-only TEXT] [-rows TEXT] [-many] [-gate] [-write FILE]")
	}
	root, err := peers.Root()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cambium-table-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := &bench{ctx: ctx, dir: dir, program: filepath.Join(dir, "bench"), repeat: o.repeat, rows: o.rows}
	b.turn = filepath.Join(dir, "turn")
	b.command, b.root, b.many = filepath.Join(dir, "cambium"), root, o.many
	b.start = filepath.Join(dir, "start")
	for program, room := range map[string]string{b.program: "./bench", b.turn: "./bench/turn", b.start: "./table/start", b.command: "github.com/cambium-dev/cambium/cmd/cambium"} {
		build := exec.CommandContext(ctx, "go", "build", "-o", program, room)
		build.Dir = filepath.Join(root, "interop")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w: %s", room, err, out)
		}
		if err := installed(program); err != nil {
			return err
		}
	}
	var rows []row
	for _, f := range files() {
		if !strings.Contains(f.name, o.only) {
			continue
		}
		fmt.Fprintf(os.Stderr, "table: %s\n", f.name)
		more, err := b.file(f)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	for _, group := range []struct {
		name    string
		measure func() ([]row, error)
	}{{starting, b.starting}, {printing, b.printing}, {listing, b.listing}, {growth, b.growth}, {chatting, b.chatting}, {editing, b.editing}} {
		if !strings.Contains(group.name, o.only) {
			continue
		}
		fmt.Fprintf(os.Stderr, "table: %s\n", group.name)
		more, err := group.measure()
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	var c *crowd
	if strings.Contains(crowding, o.only) && b.wants(crowding) {
		fmt.Fprintf(os.Stderr, "table: %s\n", crowding)
		if c, err = b.crowd(); err != nil {
			return err
		}
	}
	text := render(rows, c, about(ctx, root, o.repeat))
	fmt.Print(text)
	if o.write != "" {
		if err := os.WriteFile(o.write, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if o.gate {
		return gate(rows)
	}
	return nil
}

// gate returns an error that names the rows which are below half of what is
// wanted.
func gate(rows []row) error {
	var errs []error
	for _, r := range rows {
		if r.wanted > 0 && r.faster() < r.wanted/2 {
			errs = append(errs, fmt.Errorf("%s %s: %.2f times as fast, wanted %.2f", r.file, r.name, r.faster(), r.wanted))
		}
		if r.wantedMemory > 0 && r.smaller() < r.wantedMemory/2 {
			errs = append(errs, fmt.Errorf("%s %s: memory %.2f times as small, wanted %.2f", r.file, r.name, r.smaller(), r.wantedMemory))
		}
	}
	return errors.Join(errs...)
}
