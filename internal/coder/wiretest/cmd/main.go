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
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "wiretest:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) (err error) {
	flags := flag.NewFlagSet("wiretest", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:0", "where to listen")
	log := flags.String("log", "", "a file to which the requests are added, one a line: path and body")
	tied := flags.Bool("tied", false, "end with standard input")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("read arguments: one script is wanted, not %d", flags.NArg())
	}
	text, err := os.ReadFile(flags.Arg(0))
	if err != nil {
		return err
	}
	script, err := wiretest.ParseScript(text)
	if err != nil {
		return err
	}
	if *log != "" {
		f, err := os.OpenFile(*log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		script.Log = f
	}
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "http://%s\n", l.Addr())
	if *tied {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		go func() {
			_, _ = io.Copy(io.Discard, stdin) // whoever started this has gone
			cancel()
		}()
	}
	return wiretest.Serve(ctx, l, script)
}
