package layout

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cambium-dev/cambium/internal/pathname"
)

// Here returns the environment of this process: its variables, its working directory,
// the disk of the machine. The error is for a process without a working directory or a
// home.
func Here() (Env, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return Env{}, fmt.Errorf("find the working directory: %w", err)
	}
	env := Process(os.Environ(), cwd)
	if env.Home == "" {
		if env.Home, err = os.UserHomeDir(); err != nil {
			return env, fmt.Errorf("find the home directory: %w", err)
		}
	}
	return env, nil
}

// Process returns the environment of a process on this machine that has these variables,
// "NAME=value" each, of several the last one counts, and this working directory. Its
// home is what HOME says, else USERPROFILE, on Windows the other way round, "" where
// neither does.
func Process(environ []string, cwd string) Env {
	key := func(name string) string { return name }
	if runtime.GOOS == "windows" {
		key = strings.ToUpper
	}
	all := make(map[string]string, len(environ))
	for _, variable := range environ {
		if k, v, ok := strings.Cut(variable, "="); ok {
			all[key(k)] = v
		}
	}
	lookup := func(name string) (string, bool) {
		v, ok := all[key(name)]
		return v, ok
	}
	env := Env{
		Cwd: cwd, LookupEnv: lookup, Separator: os.PathSeparator,
		Getenv: func(name string) string { v, _ := lookup(name); return v },
		Exists: func(p string) bool { _, err := os.Stat(p); return err == nil },
		Real: func(p string) (string, bool) {
			real, err := filepath.EvalSymlinks(p)
			return real, err == nil
		},
	}
	homes := []string{"HOME", "USERPROFILE"}
	if env.Separator == '\\' {
		homes = []string{"USERPROFILE", "HOME"} // as the programs have it there
	}
	for _, name := range homes {
		if env.Home == "" {
			env.Home = env.Getenv(name)
		}
	}
	return env
}

// InStore returns the environment for a store that many machines have, which is none of
// them: its home is the root, working directories below a person's home begin with a
// tilde, and no variable of this machine says where agents keep things.
func (e Env) InStore() Env {
	far := e
	far.Home = "/"
	far.Getenv = func(string) string { return "" }
	far.LookupEnv = func(string) (string, bool) { return "", false }
	far.Exists = nil
	far.Real = func(p string) (string, bool) {
		p = e.Homely(p)
		real, ok := p, false
		if e.Real != nil {
			if r, is := e.Real(p); is || r != "" {
				real, ok = r, is
			}
		}
		return real, ok || strings.HasPrefix(p, e.Home+"/")
	}
	return far
}

// Homely returns a working directory of a store as it is called on this machine: one in
// a home directory begins with a tilde there.
func (e Env) Homely(dir string) string {
	if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || rest[0] == '/') {
		kind := pathname.POSIX
		if e.Separator == '\\' {
			kind = pathname.Windows
		}
		if kind.Rooted(e.Home) {
			return kind.Clean(e.Home + rest)
		}
		return filepath.Clean(e.Home + rest)
	}
	return dir
}
