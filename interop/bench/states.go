//go:build linux

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// states asks for the state of each session file in a home and for nothing else:
// the names in every directory, and statx of each by the directory's descriptor, on
// COUNT cores (2 if nobody says). Nothing is kept or compared, no session is known:
// what a listing takes beside it is its own.
func (b *bench) states() error {
	if len(os.Args) < 4 {
		b.count = 2
	}
	from := time.Now()
	dirs, err := filepath.Glob(filepath.Join(b.file, ".*", "agent", "sessions", "*"))
	if err != nil {
		return err
	}
	var next, files atomic.Int64
	errs := make([]error, b.count)
	var group sync.WaitGroup
	for n := range b.count {
		group.Go(func() {
			buf := make([]byte, 64<<10)
			for {
				at := int(next.Add(1)) - 1
				if at >= len(dirs) || errs[n] != nil {
					return
				}
				var count int
				count, errs[n] = statesIn(dirs[at], buf)
				files.Add(int64(count))
			}
		})
	}
	group.Wait()
	b.out.MS, b.out.Entries = ms(time.Since(from)), int(files.Load())
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// statesIn asks for the states of the session files in one directory.
func statesIn(dir string, buf []byte) (count int, err error) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("open %q: %w", dir, err)
	}
	defer func() { _ = unix.Close(fd) }() // only read from
	var st unix.Statx_t
	for {
		n, err := unix.Getdents(fd, buf)
		if err != nil || n == 0 {
			return count, err
		}
		for entries := buf[:n]; len(entries) > 0; {
			size := binary.NativeEndian.Uint16(entries[16:])
			name := entries[19:size]
			entries = entries[size:]
			end := bytes.IndexByte(name, 0)
			if !bytes.HasSuffix(name[:end], []byte(".jsonl")) {
				continue
			}
			if _, _, errno := unix.Syscall6(unix.SYS_STATX, uintptr(fd), uintptr(unsafe.Pointer(&name[0])), unix.AT_SYMLINK_NOFOLLOW,
				unix.STATX_TYPE|unix.STATX_INO|unix.STATX_SIZE|unix.STATX_MTIME, uintptr(unsafe.Pointer(&st)), 0); errno != 0 {
				return count, errno
			}
			count++
		}
	}
}
