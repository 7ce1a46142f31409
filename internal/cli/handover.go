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

// commandOf returns the program that goes on with a session, and its arguments:
// the one place that knows how each is started.
func commandOf(a *app, t work.Target) []string {
	var args []string
	program := 1 // so many of them name it
	switch t.Agent {
	case dialect.Pi:
		args = []string{"pi", "--session", t.Path}
	case dialect.Omp:
		args = []string{"omp", "--resume", t.Path}
	case dialect.Xcsh:
		args = []string{"xcsh", "--resume", t.Path}
	default: // cambium's own
		args, program = []string{ownProgram, "chat", "--resume=" + t.Path}, 2
	}
	if t.Path == "" {
		args = args[:program]
	}
	if args[0] == ownProgram && t.Path != "" && t.Dir != "" && !a.lib.SameDir(t.CWD, t.Dir) {
		args = append(args, "--cwd", t.Dir) // it would ask again
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
func handOver(ctx context.Context, a *app, t work.Target, only bool) error {
	t.CWD = a.lib.Homely(t.CWD)
	if t.Path != "" {
		a.lib.Visited(session.Visit{Agent: t.Agent, CWD: t.CWD, Path: t.Path})
	}
	args := commandOf(a, t)
	switch {
	case only || a.flags.json:
		return a.print(result{path: t.Path, json: jsonTarget{t.ID, t.Path, string(t.Agent), t.CWD, args}})
	case args[0] == ownProgram && !a.browses():
		return problem{exit: exitFailed, path: t.Path, text: fmt.Sprintf("resume session %q: it is one of Cambium's own, which `cambium chat` shows on a terminal", t.ID),
			todo: advice(hint{run: []string{ownProgram, "run", "--resume", targetName(t)}, does: "goes on with it"},
				hint{run: []string{ownProgram, "show"}, of: []string{targetName(t)}, does: "shows it"})}
	case a.lib.Shared != nil:
		return inStore(a, t)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	path, ok := programFile(a, args[0])
	if !ok {
		return problem{exit: exitFailed, path: t.Path, text: fmt.Sprintf("start %q: it is not on the PATH", args[0]),
			todo: inShell("to go on with the session: ", t.Dir, args)}
	}
	if err := a.out.Flush(); err != nil {
		return err
	}
	a.lib.CloseIndex() // nothing of this process is run after the start
	env := append(a.Env[:len(a.Env):len(a.Env)], "PWD="+t.Dir)
	if a.lib.AgentDir != "" {
		env = append(env, "PI_CODING_AGENT_DIR="+a.lib.AgentDir)
	}
	start := a.Start
	if start == nil {
		start = become
	}
	err := start(Handover{Path: path, Args: args, Dir: t.Dir, Env: lastOfEach(env)})
	var ended problem
	if err != nil && !errors.As(err, &ended) {
		return problem{exit: exitFailed, path: t.Path, err: err, text: fmt.Sprintf("start %q: %v", path, work.Cause(err)),
			todo: inShell("to go on with the session: ", t.Dir, args)}
	}
	return err
}

// inStore says what to do with a session of the shared store, which its program
// cannot go on with.
func inStore(a *app, t work.Target) error {
	sync, here := hint{run: []string{ownProgram, "sync"}}, ""
	if a.lib.Env.Getenv("CAMBIUM_STORE") != a.lib.Store {
		sync.of = []string{work.PlainURL(a.lib.Store)}
	}
	if a.lib.Env.Getenv("CAMBIUM_STORE") != "" {
		here = "CAMBIUM_STORE= "
	}
	p := problem{exit: exitRefused, path: t.Path, text: fmt.Sprintf("resume session %q: it is in a shared store, and %s goes on with files", t.ID, t.Agent)}
	if t.Path == "" {
		p.text = fmt.Sprintf("continue: no session of %q is in the shared store, and %s begins files", t.CWD, t.Agent)
		p.todo = "`cambium run` begins one there"
		return p
	}
	first, ok := sync.line()
	then, also := hint{run: []string{ownProgram, "resume"}, of: []string{targetName(t)}}.line()
	if ok && also {
		p.todo = "`" + first + " && " + here + then + "` brings it here and goes on with it; "
	}
	p.todo += advice(hint{run: []string{ownProgram, "run", "--resume", targetName(t)}, does: "goes on with it there"})
	return p
}

// targetName is what names the session on the command line: its id, or its path where
// that cannot be written.
func targetName(t work.Target) string { return calledAs(t.ID, t) }

// programFile returns the file of a program: for cambium that which runs, else what is
// on the PATH.
func programFile(a *app, name string) (string, bool) {
	if name == ownProgram {
		if path, err := os.Executable(); err == nil {
			return path, true
		}
	}
	return onPath(a, name)
}

// onPath returns the file of a program on the PATH. Directories of it that are
// not absolute are passed over: what lies in a project is not to be started for
// its name.
func onPath(a *app, name string) (string, bool) {
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
