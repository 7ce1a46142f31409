package places

import (
	"cmp"

	"github.com/cambium-dev/cambium/layout"
)

// A machine is an environment with what can be asked of it.
type machine layout.Env

// getenv returns a variable's value, "" when it is not set.
func (e machine) getenv(name string) string {
	v, _ := e.lookup(name)
	return v
}

// lookup returns a variable's value and whether it is set.
func (e machine) lookup(name string) (string, bool) {
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
func (e machine) exists(path string) bool {
	return e.Exists != nil && e.Exists(path)
}

// real answers Real, the path itself where that fails. The answer is cleaned.
func (e machine) real(path string) string {
	if e.Real != nil {
		if r, ok := e.Real(path); ok && r != "" {
			return e.clean(r)
		}
	}
	return path
}

// tempDir is os.tmpdir() of the programs: the first of TMPDIR, TMP and TEMP that
// is set, else /tmp, without a trailing separator.
func (e machine) tempDir() string {
	dir, names, last := e.TempDir, []string{"TMPDIR", "TMP", "TEMP"}, "/tmp"
	if e.windows() {
		names, last = []string{"TEMP", "TMP"}, cmp.Or(e.getenv("SystemRoot"), e.getenv("windir"))+`\temp`
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
