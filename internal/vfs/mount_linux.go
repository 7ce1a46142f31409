package vfs

import "golang.org/x/sys/unix"

// Mounted asks the kernel, which says so from Linux 5.8 on.
func (osFS) Mounted(name string) (is bool, err error) {
	err = retry(func() error {
		is, err = mountedAt(unix.AT_FDCWD, name)
		return err
	})
	return is, pathError("statx", name, err)
}

// Mounted follows no link on the way.
func (u osUnder) Mounted(name string) (is bool, err error) {
	if u.free(name) {
		return osFS{}.Mounted(name)
	}
	err = u.do("statx", name, func(p place) error {
		is, err = mountedAt(p.dir, p.base)
		return err
	})
	return is, err
}

// mountedAt tells a bind mount too, which has the device of what it shows.
func mountedAt(dir int, base string) (bool, error) {
	var st unix.Statx_t
	err := unix.Statx(dir, base, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_TYPE, &st)
	return st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0, err
}
