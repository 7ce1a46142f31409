package engine

import (
	"fmt"
	"path/filepath"

	"github.com/cambium-dev/cambium/layout"
)

// SameDir reports whether two names are of one directory.
func SameDir(env layout.Env, x, y string) bool {
	real := func(dir string) string {
		if env.Real != nil {
			if to, ok := env.Real(dir); ok {
				dir = to
			}
		}
		return filepath.Clean(dir)
	}
	return x == y || real(x) == real(y)
}

// InOtherProject says in the published words that the session that was asked for
// belongs to another working directory.
func InOtherProject(arg, cwd string) string {
	return fmt.Sprintf("Session %q is in another project (%s).", arg, cwd)
}
