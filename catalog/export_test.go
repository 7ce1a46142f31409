package catalog

// Gone reports whether a working directory is no longer there.
func Gone(cwd string, o Options) bool {
	return isAbs(cwd) && !isDir(o.fsys(), cwd)
}
