package cli

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/spelling"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/chat"
	"github.com/cambium-dev/cambium/internal/secret"
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
		return a.finish(problem{exit: exitFailed, text: "find the working directory: " + err.Error()})
	}
	sys.Dir = dir
	if sys.Env, err = withHome(env, userHome); err != nil {
		p := problem{exit: exitFailed, text: "find the home directory: " + err.Error(), todo: "set HOME"}
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
	agent                       string
	cwd                         string // where a command that goes on with sessions works
	json, noColor, strict, zero bool
}

// A terminal is what a command talks to: where data, messages and questions go, and
// how they look.
type terminal struct {
	System
	flags    globals
	env      layout.Env
	out      *bufio.Writer // data; flushed at the end
	palette  term.Palette  // for what goes to out
	cols     int
	rows     int
	tty      bool     // out is a terminal
	errTTY   bool     // Stderr is a terminal
	keyNames []string // variables that hold keys of models, beside those that are known by name
	// tells, if not nil, is told what else is a note on Stderr.
	tells func(work.Note)
}

// An app is one run of the command.
type app struct {
	terminal
	lib  *work.Library // the sessions that the flags name
	err  error         // that of the command that ran
	pick chooser       // nil when there is no screen to choose on
	// wrapScreen, if not nil, is put around the screen of a chat.
	wrapScreen func(tea.Model) tea.Model
	// lapse is how long a key that has to be pressed twice waits for the second time.
	lapse time.Duration

	shows bool // the command shows what there is
	found int  // so much of it
}

// keep notes which variables hold keys of models, from when on no program that is
// started gets them.
func (t *terminal) keep(names []string) {
	t.keyNames = names
	_ = secret.Veil(names...) // as far as the system lets it
}

// childEnv is the environment of a program that is started beside the command:
// without secrets.
func (t *terminal) childEnv() []string { return secret.Without(t.Env, t.keyNames...) }

func newApp(sys System) *app {
	a := &app{terminal: terminal{System: sys, out: bufio.NewWriter(sys.Stdout)}, lapse: chat.Lapse}
	env := layout.Process(sys.Env, sys.Dir)
	a.env = env
	a.lib = work.New(work.Machine{Env: env, Terminal: device(sys.Stdin), Now: sys.Now, Random: sys.Random}, frontOf(a))
	a.lib.Dir = sys.Dir
	a.pick = a.pickOne
	a.tty, a.errTTY = term.IsTerminal(sys.Stdout), term.IsTerminal(sys.Stderr)
	a.cols, a.rows = term.Size(sys.Stdout, env.Getenv)
	return a
}

// prepare checks the global flags and settles what hangs on them. It runs before
// every command.
func prepare(a *app) error {
	f, l := &a.flags, a.lib
	a.palette = term.NewPalette(term.Color(a.lib.Env.Getenv, a.tty, f.noColor || f.json))
	if f.json {
		a.literal()
	}
	if err := chooseStore(a); err != nil {
		return err
	}
	if l.IfBusy != work.Ask && !slices.Contains(work.Ways(), l.IfBusy) {
		return usage("read --if-busy %q: want %s", l.IfBusy, strings.Join(waysOfBusy(), ", "))
	}
	l.SessionDir, l.AgentDir = l.Absolute(l.SessionDir), l.Absolute(l.AgentDir)
	if f.agent == "" && l.AgentDir != "" {
		f.agent = ownerByName(l.AgentDir)
		if f.agent == "" {
			return usage("read --agent-dir %q: whose directory is it? add --agent %s", l.AgentDir, strings.Join(places.Names(), "|"))
		}
	}
	if f.agent != "" {
		d, ok := spelling.ByName(f.agent)
		if !ok {
			return usage("read --agent %q: the agents are %s", f.agent, strings.Join(places.Names(), ", "))
		}
		l.Agent = d.Name
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

// frontOf is the command to the library: notes go to stderr, questions to the terminal.
func frontOf(a *app) work.Front {
	return work.Front{
		Note: func(n work.Note) { a.note(n.Path, n.Text) },
		Wait: a.waiting,
		Progress: func(label string) (func(done, total int), func()) {
			bar := a.progress(label)
			return func(done, total int) { bar.Step(int64(done), int64(total)) }, bar.Close
		},
		Asks: a.asks,
		Way:  func(ctx context.Context, b *work.Busy) (work.Way, error) { return askWay(ctx, a, b) },
		Leave: func(ctx context.Context, b *work.Busy, what string) (bool, error) {
			return askLeave(ctx, a, b, what)
		},
		Foreign: func(ctx context.Context, e *work.OtherProject) (work.Whither, error) { return askForeign(ctx, a, e) },
		Place:   func(ctx context.Context, e *work.Elsewhere) (bool, error) { return askPlace(ctx, a, e) },
		House: func(ctx context.Context, t work.Target, all []work.House) (work.House, bool, error) {
			return askHouse(ctx, a, t, all)
		},
	}
}
