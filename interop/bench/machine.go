//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// A stretch is how much the machine is asked for at once.
const stretch = 256 << 10

// bytes reads the file, or each one that the pattern matches, and does nothing with it:
// nobody who looks at every byte is faster.
func (b *bench) bytes() error {
	from := time.Now()
	files, err := filepath.Glob(b.file)
	if err != nil {
		return err
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		buf := make([]byte, stretch)
		for err == nil {
			var n int
			n, err = f.Read(buf)
			b.out.Bytes += int64(n)
		}
		if !errors.Is(err, io.EOF) {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	b.out.MS = ms(time.Since(from))
	if b.out.Bytes == 0 {
		return fmt.Errorf("nothing was read of %q", b.file)
	}
	return nil
}

// pipe writes the file through a pipe that another thread reads.
func (b *bench) pipe() error {
	data, err := os.ReadFile(b.file)
	if err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	from := time.Now()
	read := make(chan error, 1)
	go func() {
		n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{r}, make([]byte, stretch))
		b.out.Bytes = n
		read <- err
	}()
	for len(data) > 0 && err == nil {
		n := min(stretch, len(data))
		_, err = w.Write(data[:n])
		data = data[n:]
	}
	err = errors.Join(err, w.Close(), <-read)
	b.out.MS = ms(time.Since(from))
	return err
}

// calls asks the kernel for what an append beside other writers cannot do without:
// the lock, whether the file is as it was, the write, the lock's end.
func (b *bench) calls() error {
	f, line, err := b.rawFile()
	if err != nil {
		return err
	}
	fd := int(f.Fd())
	var info unix.Statx_t
	from := time.Now()
	for range b.count {
		if err := unix.Flock(fd, unix.LOCK_EX); err != nil {
			return err
		}
		if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_BASIC_STATS, &info); err != nil {
			return err
		}
		if _, err := unix.Write(fd, line); err != nil {
			return err
		}
		if err := unix.Flock(fd, unix.LOCK_UN); err != nil {
			return err
		}
	}
	b.took(time.Since(from))
	return f.Close()
}
