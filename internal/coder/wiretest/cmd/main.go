// Command cmd serves a script of replies as model providers would, for tests
// that start programs: it prints its address on a line of its own and answers
// until it is ended.
//
//	cmd [-addr 127.0.0.1:0] [-log FILE] [-tied] SCRIPT
//
// The script is described at wiretest.Reply and wiretest.ParseScript.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "where to listen")
	log := flag.String("log", "", "a file to which the requests are added, one a line: path and body")
	tied := flag.Bool("tied", false, "end with standard input")
	flag.Parse()
	if err := run(*addr, *log, *tied, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "wiretest:", err)
		os.Exit(1)
	}
}

func run(addr, log string, tied bool, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("read arguments: one script is wanted, not %d", len(args))
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	script, err := wiretest.ParseScript(text)
	if err != nil {
		return err
	}
	if log != "" {
		f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		script.Log = f
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if tied {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // whoever started this has gone
			cancel()
		}()
	}
	return wiretest.Serve(ctx, l, script)
}
