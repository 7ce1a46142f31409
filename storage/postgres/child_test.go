//go:build share

package postgres_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/postgres"
)

// A process is this test program again, as another machine's.
type process struct {
	*exec.Cmd
	lines *bufio.Scanner
}

// begin starts a child with a name and arguments.
func begin(t *testing.T, name string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0], args...)}
	p.Env = append(os.Environ(), "CAMBIUM_TEST_CHILD="+name)
	p.Stderr = os.Stderr
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewScanner(out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.Process.Kill() // most have ended
		_ = p.Wait()
	})
	return p
}

// line is the next line that the child says, "" at its end.
func (p *process) line() string {
	if !p.lines.Scan() {
		return ""
	}
	return p.lines.Text()
}

// child is what a child does.
func child(name string) int {
	var err error
	switch ctx := context.Background(); name {
	case "append":
		err = childAppend(ctx)
	case "lease":
		err = childLease(ctx)

	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		return 1
	}
	return 0
}

// childAppend appends "WHO-N" for N from the second number on, as many as the
// third says, to a log that is there, and says each that is acknowledged.
func childAppend(ctx context.Context) error {
	url, schema, who := os.Args[1], os.Args[2], os.Args[3]
	from, _ := strconv.Atoi(os.Args[4])
	count, _ := strconv.Atoi(os.Args[5])
	s, err := opened(postgres.Open(ctx, url, postgres.Options{Schema: schema}))
	if err != nil {
		return err
	}
	log, err := s.Open(ctx, "/p/log", storage.Write)
	if err != nil {
		return err
	}
	info, err := log.Stat(ctx)
	if err != nil {
		return err
	}
	mark := info.Mark
	for n := from; n < from+count; n++ {
		line := fmt.Sprintf("%s-%d", who, n)
		if mark, err = appendAny(ctx, log, mark, line); err != nil {
			return err
		}
		fmt.Println(n)
	}
	return errors.Join(log.Close(), s.Close())
}

// childLease holds a lease for a second at a time, says when it is lost, and
// appends then with the mark that it had.
func childLease(ctx context.Context) error {
	s, err := opened(postgres.Open(ctx, os.Args[1], postgres.Options{Schema: os.Args[2], LeaseFor: time.Second}))
	if err != nil {
		return err
	}
	log, err := s.Open(ctx, "/p/log", storage.Write)
	if err != nil {
		return err
	}
	info, err := log.Stat(ctx)
	if err != nil {
		return err
	}
	lease, err := s.Lease(ctx, "/p/log", storage.Holder{ID: "child", Host: "there", PID: os.Getpid(), Since: time.Now()})
	if err != nil {
		return err
	}
	fmt.Println("held")
	<-lease.Lost()
	fmt.Println("lost")
	_, err = log.Append(ctx, info.Mark, [][]byte{[]byte("late")})
	var c *storage.Changed
	if !errors.As(err, &c) {
		return fmt.Errorf("append after the lease was lost: %w", err)
	}
	fmt.Println(c.Kind)
	if _, err := appendAny(ctx, log, c.Now, "late"); err != nil {
		return err
	}
	fmt.Println("done")
	return errors.Join(lease.Release(ctx), log.Close(), s.Close())
}

// appendAny appends as a careful caller does: it follows every change.
func appendAny(ctx context.Context, log storage.Log, mark storage.Mark, lines ...string) (storage.Mark, error) {
	data := make([][]byte, len(lines))
	for i, line := range lines {
		data[i] = []byte(line)
	}
	for {
		next, err := log.Append(ctx, mark, data)
		var c *storage.Changed
		if !errors.As(err, &c) {
			return next, err
		}
		mark = c.Now
	}
}
