package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/cambium-dev/cambium/internal/process"
)

// An Execution is a command that ran, or what there is of one that was stopped.
type Execution struct {
	// Output is what it wrote, to both of its outputs and in that order, without
	// escape sequences; the end of it when it is more than [MaxLines] or
	// [MaxBytes], and Truncated is set then.
	Output string
	// ExitCode is nil when there is none: the command did not begin, or was
	// stopped. A command that a signal ended has 128 and the signal's number.
	ExitCode *int64
	// Cancelled says that the context ended, TimedOut that the time was over.
	Cancelled, TimedOut bool
	Truncated           bool
	// FullOutputPath is the artifact with the whole output, at most
	// [MaxArtifact]; "" when the output is whole here or could not be kept.
	FullOutputPath string
	Duration       time.Duration
	// Notes are what is to be said beside the output: what was cut, why there
	// is no artifact, what still runs.
	Notes []string
	// Err is why the command did not begin.
	Err error
}

// The waits at the end of a command: for a group to end by itself after the time
// was over, and for those who hold the output open after the command has ended.
const (
	killGrace  = 2 * time.Second
	drainGrace = 500 * time.Millisecond
)

// Execute runs a command line in the environment's directory, with bash or, where
// there is none, sh, on Windows PowerShell. The command is a process group without a
// terminal, and reads nothing. When its time is over the group is asked to end, and
// killed 2 seconds later, at once on Windows, where nobody can be asked; when ctx ends
// it is killed at once. Processes that the command leaves behind are left alone; what
// they write is lost.
//
// A person's "!" command is recorded from what it returns.
func Execute(ctx context.Context, command string, env Env) Execution {
	if ctx.Err() != nil {
		return Execution{Cancelled: true, Notes: []string{"stopped before it began"}}
	}
	if strings.ContainsRune(command, 0) {
		return Execution{Err: errors.New("the command has a NUL in it")}
	}
	info, err := os.Stat(env.Dir)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return Execution{Err: fmt.Errorf("the session's directory %q cannot be reached: %w", env.Dir, because(err))}
	}
	shell, err := env.shell()
	if err != nil {
		return Execution{Err: err}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return Execution{Err: err}
	}
	defer func() { _ = r.Close() }() // nothing is written through it
	cmd := shell.Run(command)
	cmd.Dir, cmd.Env = env.Dir, append(append([]string{}, env.Environ...), "PWD="+env.Dir)
	cmd.Stdout, cmd.Stderr = w, w
	family := &process.Family{Cmd: cmd}
	began := time.Now()
	err = family.Start()
	_ = w.Close() // the command has its own
	if err != nil {
		return Execution{Err: fmt.Errorf("the command cannot be started: %w", because(err))}
	}
	defer family.Done()
	j := &job{cmd: cmd, family: family, r: r, out: &output{ctx: ctx, env: env, limit: MaxArtifact}}
	limit := env.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	j.wait(ctx, limit)
	return j.execution(time.Since(began), limit)
}

// A job is a command that runs.
type job struct {
	cmd    *exec.Cmd
	family *process.Family
	r      *os.File
	out    *output

	cancelled, timedOut bool
	// held says that somebody kept the output open after the command.
	held bool
}

// wait returns when the command has ended and its output is read.
func (j *job) wait(ctx context.Context, limit time.Duration) {
	ended, read := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_ = j.cmd.Wait() // ProcessState says it
	}()
	go func() {
		defer close(read)
		j.out.copy(j.r)
	}()
	over := time.NewTimer(limit)
	defer over.Stop()
	var kill, drain <-chan time.Time
	done, isEnded := ctx.Done(), false
	for ended != nil || read != nil {
		select {
		case <-ended:
			ended, isEnded = nil, true
			if kill == nil { // else the others of the group have their grace
				drain = time.After(drainGrace)
			}
		case <-read:
			read = nil
		case <-done:
			done = nil
			j.cancelled = true
			j.family.Kill()
		case <-over.C:
			if !isEnded {
				j.timedOut = true
				if j.family.Ask() {
					kill = time.After(killGrace)
				} else {
					j.family.Kill()
				}
			}
		case <-kill:
			kill = nil
			j.family.Kill()
			if isEnded {
				drain = time.After(drainGrace)
			}
		case <-drain:
			j.held = read != nil
			_ = j.r.SetReadDeadline(time.Unix(1, 0)) // a pipe has deadlines
		}
	}
	if j.cancelled || j.timedOut {
		// Also those who had closed the output.
		j.family.Kill()
	}
}

// execution is what the job came to.
func (j *job) execution(took, limit time.Duration) Execution {
	e := Execution{Cancelled: j.cancelled, TimedOut: j.timedOut && !j.cancelled, Duration: took}
	e.Output, e.Truncated = j.out.tail()
	if e.Truncated {
		e.FullOutputPath = j.out.path
	}
	e.Notes = j.out.notes(e.Output, e.Truncated)
	switch status, ok := j.cmd.ProcessState.Sys().(syscall.WaitStatus); {
	case e.Cancelled:
		e.Notes = append(e.Notes, "stopped before it had ended")
	case e.TimedOut:
		e.Notes = append(e.Notes, fmt.Sprintf("stopped after %v, its time limit; give a larger timeout if it needs more", limit))
	case ok && status.Signaled():
		code := int64(128 + status.Signal())
		e.ExitCode = &code
		e.Notes = append(e.Notes, fmt.Sprintf("ended by a signal: %v", status.Signal()))
	default:
		code := int64(j.cmd.ProcessState.ExitCode())
		e.ExitCode = &code
	}
	if j.held && !e.Cancelled && !e.TimedOut {
		e.Notes = append(e.Notes, "a process in the background still holds the output; what it writes from now on is lost")
	}
	return e
}
