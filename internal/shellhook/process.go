package shellhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/cambium-dev/cambium/internal/process"
	"github.com/cambium-dev/cambium/internal/secret"
)

// A call is one run of a command.
type call struct {
	command, dir  string
	environ, more []string
	input         []byte
}

const (
	// maxAnswer is how many bytes a command may answer with.
	maxAnswer = 1 << 20
	// maxSaid is how much is kept of what it says to people, from the end.
	maxSaid = 4 << 10
	// leftover is how long output is waited for of what a command left running
	// when it ended.
	leftover = time.Second
)

// run runs the command to its end, or until ctx ends: then its process group is
// killed, and the error is the cause. What the command leaves running in the
// background when it ends in time is left alone.
func (p call) run(ctx context.Context) (out, said []byte, err error) {
	ctx, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	answer := &capped{most: maxAnswer, full: func() { kill(errTooMuch) }}
	speech := &tail{most: maxSaid}
	environ := p.environ
	if environ == nil {
		environ = secret.Without(os.Environ())
	}
	shell, err := process.Hook(environ)
	if err != nil {
		return nil, nil, fmt.Errorf("run: %w", err)
	}
	cmd := shell.RunIn(ctx, p.command)
	cmd.Dir, cmd.Env = p.dir, append(environ[:len(environ):len(environ)], p.more...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(p.input), answer, speech
	cmd.WaitDelay = leftover
	family := &process.Family{Cmd: cmd, Terminal: true}
	cmd.Cancel = func() error { family.Kill(); return nil }
	if err = family.Start(); err == nil {
		err = cmd.Wait()
		family.Done()
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, speech.buf, cause
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, speech.buf, fmt.Errorf("run: %w", err)
	}
	return answer.buf, speech.buf, nil
}

// capped keeps what is written to it, up to a bound.
type capped struct {
	buf  []byte
	most int
	full func() // told once there is more
}

func (c *capped) Write(b []byte) (int, error) {
	room := c.most - len(c.buf)
	c.buf = append(c.buf, b[:min(room, len(b))]...)
	if len(b) > room {
		c.full()
	}
	return len(b), nil
}

// tail keeps the end of what is written to it.
type tail struct {
	buf  []byte
	most int
}

func (t *tail) Write(b []byte) (int, error) {
	t.buf = append(t.buf, b[max(0, len(b)-t.most):]...)
	if cut := len(t.buf) - t.most; cut > 0 {
		t.buf = append(t.buf[:0], t.buf[cut:]...)
	}
	return len(b), nil
}
