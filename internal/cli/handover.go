package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
)

// A Handover is a program that takes the place of the command, with the
// terminal, and what it is given.
type Handover struct {
	// Path is the program's file, Args its arguments with its name first.
	Path string
	Args []string
	// Dir is the working directory it starts in, Env its environment.
	Dir string
	Env []string
}

// ownProgram is what goes on with sessions of Cambium's own.
const ownProgram = "cambium"

// A target is the session to go on with.
type target struct {
	agent dialect.Name
	// path is its file; "" for a new one of the program.
	path, id string
	// cwd is the directory that it belongs to, as it says; dir is the one in which
	// it is gone on with, "" as long as nobody agreed to one.
	cwd, dir string
}

// targetOf returns what is to be known of a session to go on with it.
func targetOf(s *session.Session) target {
	return target{agent: s.Dialect().Name, path: s.Path(), id: s.ID(), cwd: s.CWD()}
}

// command returns the program that goes on with a session, and its arguments:
// the one place that knows how each is started.
func (a *app) command(t target) []string {
	var args []string
	program := 1 // so many of them name it
	switch t.agent {
	case dialect.Pi:
		args = []string{"pi", "--session", t.path}
	case dialect.Omp:
		args = []string{"omp", "--resume", t.path}
	case dialect.Xcsh:
		args = []string{"xcsh", "--resume", t.path}
	default: // cambium's own
		args, program = []string{ownProgram, "chat", "--resume=" + t.path}, 2
	}
	if t.path == "" {
		args = args[:program]
	}
	if args[0] == ownProgram && t.path != "" && t.dir != "" && !a.lib.SameDir(t.cwd, t.dir) {
		args = append(args, "--cwd", t.dir) // it would ask again
	}
	if dir := a.lib.SessionDir; dir != "" {
		args = append(args, "--session-dir", dir)
	}
	return args
}

// jsonTarget is a session that is gone on with.
type jsonTarget struct {
	ID      string   `json:"id"`
	Path    string   `json:"path"`
	Agent   string   `json:"agent"`
	CWD     string   `json:"cwd"`
	Command []string `json:"command,omitempty"`
}

// handOver notes that the session is in use in this terminal and starts its
// program in the directory that was agreed to, in place of the command. With only
// printing it prints the path instead.
func (a *app) handOver(ctx context.Context, t target, only bool) error {
	t.cwd = a.lib.Homely(t.cwd)
	if t.path != "" {
		a.lib.Visited(session.Visit{Agent: t.agent, CWD: t.cwd, Path: t.path})
	}
	args := a.command(t)
	switch {
	case only || a.flags.json:
		return a.print(result{path: t.path, json: jsonTarget{t.id, t.path, string(t.agent), t.cwd, args}})
	case args[0] == ownProgram && !a.browses():
		return problem{exit: exitFailed, path: t.path, text: fmt.Sprintf("resume session %q: it is one of Cambium's own, which `cambium chat` shows on a terminal", t.id),
			todo: advice(hint{run: []string{ownProgram, "run", "--resume", t.name()}, does: "goes on with it"},
				hint{run: []string{ownProgram, "show"}, of: []string{t.name()}, does: "shows it"})}
	case a.lib.Shared != nil:
		return a.elsewhere(t)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	path, ok := a.program(args[0])
	if !ok {
		return problem{exit: exitFailed, path: t.path, text: fmt.Sprintf("start %q: it is not on the PATH", args[0]),
			todo: inShell("to go on with the session: ", t.dir, args)}
	}
	if err := a.out.Flush(); err != nil {
		return err
	}
	a.lib.CloseIndex() // nothing of this process is run after the start
	env := append(a.Env[:len(a.Env):len(a.Env)], "PWD="+t.dir)
	if a.lib.AgentDir != "" {
		env = append(env, "PI_CODING_AGENT_DIR="+a.lib.AgentDir)
	}
	start := a.Start
	if start == nil {
		start = become
	}
	err := start(Handover{Path: path, Args: args, Dir: t.dir, Env: lastOfEach(env)})
	var ended problem
	if err != nil && !errors.As(err, &ended) {
		return problem{exit: exitFailed, path: t.path, err: err, text: fmt.Sprintf("start %q: %v", path, work.Cause(err)),
			todo: inShell("to go on with the session: ", t.dir, args)}
	}
	return err
}

// elsewhere says what to do with a session of the shared store, which its program
// cannot go on with.
func (a *app) elsewhere(t target) error {
	sync, here := hint{run: []string{ownProgram, "sync"}}, ""
	if a.lib.Env.Getenv("CAMBIUM_STORE") != a.lib.Store {
		sync.of = []string{work.PlainURL(a.lib.Store)}
	}
	if a.lib.Env.Getenv("CAMBIUM_STORE") != "" {
		here = "CAMBIUM_STORE= "
	}
	p := problem{exit: exitRefused, path: t.path, text: fmt.Sprintf("resume session %q: it is in a shared store, and %s goes on with files", t.id, t.agent)}
	if t.path == "" {
		p.text = fmt.Sprintf("continue: no session of %q is in the shared store, and %s begins files", t.cwd, t.agent)
		p.todo = "`cambium run` begins one there"
		return p
	}
	first, ok := sync.line()
	then, also := hint{run: []string{ownProgram, "resume"}, of: []string{t.name()}}.line()
	if ok && also {
		p.todo = "`" + first + " && " + here + then + "` brings it here and goes on with it; "
	}
	p.todo += advice(hint{run: []string{ownProgram, "run", "--resume", t.name()}, does: "goes on with it there"})
	return p
}

// name is what names the session on the command line: its id, or its path where
// that cannot be written.
func (t target) name() string { return calledAs(t.id, t) }

// program returns the file of a program: for cambium that which runs, else what is
// on the PATH.
func (a *app) program(name string) (string, bool) {
	if name == ownProgram {
		if path, err := os.Executable(); err == nil {
			return path, true
		}
	}
	return a.onPath(name)
}

// onPath returns the file of a program on the PATH. Directories of it that are
// not absolute are passed over: what lies in a project is not to be started for
// its name.
func (a *app) onPath(name string) (string, bool) {
	for _, dir := range filepath.SplitList(a.lib.Env.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path := filepath.Join(dir, name+programSuffix)
		info, err := vfs.OS().Stat(path)
		if err == nil && info.Regular() && (programSuffix != "" || info.Mode&0o111 != 0) {
			return path, true
		}
	}
	return "", false
}

// lastOfEach returns an environment with the last value of each variable.
func lastOfEach(env []string) []string {
	at := map[string]int{}
	var all []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if i, ok := at[name]; ok {
			all[i] = kv
			continue
		}
		at[name] = len(all)
		all = append(all, kv)
	}
	return all
}
