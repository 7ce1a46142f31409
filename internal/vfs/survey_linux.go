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
	// dirents is how many bytes of a directory are read at once.
	dirents = 64 << 10
	// piece is how many names, at least, are worth handing to another core.
	piece = 128
)

// Survey asks about the names of a directory by its descriptor, where they stand
// in what was read of it. Of many, other cores ask about those that were read
// before while the next are read.
func (osFS) Survey(dir, suffix string, to *Roll) error {
	fd, err := openOwnBy(readAt, dir)
	if err != nil {
		return pathError("open", dir, err)
	}
	defer func() { _ = unix.Close(fd) }() // nothing was written
	s := surveyor{fd: fd, dir: dir, suffix: []byte(suffix)}
	found, names := len(to.found), len(to.names)
	if err := s.survey(to); err != nil {
		to.found, to.names = to.found[:found], to.names[:names]
		return err
	}
	return nil
}

// A surveyor is one survey.
type surveyor struct {
	fd     int
	dir    string
	suffix []byte
	*crowd // nil while there is nothing to share
}

// A crowd is what those share who ask about the names of one directory.
type crowd struct {
	others sync.WaitGroup // who ask beside the one that reads

	mu    sync.Mutex // guards all below
	more  *sync.Cond // on work and read
	work  [][]byte   // directory entries that nobody asks about yet
	read  bool       // all of the directory
	rolls []*Roll
	err   error // the first
}

// survey reads the directory. What is few it asks about itself.
func (s *surveyor) survey(to *Roll) error {
	if to.buf == nil {
		to.buf = make([]byte, dirents)
	}
	for {
		n := 0
		err := retry(func() (err error) {
			n, err = unix.Getdents(s.fd, to.buf)
			return err
		})
		if n = max(n, 0); s.crowd == nil {
			if err != nil {
				return pathError("readdir", s.dir, err)
			}
			if n == 0 {
				return nil
			}
			entries := to.buf[:n]
			if pieces := cut(entries); len(pieces) > 1 && runtime.GOMAXPROCS(0) > 1 {
				s.gather()
				to.buf = make([]byte, dirents)
				s.hand(pieces, false, nil)
				continue
			}
			if err := s.look(entries, to); err != nil {
				return err
			}
			continue
		}
		s.hand(cut(to.buf[:n]), n == 0, pathError("readdir", s.dir, err))
		if to.buf = make([]byte, dirents); n == 0 {
			break
		}
	}
	s.ask()
	s.others.Wait()
	for _, r := range s.rolls {
		to.join(r)
	}
	return s.err
}

// cut cuts directory entries into pieces that are worth being shared.
func cut(entries []byte) (pieces [][]byte) {
	for len(entries) > 0 {
		end, n := 0, 0
		for ; end < len(entries) && n < piece; n++ {
			end += int(binary.NativeEndian.Uint16(entries[end+16:]))
		}
		pieces = append(pieces, entries[:end])
		entries = entries[end:]
	}
	return pieces
}

// gather has other cores ask.
func (s *surveyor) gather() {
	s.crowd = &crowd{}
	s.more = sync.NewCond(&s.mu)
	for range runtime.GOMAXPROCS(0) - 1 {
		s.others.Go(s.ask)
	}
}

// hand puts directory entries where they are asked about, and says whether all were
// read.
func (s *surveyor) hand(pieces [][]byte, read bool, err error) {
	s.mu.Lock()
	s.read, s.err = read, cmp.Or(s.err, err)
	s.work = append(s.work, pieces...)
	s.mu.Unlock()
	s.more.Broadcast()
}

// ask asks about names until there are no more, or an error was met.
func (s *surveyor) ask() {
	roll := &Roll{}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rolls = append(s.rolls, roll)
	for {
		for len(s.work) == 0 && !s.read && s.err == nil {
			s.more.Wait() // who reads asks when all was read
		}
		if len(s.work) == 0 || s.err != nil {
			return
		}
		entries := s.work[0]
		s.work = s.work[1:]
		s.mu.Unlock()
		err := s.look(entries, roll)
		s.mu.Lock()
		s.err = cmp.Or(s.err, err)
	}
}

// look asks about the names of directory entries: inode (8 bytes), offset (8),
// length (2), type (1), and the name, which NULs follow.
func (s *surveyor) look(entries []byte, to *Roll) error {
	const want = unix.STATX_TYPE | unix.STATX_INO | unix.STATX_SIZE | unix.STATX_MTIME
	var st unix.Statx_t
	for len(entries) > 0 {
		size := binary.NativeEndian.Uint16(entries[16:])
		name := entries[19:size]
		entries = entries[size:]
		end := bytes.IndexByte(name, 0)
		if end > 0 && name[0] == '.' && string(name[:end]) != "." && string(name[:end]) != ".." {
			to.hidden = true
		}
		if end < 0 || name[0] == '.' || !bytes.HasSuffix(name[:end], s.suffix) {
			continue
		}
		switch errno := statxAt(s.fd, name[:end+1], want, &st); {
		case errno == unix.ENOENT:
			continue
		case errno == unix.ENOSYS || errno == unix.EPERM || errno == 0 && st.Mask&want != want:
			return pathError("statx", under(s.dir)+string(name[:end]), errors.ErrUnsupported)
		case errno != 0:
			return pathError("statx", under(s.dir)+string(name[:end]), errno)
		}
		to.Add(name[:end], Found{
			Dev: unix.Mkdev(st.Dev_major, st.Dev_minor), Ino: st.Ino,
			Size: int64(st.Size), ModTime: st.Mtime.Sec*1e9 + int64(st.Mtime.Nsec), Mode: modeOf(uint32(st.Mode) & unix.S_IFMT),
		})
	}
	return nil
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

// under returns what the paths of what is in a directory begin with.
func under(dir string) string {
	if strings.HasSuffix(dir, "/") {
		return dir
	}
	return dir + "/"
}
