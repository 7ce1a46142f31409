//go:build linux

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"golang.org/x/sys/unix"
)

// chattr sets an attribute of a file until the recipe ends: ext4 and others, as
// root of the machine.
func (c *Case) chattr(flag, path string) error {
	if out, err := exec.Command("chattr", "+"+flag, path).CombinedOutput(); err != nil {
		return fmt.Errorf("chattr +%s: %w: %s", flag, err, out)
	}
	c.deferred(func() { unchattr(flag, path) })
	return nil
}

func unchattr(flag, path string) {
	_ = exec.Command("chattr", "-"+flag, path).Run() // the file may be gone
}

// denyWrites denies every change of a file and of its directory, through open
// descriptors, too, and returns what allows them again. Where chattr may not be
// used the directory becomes a read-only mount, which denies all that goes by
// name; what goes by a descriptor is denied to cambium by its file system.
func (c *Case) denyWrites(path string) (allow func()) {
	dir := filepath.Dir(path)
	if c.chattr("i", path) == nil && c.chattr("i", dir) == nil {
		return func() {
			unchattr("i", dir)
			unchattr("i", path)
		}
	}
	c.note("by a read-only mount")
	unmount := c.bind(dir)
	var fs unix.Statfs_t
	c.must(unix.Statfs(dir, &fs))
	// What the mount below has of these cannot be taken off in a user namespace,
	// and has the same bits in both calls.
	kept := uintptr(fs.Flags) & (unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC | unix.MS_NOATIME | unix.MS_NODIRATIME)
	if err := unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|kept, ""); err != nil {
		c.must(fmt.Errorf("make %q read-only: %w", dir, err))
	}
	if c.is("cambium") {
		_, err := c.do("deny", dir)
		c.must(err)
	}
	return func() {
		unmount()
		if c.is("cambium") {
			_, err := c.do("deny", "")
			c.must(err)
		}
	}
}

// denyRename denies renaming over a file, not appending to it, and returns what
// allows it again. Where chattr may not be used the file is a mount of itself.
func (c *Case) denyRename(path string) (allow func()) {
	if c.chattr("a", path) == nil {
		return func() { unchattr("a", path) }
	}
	c.note("by a mount over the file")
	return c.bind(path)
}

// bind mounts a path over itself until the recipe ends.
func (c *Case) bind(path string) (unmount func()) {
	if err := syscall.Mount(path, path, "", syscall.MS_BIND, ""); err != nil {
		c.must(fmt.Errorf("mount %q over itself (run as root or in unshare -Urm): %w", path, err))
	}
	mounted := true
	unmount = func() {
		if mounted {
			mounted = false
			_ = syscall.Unmount(path, syscall.MNT_DETACH) // at the latest with the mount namespace
		}
	}
	c.deferred(unmount)
	return unmount
}

// denying is a file system that denies changes below one directory.
type denying struct {
	errorfs.Toggle
	vfs.FS
}

func newDenying() *denying {
	d := &denying{}
	d.FS = errorfs.Wrap(vfs.OS(), d.Inject)
	return d
}

// deny denies all changes below dir; "" allows them again.
func (d *denying) deny(dir string) {
	if dir == "" {
		d.Set(false)
		return
	}
	changes := errorfs.Match(errorfs.Fault{Err: syscall.EPERM}, dir)
	d.Inner = func(op errorfs.Op) *errorfs.Fault {
		if op.Kind.Changes() {
			return changes(op)
		}
		return nil
	}
	d.Set(true)
}
