package vfs

// A Keeper is a Confiner that can hold directories for long.
type Keeper interface {
	// Keep does what the function Keep does.
	Keep(roots ...string) (FS, func())
}

// Keep is [Hold] for as long as a server runs. A root that is not there yet is held
// from its first use on, and one that was removed is held anew when it is made again.
// A root below another one is different: when it is not there at the call, or was
// removed, its name is one below that other root, in which no link is followed.
// After release nothing can be reached. Where a system has no descriptors of
// directories it is Under.
func Keep(fsys FS, roots ...string) (_ FS, release func()) {
	if k, ok := fsys.(Keeper); ok {
		return k.Keep(roots...)
	}
	return Under(fsys, roots...), func() {}
}
