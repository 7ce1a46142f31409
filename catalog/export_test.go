package catalog

import "path"

// Gone reports whether a working directory is no longer there.
func Gone(cwd string, o Options) bool {
	return path.IsAbs(cwd) && !isDir(o.fsys(), cwd)
}
