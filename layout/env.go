package layout

// Env is what layout may know of the machine and of the process. The zero value
// is a POSIX machine with no home, an empty environment and an empty disk.
type Env struct {
	// Home is the user's home directory, absolute.
	Home string
	// TempDir is the system's temporary directory; empty: TMPDIR, TMP, TEMP of
	// the environment in this order, else /tmp; on Windows TEMP, TMP, else that of the
	// system.
	TempDir string
	// Cwd is what relative paths are resolved against, absolute.
	Cwd string
	// Getenv returns an environment variable, or "" when it is not set; nil: an
	// empty environment.
	Getenv func(name string) string
	// LookupEnv tells a variable set to nothing from one that is not set; nil:
	// an empty variable counts as not set.
	LookupEnv func(name string) (string, bool)
	// Exists says whether a path exists. It is asked for XDG directories only;
	// nil: nothing exists.
	Exists func(path string) bool
	// Real returns the path with every symbolic link resolved, or false when it
	// cannot (the path is then used as it is); nil: no path has links.
	Real func(path string) (string, bool)
	// Separator is the system's path separator; zero: '/'. With '\\' the rules
	// of Windows hold: drive letters, UNC roots, both separators, no case.
	Separator byte
}

// getenv returns a variable's value, "" when it is not set.
func (e Env) getenv(name string) string {
	v, _ := e.lookup(name)
	return v
}

// lookup returns a variable's value and whether it is set.
func (e Env) lookup(name string) (string, bool) {
	if e.LookupEnv != nil {
		return e.LookupEnv(name)
	}
	if e.Getenv == nil {
		return "", false
	}
	v := e.Getenv(name)
	return v, v != ""
}

// exists answers Exists, false without one.
func (e Env) exists(path string) bool {
	return e.Exists != nil && e.Exists(path)
}

// real answers Real, the path itself where that fails. The answer is cleaned.
func (e Env) real(path string) string {
	if e.Real != nil {
		if r, ok := e.Real(path); ok && r != "" {
			return e.clean(r)
		}
	}
	return path
}

// tempDir is os.tmpdir() of the programs: the first of TMPDIR, TMP and TEMP that
// is set, else /tmp, without a trailing separator. On Windows it is TEMP, TMP, or the
// directory "temp" of the system.
func (e Env) tempDir() string {
	dir, names, last := e.TempDir, []string{"TMPDIR", "TMP", "TEMP"}, "/tmp"
	if e.windows() {
		names, last = []string{"TEMP", "TMP"}, e.getenv("SystemRoot")
		if last == "" {
			last = e.getenv("windir")
		}
		last += `\temp`
	}
	for _, name := range names {
		if dir == "" {
			dir = e.getenv(name)
		}
	}
	if dir == "" {
		dir = last
	}
	return e.resolve(dir)
}
