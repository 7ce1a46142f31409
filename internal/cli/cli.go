// Package cli is the command cambium: its command line, what it prints and how
// it ends. It is the only room that reads the environment, the clock, the
// working directory and the machine's randomness, and only in [Main].
//
// A command is one file with one constructor, listed in root.go. It parses its
// arguments, has its work done by a verb of internal/work, and prints what that returns
// (internal/print). It returns errors as they are: internal/problem says how they end
// the command.
package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/chat"
	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/handover"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/secret"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/layout"
)

// A System is what the command may touch of the machine beside files.
type System struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Env is the environment, "NAME=value" each; of several the last counts.
	Env []string
	// Dir is the working directory, absolute.
	Dir string
	// Now is the clock, Random where ids come from.
	Now    func() time.Time
	Random io.Reader
	// FS is the file system that sessions are on; nil means that of the machine.
	FS vfs.FS
	// Start hands the terminal over to a program; nil means that the program
	// takes the place of this process, which then ends as it does.
	Start func(Handover) error
}

// A Handover is a program that takes the place of the command.
type Handover = handover.Program

// Main runs the command line args, without the program's name, on the machine's
// own clock, working directory and randomness, and returns the exit code.
// Interrupting the process ends the command with 130.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	return begin(args, stdin, stdout, stderr, env, Run)
}

// begin finds what a command needs of the machine, and runs it.
func begin(args []string, stdin io.Reader, stdout, stderr io.Writer, env []string, run func(context.Context, []string, System) int) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	_ = errors.Join(secret.Veil(), secret.NoCore()) // as far as the system lets it
	sys := System{Stdin: stdin, Stdout: stdout, Stderr: stderr, Env: env, Now: time.Now, Random: rand.Reader}
	dir, err := os.Getwd()
	if err != nil {
		a := newApp(sys)
		return a.finish(problem.Problem{Exit: problem.ExitFailed, Text: "find the working directory: " + err.Error()})
	}
	sys.Dir = dir
	if sys.Env, err = withHome(env, userHome); err != nil {
		p := problem.Problem{Exit: problem.ExitFailed, Text: "find the home directory: " + err.Error(), Todo: "set HOME"}
		return newApp(sys).finish(p)
	}
	return run(ctx, args, sys)
}

// withHome returns an environment that says where the home directory is: what
// starts services leaves it out, and then it is what the system has for the
// user, as for the programs whose sessions are looked for there.
func withHome(env []string, find func() (string, error)) ([]string, error) {
	for _, name := range []string{"HOME=", "USERPROFILE="} {
		if slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, name) && e != name }) {
			return env, nil
		}
	}
	home, err := find()
	if err != nil {
		return env, err
	}
	if !filepath.IsAbs(home) {
		return env, errors.New("the user has none")
	}
	return append(slices.Clip(env), "HOME="+home), nil
}

// userHome is the home directory in the user database.
func userHome() (string, error) {
	u, err := user.Current()
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}

// Run runs the command line args on a system and returns the exit code.
func Run(ctx context.Context, args []string, sys System) int {
	a := newApp(sys)
	defer a.lib.Close()
	return a.finish(a.execute(ctx, args))
}

// globals are the flags that every command has.
type globals struct {
	agent  string
	cwd    string // where a command that goes on with sessions works
	strict bool
}

// An app is one run of the command.
type app struct {
	*console.Console
	globals
	sys System
	lib *work.Library // the sessions that the flags name
	err error         // that of the command that ran
	// wrapScreen, if not nil, is put around the screen of a chat.
	wrapScreen func(tea.Model) tea.Model
	// lapse is how long a key that has to be pressed twice waits for the second time.
	lapse time.Duration

	shows bool // the command shows what there is
	found int  // so much of it
}

func newApp(sys System) *app {
	env := layout.Process(sys.Env, sys.Dir)
	a := &app{sys: sys, lapse: chat.Lapse, Console: console.New(console.Streams{
		Stdin: sys.Stdin, Stdout: sys.Stdout, Stderr: sys.Stderr, Home: env.Home, Env: sys.Env, Getenv: env.Getenv, Now: sys.Now,
	})}
	a.lib = work.New(work.Machine{Env: env, Terminal: device(sys.Stdin), Now: sys.Now, Random: sys.Random}, frontOf(a))
	a.lib.Dir = sys.Dir
	return a
}

// device returns the terminal behind a standard input ("/dev/pts/3"), "" when
// there is none or it is not known.
func device(stdin io.Reader) string {
	f, ok := stdin.(*os.File)
	if !ok || !term.IsTerminal(f) {
		return ""
	}
	name, err := vfs.OS().Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return ""
	}
	return name
}

// prepare checks the global flags and settles what hangs on them. It runs before
// every command.
func prepare(a *app) error {
	f, l := &a.globals, a.lib
	a.Settle()
	if err := chooseStore(a); err != nil {
		return err
	}
	if l.IfBusy != work.Ask && !slices.Contains(work.Ways(), l.IfBusy) {
		return problem.Usage("read --if-busy %q: want %s", l.IfBusy, strings.Join(waysOfBusy(), ", "))
	}
	l.SessionDir, l.AgentDir = l.Absolute(l.SessionDir), l.Absolute(l.AgentDir)
	if f.agent == "" && l.AgentDir != "" {
		f.agent = ownerByName(l.AgentDir)
		if f.agent == "" {
			return problem.Usage("read --agent-dir %q: whose directory is it? add --agent %s", l.AgentDir, strings.Join(places.Names(), "|"))
		}
	}
	if f.agent != "" {
		var ok bool
		if l.Agent, ok = spelling.Agent(f.agent); !ok {
			return problem.Usage("read --agent %q: the agents are %s", f.agent, strings.Join(spelling.Agents(), ", "))
		}
	}
	return nil
}

// ownerByName returns the agent that a directory is named after: ".pi/agent",
// "pi/agent", ".omp"; "" when it is named after none.
func ownerByName(dir string) string {
	for range 2 {
		name := strings.TrimPrefix(filepath.Base(dir), ".")
		if _, ok := spelling.ByName(name); ok {
			return name
		}
		dir = filepath.Dir(dir)
	}
	return ""
}
