package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/rpc"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// longestSocket is how long the path of a socket may be, in bytes: what systems
// take, less what a name on the way needs.
const longestSocket = 92

// A socketConn is one connection of the socket.
type socketConn struct {
	*visitor
	number int
}

// openSocket makes the socket. One that a dead server left is replaced, which
// two servers cannot do at once: each holds a lock as long as it runs.
func (s *server) openSocket() (_ end, err error) {
	path := s.o.Socket
	fail := func(err error) (end, error) { return end{}, fmt.Errorf("listen on socket %q: %w", path, err) }
	if len(path) > longestSocket {
		return fail(fmt.Errorf("its path is longer than %d bytes; name a shorter one with --socket", longestSocket))
	}
	if _, err := vfs.MkdirAll(vfs.OS(), filepath.Dir(path)); err != nil {
		return fail(err)
	}
	lock, err := openLock(path + ".lock")
	if err != nil {
		return fail(err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, lock.Close())
		}
	}()
	if ok, err := lock.TryLock(); err != nil {
		return fail(err)
	} else if !ok {
		return fail(fmt.Errorf("another server has it: %w", ErrTaken))
	}
	if err := vacant(path); err != nil {
		return fail(err)
	}
	l, info, err := bind(path)
	if err != nil {
		return fail(err)
	}
	var open sync.WaitGroup
	release := sync.OnceFunc(func() {
		_ = l.Close() // it is one of ours and accepts nothing more
		if now, err := vfs.OS().Lstat(path); err == nil && now.SameFile(info) {
			_ = vfs.OS().Remove(path) // a name that is left is replaced by the next server
		}
		_ = lock.Close() // nothing was written to it
	})
	return end{
		address: "unix:" + path,
		serve:   func() error { return s.accept(l, &open) },
		stop: func(ctx context.Context) error {
			_ = l.Close() // what came before is answered
			return wait(ctx, &open)
		},
		kill: func() {
			_ = l.Close()
			open.Wait() // their calls are cancelled, if they had to be
			release()
		},
	}, nil
}

// vacant sees that nothing is at the path of a socket but what a dead server
// left.
func vacant(path string) error {
	info, err := vfs.OS().Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode.Type() != fs.ModeSocket:
		return fmt.Errorf("something else is there: %w", ErrTaken)
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	switch {
	case err == nil:
		_ = c.Close()
		return fmt.Errorf("another server answers there: %w", ErrTaken)
	case refused(err), errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// wait waits for work, or for ctx.
func wait(ctx context.Context, work *sync.WaitGroup) error {
	done := make(chan struct{})
	go func() {
		work.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// accept serves whoever comes, until the listener is closed.
func (s *server) accept(l net.Listener, open *sync.WaitGroup) error {
	for number := 1; ; number++ {
		c, err := l.Accept()
		switch {
		case err == nil:
		case s.stopping() || errors.Is(err, net.ErrClosed):
			return nil
		default:
			s.log.Warn("connection not accepted", "error", err)
			select { // out of descriptors, as a rule
			case <-time.After(100 * time.Millisecond):
			case <-s.draining:
			}
			continue
		}
		conn := &socketConn{s.doors.socket.admit(c), number}
		if !s.enter(conn) {
			s.metrics.refuse("connections")
			_, _ = c.Write(append(rpc.Refusal(rpc.TooMuch, "too many connections; try again later"), '\n')) // it is told if it listens
			_ = conn.Close()
			continue
		}
		open.Go(func() { s.talk(conn) })
	}
}

// enter counts a connection of the socket, if there is room for it.
func (s *server) enter(c *socketConn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	here := len(s.clients)
	for other := range s.sockets {
		if !other.over() {
			here++
		}
	}
	if most := s.o.Limits.Connections; most >= 0 && here >= most {
		return false
	}
	s.sockets[c] = true
	return true
}

// talk serves one connection of the socket until it ends.
func (s *server) talk(c *socketConn) {
	s.log.Info("connected", "socket", c.number)
	b := &bucket{rate: s.o.Limits.Rate, now: s.o.Now}
	charge := s.charge(b)
	o := s.rpcOptions(rpc.Bounds{Calls: func(n int) error {
		if !c.know() {
			return errors.New("too many connections; try again later")
		}
		return charge(n)
	}})
	o.Began = func(unsaved func() int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.counts[c.number] = unsaved
	}
	err := rpc.Serve(s.calls, counted{c, s}, counted{c, s}, o)
	_ = c.Close() // all is said
	s.mu.Lock()
	delete(s.sockets, c)
	delete(s.counts, c.number)
	s.mu.Unlock()
	if unsaved(err) {
		s.lose(err)
		return
	}
	if errors.Is(err, errStopping) {
		err = nil
	}
	s.log.Info("disconnected", "socket", c.number, "error", err)
}

// charge takes messages from a bucket.
func (s *server) charge(b *bucket) func(n int) error {
	return func(n int) error {
		if wait, ok := b.take(n); !ok {
			s.metrics.refuse("rate")
			return fmt.Errorf("too many messages; try again in %v", wait.Round(time.Millisecond))
		}
		return nil
	}
}
