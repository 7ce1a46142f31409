package vfs

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"slices"
	"syscall"
	"testing"
)

// A fakeMac has processes with descriptors.
type fakeMac map[int][]fakeFD

type fakeFD struct {
	fd   int32
	kind uint32
	dev  int32
	ino  uint64
	gone bool
}

func (m fakeMac) processes() ([]int, error) {
	if m == nil {
		return nil, syscall.EPERM
	}
	var all []int
	for pid := range m {
		all = append(all, pid)
	}
	slices.Sort(all)
	return all, nil
}

func (m fakeMac) descriptors(pid int) (raw []byte, err error) {
	if m[pid] == nil {
		return nil, syscall.ESRCH
	}
	for _, f := range m[pid] {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(f.fd))
		raw = binary.LittleEndian.AppendUint32(raw, f.kind)
	}
	return raw, nil
}

func (m fakeMac) vnode(pid int, fd int32) ([]byte, error) {
	for _, f := range m[pid] {
		if f.fd != fd {
			continue
		}
		if f.gone {
			return nil, syscall.EBADF
		}
		raw := make([]byte, 176)
		binary.LittleEndian.PutUint32(raw[24:], uint32(f.dev))
		binary.LittleEndian.PutUint64(raw[32:], f.ino)
		return raw, nil
	}
	return nil, syscall.EBADF
}

// TestMacUsers: who has a file open, of those that may be asked.
func TestMacUsers(t *testing.T) {
	dev := int32(-5) // a device with its highest bit set
	info := Info{Dev: uint64(dev), Ino: 7}
	m := fakeMac{
		1: nil, // another user's
		2: {{fd: 0, kind: 2, dev: dev, ino: 7}, {fd: 3, kind: 1, dev: dev, ino: 7}},
		3: {{fd: 3, kind: 1, dev: dev, ino: 8}, {fd: 4, kind: 1, dev: 1, ino: 7}},
		4: {{fd: 3, kind: 1, dev: dev, ino: 7}}, // this one
		5: {{fd: 3, kind: 1, dev: dev, ino: 7, gone: true}},
		6: {{fd: 0, kind: 2, dev: dev, ino: 7}},
		7: {{fd: 9, kind: 1, dev: dev, ino: 7}},
	}
	if got, err := macUsers(m, 4, info); err != nil || !slices.Equal(got, []int{2, 7}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := macUsers(fakeMac(nil), 4, info); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("nobody can be asked: %v", err)
	}
}

// TestMacSync: the disk's own cache is emptied, if the disk can do so; no other error is
// passed over.
func TestMacSync(t *testing.T) {
	for full, want := range map[error]string{
		nil: "", syscall.ENOTSUP: "plain", syscall.EINVAL: "plain", syscall.ENOTTY: "plain", syscall.EIO: syscall.EIO.Error(), syscall.ENOSPC: syscall.ENOSPC.Error(),
	} {
		got := ""
		if err := macSync(func() error { return full }, func() error { return errors.New("plain") }); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%v leads to %q, want %q", full, got, want)
		}
	}
}

// TestMacPath: the name that the kernel says counts only if the file is there.
func TestMacPath(t *testing.T) {
	open := Info{Dev: 1, Ino: 2}
	lstat := func(name string) (Info, error) {
		switch name {
		case "/here":
			return Info{Dev: 1, Ino: 2}, nil
		case "/another":
			return Info{Dev: 1, Ino: 3}, nil
		}
		return Info{}, fs.ErrNotExist
	}
	for path, want := range map[string]error{"/here": nil, "/another": fs.ErrNotExist, "/gone": fs.ErrNotExist} {
		if got, err := macPath(path, nil, open, lstat); got != path || !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if _, err := macPath("", syscall.EBADF, open, lstat); !errors.Is(err, syscall.EBADF) {
		t.Errorf("an error of the kernel is %v", err)
	}
}
