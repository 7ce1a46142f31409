// Package handover hands a session to its own program: which that is, with which
// arguments and where it is started, and how it takes the place of the command.
package handover

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/work"
)

// own is what goes on with sessions of Cambium's own.
const own = "cambium"

// Draws reports whether a command line is one of Cambium itself, which needs a terminal
// to be drawn on.
func Draws(command []string) bool { return command[0] == own }

// A Program is one that takes the place of the command, with the
// terminal, and what it is given.
type Program struct {
	// Path is the program's file, Args its arguments with its name first.
	Path string
	Args []string
	// Dir is the working directory it starts in, Env its environment.
	Dir string
	Env []string
}

// An Ended error is how a program ended that ran beside the command, and ends it.
type Ended struct{ Code int }

// Error says with which code.
func (e *Ended) Error() string { return fmt.Sprintf("it ended with %d", e.Code) }

// Command returns the program that goes on with a session, and its arguments:
// the one place that knows how each is started.
func Command(l *work.Library, t work.Target) []string {
	var args []string
	program := 1    // so many of them name it
	movable := true // it can be told where sessions are
	switch t.Agent {
	case dialect.Pi:
		args = []string{"pi", "--session", t.Path}
	case dialect.Omp:
		args = []string{"omp", "--resume", t.Path}
	case dialect.Xcsh:
		args = []string{"xcsh", "--resume", t.Path}
	case "claude": // an id is data: behind "=" it is no option
		args, movable = []string{"claude", "--resume=" + t.ID}, false
	case "codex":
		args, movable = []string{"codex", "resume", "--", t.ID}, false
	case "opencode":
		args, movable = []string{"opencode", "--session=" + t.ID}, false
	case "crush": // it begins with a list of its sessions
		args, movable = []string{"crush"}, false
	default: // cambium's own
		args, program = []string{own, "chat", "--resume=" + t.Path}, 2
	}
	if t.Path == "" {
		args = args[:program]
	}
	if args[0] == own && t.Path != "" && t.Dir != "" && !l.SameDir(t.CWD, t.Dir) {
		args = append(args, "--cwd", t.Dir) // it would ask again
	}
	if dir := l.SessionDir; dir != "" && movable {
		args = append(args, "--session-dir", dir)
	}
	return args
}

// File returns the file of a program: for cambium that which runs, else what is on the
// PATH, whose directories are given.
func File(name, dirs string) (string, bool) {
	if name == own {
		if path, err := os.Executable(); err == nil {
			return path, true
		}
	}
	return onPath(name, dirs)
}

// onPath returns the file of a program on the PATH. Directories of it that are
// not absolute are passed over: what lies in a project is not to be started for
// its name.
func onPath(name, dirs string) (string, bool) {
	for _, dir := range filepath.SplitList(dirs) {
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

// Environ returns an environment for a program in a directory: that of the command, with
// the agent directory that was named, "" for none. Each variable is there once.
func Environ(env []string, dir, agentDir string) []string {
	env = append(env[:len(env):len(env)], "PWD="+dir)
	if agentDir != "" {
		env = append(env, "PI_CODING_AGENT_DIR="+agentDir)
	}
	return lastOfEach(env)
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
