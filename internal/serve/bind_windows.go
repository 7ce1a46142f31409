package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/vfs"
	"golang.org/x/sys/windows"
)

// refused reports whether nobody listens at a socket.
func refused(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }

// bind makes a socket that only we can use. Windows asks for the rights of its file when
// somebody connects, and gives it those of the directory: that must be the person's
// alone, since the file cannot be made with others.
func bind(path string) (_ net.Listener, _ vfs.Info, err error) {
	dir, err := vfs.OS().Stat(filepath.Dir(path))
	if err != nil {
		return nil, vfs.Info{}, err
	}
	if dir.Theirs() || dir.Mode.Perm()&0o077 != 0 {
		return nil, vfs.Info{}, fmt.Errorf("others can use its directory; name another one with --socket: %w", fs.ErrPermission)
	}
	fsys := vfs.Under(vfs.OS(), filepath.Dir(path))
	if err := fsys.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, vfs.Info{}, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, vfs.Info{}, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	info, err := fsys.Lstat(path)
	if err == nil && (info.Theirs() || info.Mode.Perm()&0o077 != 0) {
		err = fmt.Errorf("others can use it: %w", fs.ErrPermission)
	}
	return l, info, err
}
