//go:build share

package jetstream_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
)

// child is what another process does.
func child(part string) int {
	args := strings.Split(os.Getenv("CHILD_ARGS"), "\t")
	ctx := context.Background()
	s, err := opened(jetstream.Open(ctx, os.Getenv("CHILD_URL"), jetstream.Options{Stream: args[0], LeaseFor: time.Second}))
	if err == nil {
		defer s.Close()
		switch part {
		case "append":
			err = childAppend(ctx, s, args[1:])
		case "lease":
			err = childLease(ctx, s, args[1:])
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		return 1
	}
	return 0
}

// childAppend: NAME, WRITER, FIRST, COUNT.
func childAppend(ctx context.Context, s wholeStore, args []string) error {
	log, err := s.Open(ctx, args[0], storage.Write)
	if err != nil {
		return err
	}
	info, err := log.Stat(ctx)
	if err != nil {
		return err
	}
	mark := info.Mark
	from, err1 := strconv.Atoi(args[2])
	count, err2 := strconv.Atoi(args[3])
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	fmt.Println("ready")
	bufio.NewScanner(os.Stdin).Scan()
	for i := range count {
		if mark, err = appendAny(ctx, log, mark, fmt.Sprintf("%s-%d", args[1], from+i)); err != nil {
			return err
		}
		fmt.Println("acked", i)
	}
	return nil
}

// childLease: NAME. It holds the log, says when it lost it, and then appends with
// what it knew.
func childLease(ctx context.Context, s wholeStore, args []string) error {
	log, err := s.Open(ctx, args[0], storage.Write)
	if err != nil {
		return err
	}
	info, err := log.Stat(ctx)
	if err != nil {
		return err
	}
	lease, err := s.Lease(ctx, args[0], storage.Holder{ID: "child", PID: os.Getpid(), Since: time.Unix(1, 0)})
	if err != nil {
		return err
	}
	fmt.Println("held")
	<-lease.Lost()
	fmt.Println("lost")
	_, err = log.Append(ctx, info.Mark, [][]byte{[]byte("1-0")})
	var c *storage.Changed
	if !errors.As(err, &c) || c.Kind != storage.Grown {
		return fmt.Errorf("append with the old mark: %w", err)
	}
	fmt.Println("told")
	if _, err := appendAny(ctx, log, c.Now, "1-0"); err != nil {
		return err
	}
	fmt.Println("appended")
	return nil
}
