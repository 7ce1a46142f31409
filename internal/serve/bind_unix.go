//go:build unix

package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// refused reports whether nobody listens at a socket.
func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// bind makes a socket that only we can use and gives it its name: it never has
// any name with other rights, nor one that others could come to before it has its
// own.
func bind(path string) (_ net.Listener, _ vfs.Info, err error) {
	fsys := vfs.Under(vfs.OS(), filepath.Dir(path))
	private := path + "." + strconv.Itoa(os.Getpid()) + "~"
	early := filepath.Join(private, "s")
	for _, left := range []string{early, private} {
		if err := fsys.Remove(left); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, vfs.Info{}, err
		}
	}
	if err := fsys.Mkdir(private); err != nil {
		return nil, vfs.Info{}, err
	}
	defer func() { err = errors.Join(err, fsys.Remove(private)) }()
	l, err := listen(early)
	if err != nil {
		return nil, vfs.Info{}, err
	}
	defer func() {
		if err != nil {
			_ = fsys.Remove(early) // unless it has its name
			err = errors.Join(err, l.Close())
		}
	}()
	info, err := fsys.Lstat(early)
	if err == nil && info.Mode.Perm() != 0o600 {
		if err = fsys.Chmod(early, 0o600); err == nil {
			info, err = fsys.Lstat(early)
		}
	}
	if err == nil && (info.Mode.Type() != fs.ModeSocket || int(info.UID) != os.Geteuid()) {
		err = fmt.Errorf("somebody else changed %q: %w", private, ErrTaken)
	}
	if err != nil {
		return nil, vfs.Info{}, err
	}
	return l, info, fsys.Rename(early, path)
}

// listen makes a socket that nobody else may connect to. Linux gives the name the
// rights that the socket has before, whatever the umask says; other systems know
// no rights of it then, and the directory keeps others out until it has some.
func listen(path string) (net.Listener, error) {
	private := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = syscall.Fchmod(int(fd), 0o600) }) // as above
	}}
	l, err := private.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	return l, nil
}
