package term

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// DefaultPager is run when the person names none: it ends by itself when the
// text fits the screen, shows styles and leaves the text on the screen.
const DefaultPager = "less -FRX"

// pagerHold is how much is held back before a pager is started in any case.
const pagerHold = 256 << 10

// pagerGrace is how long a cancelled pager may take to put the terminal right.
const pagerGrace = 2 * time.Second

// ErrPagerClosed is returned by a Pager's Write when the person has left it.
// There is nobody to write for: stop, and end as if all had been read.
var ErrPagerClosed = errors.New("write to pager: closed by its reader")

// PagerOptions say when a pager is used and which.
type PagerOptions struct {
	// Terminal says whether the output is a terminal; else there is no pager.
	Terminal bool
	// Cols and Rows are the screen; below 1: the usual 80 and 24.
	Cols, Rows int
	// Command is $PAGER; empty: DefaultPager; "cat" and "-" mean none. It is
	// run by the shell when it holds more than plain words.
	Command string
	// Env is the pager's environment, "NAME=value" each. LESS=FRX and LV=-c are
	// added where those are not set.
	Env []string
	// Stderr takes the pager's own messages; nil: they are dropped.
	Stderr io.Writer
}

// Pager is a writer for output of any length: shown as it is when it fits the
// screen, through the person's pager when it is longer. Write only safe text to
// it. It is not safe for concurrent use, and must be closed.
type Pager struct {
	out  io.Writer
	opt  PagerOptions
	cmd  *exec.Cmd // not started while state is holding
	held bytes.Buffer
	rows int // newlines in held

	state pagerState
	stdin io.WriteCloser // of the pager, while state is paging or left
}

// pagerState says where what is written goes.
type pagerState int

const (
	holding pagerState = iota // it is held back: long or short is not known yet
	plain                     // to the output
	paging                    // to the pager
	left                      // nowhere: the reader has gone, the process is not waited for yet
)

// NewPager returns a Pager in front of out. No process is started before the
// text is longer than the screen; cancelling ctx ends it.
func NewPager(ctx context.Context, out io.Writer, opt PagerOptions) *Pager {
	if opt.Cols < 1 {
		opt.Cols = UsualCols
	}
	if opt.Rows < 1 {
		opt.Rows = UsualRows
	}
	opt.Command = strings.TrimSpace(opt.Command)
	if opt.Command == "" {
		opt.Command = DefaultPager
	}
	p := &Pager{out: out, opt: opt}
	if !opt.Terminal || opt.Command == "cat" || opt.Command == "-" {
		p.state = plain
		return p
	}
	p.cmd = pagerCommand(ctx, opt)
	p.cmd.Stdout = out
	return p
}

// Write takes text for the screen or the pager. It returns ErrPagerClosed when
// the reader has left.
func (p *Pager) Write(b []byte) (int, error) {
	switch p.state {
	case plain:
		return p.out.Write(b)
	case paging:
		return p.feed(b)
	case left:
		return 0, ErrPagerClosed
	}
	p.held.Write(b)
	p.rows += bytes.Count(b, []byte("\n"))
	if p.rows >= p.opt.Rows || p.held.Len() > pagerHold {
		if err := p.release(true); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// Close shows what is held back and waits for the reader to leave the pager. The
// pager's exit status is not looked at.
func (p *Pager) Close() error {
	if p.state == holding {
		if err := p.release(p.tall()); err != nil && !errors.Is(err, ErrPagerClosed) {
			return err
		}
	}
	if p.state == plain {
		return nil
	}
	p.state = plain
	_ = p.stdin.Close() // the pager may have closed its end already
	err := p.cmd.Wait()
	if _, exited := errors.AsType[*exec.ExitError](err); err == nil || exited {
		return nil
	}
	return fmt.Errorf("run pager %q: %w", p.opt.Command, err)
}

// tall says whether the held text needs more rows than the screen has beside the
// line on which the shell will ask for the next command.
func (p *Pager) tall() bool {
	rows := 0
	for line := range strings.Lines(p.held.String()) {
		rows += max(1, (Width(strings.TrimSuffix(line, "\n"))+p.opt.Cols-1)/p.opt.Cols)
	}
	return rows > p.opt.Rows-1
}

// release gives the held text to the pager, or to out when it is short or no
// pager can be started.
func (p *Pager) release(long bool) error {
	defer p.held.Reset()
	if long && p.start() {
		p.state = paging
		_, err := p.feed(p.held.Bytes())
		return err
	}
	p.state = plain
	_, err := p.out.Write(p.held.Bytes())
	return err
}

// start runs the pager; false when it cannot be.
func (p *Pager) start() bool {
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return false
	}
	if err := p.cmd.Start(); err != nil {
		_ = stdin.Close() // nothing was written to it
		return false
	}
	p.stdin = stdin
	return true
}

// feed writes to the running pager.
func (p *Pager) feed(b []byte) (int, error) {
	n, err := p.stdin.Write(b)
	if err != nil {
		// The pipe has one reader; whatever the error, it is gone.
		p.state = left
		return n, ErrPagerClosed
	}
	return n, nil
}

// pagerCommand builds the pager's process.
func pagerCommand(ctx context.Context, opt PagerOptions) *exec.Cmd {
	words := strings.Fields(opt.Command)
	if strings.ContainsAny(opt.Command, "|&;<>()$`\\\"'*?[]{}#~=%!\n") {
		words = []string{"sh", "-c", opt.Command}
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stderr = opt.Stderr
	cmd.Env = pagerEnv(opt.Env)
	// A pager that is killed leaves the terminal without echo.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = pagerGrace
	return cmd
}

// pagerEnv adds what lets the usual pagers show styles.
func pagerEnv(env []string) []string {
	env = env[:len(env):len(env)]
	for _, add := range []string{"LESS=FRX", "LV=-c"} {
		name, _, _ := strings.Cut(add, "=")
		set := false
		for _, v := range env {
			set = set || strings.HasPrefix(v, name+"=")
		}
		if !set {
			env = append(env, add)
		}
	}
	return env
}
