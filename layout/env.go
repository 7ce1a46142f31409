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
