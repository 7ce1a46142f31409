package vfs

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// direntsLeast and direntsMost are how many bytes of a directory are read at
	// once.
	direntsLeast, direntsMost = 8 << 10, 64 << 10
	// piece is how many names, at least, are worth handing to another core.
	piece = 128
)

// Survey reads the names of a directory while other cores ask about those that
// were read before. Names are handed to the system where they stand.
func (osFS) Survey(dir, suffix string) ([]Found, error) {
	var fd int
	err := retry(func() (err error) {
		fd, err = unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		return err
	})
	if err != nil {
		return nil, pathError("open", dir, err)
	}
	defer func() { _ = unix.Close(fd) }() // nothing was written
	s := surveyor{fd: fd, prefix: under(dir), suffix: []byte(suffix)}
	s.names()
	s.ask()
	s.others.Wait()
	if s.err != nil {
		return nil, s.err
	}
	n := 0
	for _, some := range s.found {
		n += len(some)
	}
	all := make([]Found, 0, n)
	for _, some := range s.found {
		all = append(all, some...)
	}
	return all, nil
}

// A surveyor is one survey.
type surveyor struct {
	fd     int
	prefix string
	suffix []byte
	others sync.WaitGroup // who ask beside the one that reads

	mu    sync.Mutex // guards all below
	work  [][]byte   // directory entries that nobody asks about yet
	more  *sync.Cond // nil while nobody else asks; on work and read
	read  bool       // all of the directory
	found [][]Found
	err   error // the first
}

// names reads the directory, and has others ask meanwhile where there are many.
func (s *surveyor) names() {
	size := direntsMost
	var st unix.Stat_t
	if err := unix.Fstat(s.fd, &st); err == nil { // else it is large
		size = int(min(max(2*st.Size, direntsLeast), direntsMost))
	}
	for {
		buf, n := make([]byte, size), 0
		err := retry(func() (err error) {
			n, err = unix.Getdents(s.fd, buf)
			return err
		})
		if s.hand(buf[:max(n, 0)], pathError("readdir", s.prefix, err)); n <= 0 {
			return
		}
	}
}

// hand puts directory entries where they are asked about, in pieces; none says
// that all were read.
func (s *surveyor) hand(entries []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read, s.err = len(entries) == 0, cmp.Or(s.err, err)
	pieces := 0
	for len(entries) > 0 {
		end, n := 0, 0
		for ; end < len(entries) && n < piece; n++ {
			end += int(binary.NativeEndian.Uint16(entries[end+16:]))
		}
		s.work = append(s.work, entries[:end])
		entries = entries[end:]
		pieces++
	}
	if pieces > 1 && s.more == nil && runtime.GOMAXPROCS(0) > 1 {
		s.more = sync.NewCond(&s.mu)
		for range runtime.GOMAXPROCS(0) - 1 {
			s.others.Go(s.ask)
		}
	}
	if s.more != nil {
		s.more.Broadcast()
	}
}

// ask asks about names until there are no more, or an error was met.
func (s *surveyor) ask() {
	for {
		s.mu.Lock()
		for len(s.work) == 0 && !s.read && s.err == nil {
			s.more.Wait() // who reads asks when all was read
		}
		if len(s.work) == 0 || s.err != nil {
			s.mu.Unlock()
			return
		}
		entries := s.work[0]
		s.work = s.work[1:]
		s.mu.Unlock()
		some, err := s.look(entries)
		s.mu.Lock()
		s.found, s.err = append(s.found, some), cmp.Or(s.err, err)
		s.mu.Unlock()
	}
}

// look asks about the names of directory entries: inode (8 bytes), offset (8),
// length (2), type (1), and the name, which NULs follow.
func (s *surveyor) look(entries []byte) (all []Found, err error) {
	const want = unix.STATX_TYPE | unix.STATX_INO | unix.STATX_SIZE | unix.STATX_MTIME
	var (
		st    unix.Statx_t
		paths strings.Builder
	)
	n := 0
	for at := 0; at < len(entries); n++ {
		at += int(binary.NativeEndian.Uint16(entries[at+16:]))
	}
	all = make([]Found, 0, n)
	paths.Grow(len(entries) + n*(len(s.prefix)-20)) // an entry has 20 bytes and its name
	for len(entries) > 0 {
		size := binary.NativeEndian.Uint16(entries[16:])
		name := entries[19:size]
		entries = entries[size:]
		end := bytes.IndexByte(name, 0)
		if end < 0 || name[0] == '.' || !bytes.HasSuffix(name[:end], s.suffix) {
			continue
		}
		switch errno := statxAt(s.fd, name[:end+1], want, &st); {
		case errno == unix.ENOENT:
			continue
		case errno == unix.ENOSYS || errno == unix.EPERM || errno == 0 && st.Mask&want != want:
			return nil, pathError("statx", s.prefix+string(name[:end]), errors.ErrUnsupported)
		case errno != 0:
			return nil, pathError("statx", s.prefix+string(name[:end]), errno)
		}
		start := paths.Len()
		paths.WriteString(s.prefix)
		paths.Write(name[:end])
		all = append(all, Found{
			Path: paths.String()[start:], Dev: unix.Mkdev(st.Dev_major, st.Dev_minor), Ino: st.Ino,
			Size: int64(st.Size), ModTime: st.Mtime.Sec*1e9 + int64(st.Mtime.Nsec), Mode: modeOf(uint32(st.Mode) & unix.S_IFMT),
		})
	}
	return all, nil
}

// statxAt asks about a name, which ends with NUL, in an open directory.
func statxAt(fd int, name []byte, want int, st *unix.Statx_t) unix.Errno {
	for {
		_, _, errno := unix.Syscall6(unix.SYS_STATX, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(name))),
			unix.AT_SYMLINK_NOFOLLOW, uintptr(want), uintptr(unsafe.Pointer(st)), 0)
		if errno != unix.EINTR {
			return errno
		}
	}
}
