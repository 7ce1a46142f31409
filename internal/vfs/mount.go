package vfs

// A Mounter is an FS that can tell where another file system, or another part of the
// same one, is mounted.
type Mounter interface {
	// Mounted reports whether something is mounted at a name.
	Mounted(name string) (bool, error)
}

// Mounted reports whether something is mounted at a name, as far as fsys and the system
// say.
func Mounted(fsys FS, name string) bool {
	m, ok := fsys.(Mounter)
	if !ok {
		return false
	}
	is, err := m.Mounted(name)
	return err == nil && is
}
