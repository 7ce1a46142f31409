package vfs

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// LockHolder finds in /proc who holds the lock of a file. File systems that are
// laid over others have another number there than files say: then the inode
// decides, unless several match.
func LockHolder(info Info) Holder {
	data, err := os.ReadFile("/proc/locks")
	if err != nil {
		return Holder{}
	}
	exact := fmt.Sprintf("%02x:%02x:%d", unix.Major(info.Dev), unix.Minor(info.Dev), info.Ino)
	inode := ":" + strconv.FormatUint(info.Ino, 10)
	var like []int
	for line := range strings.Lines(string(data)) {
		// 1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "FLOCK" {
			continue // who waits has "->" there
		}
		pid, err := strconv.Atoi(f[4])
		switch {
		case err != nil || pid <= 0:
		case f[5] == exact:
			return Process(pid)
		case strings.HasSuffix(f[5], inode):
			like = append(like, pid)
		}
	}
	if len(like) == 1 {
		return Process(like[0])
	}
	return Holder{}
}

// Process describes a process. The zero Holder is one that is gone.
func Process(pid int) Holder {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Holder{}
	}
	h := Holder{PID: pid}
	// 4711 (name) S 1 ...; the name may have brackets in it.
	text := string(stat)
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return h
	}
	h.Program = named(text[open+1 : end])
	state := strings.TrimSpace(text[end+1:])
	h.Stopped = strings.HasPrefix(state, "T") || strings.HasPrefix(state, "t")
	return h
}

// Descriptors describes what the descriptors of a process lead to, each by its number. It
// asks about them in the open directory, not along the whole path of each.
func Descriptors(pid int) ([]Info, error) {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(fd) }() // nothing was written
	var all []Info
	var st unix.Stat_t
	var names []string
	buf := make([]byte, 4<<10)
	for {
		n, err := unix.ReadDirent(fd, buf)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return all, nil
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names[:0])
		for _, name := range names {
			err := retry(func() error { return unix.Fstatat(fd, name, &st, 0) })
			if err == nil { // otherwise it was closed meanwhile
				all = append(all, infoOf(name, &st))
			}
		}
	}
}

// Users fails: here a process says what it has open; see Descriptors.
func Users(Info) ([]int, error) { return nil, errors.ErrUnsupported }
