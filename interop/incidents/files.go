//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"path/filepath"
)

// writing makes a file and lets fill write it.
func writing(path string, fill func(w *bufio.Writer)) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	fill(w)
	return errors.Join(w.Flush(), f.Close())
}

// bigFixture writes a chain of n entries of about 289 bytes.
func bigFixture(path, cwd string, n int) error {
	return writing(path, func(w *bufio.Writer) {
		_, _ = w.Write(append(header(3, cwd), '\n')) // Flush tells
		parent := ""
		filler := bytes.Repeat([]byte("x"), 80)
		for i := range n {
			m := userMessage("text "+name(i)+string(filler)).Int("timestamp", 1772359200000).Value()
			_, _ = w.Write(append(messageLine(name(i), parent, m, 0), '\n')) // Flush tells
			parent = name(i)
		}
	})
}

// longLine writes a fixture whose entry 10 is line with "@" made size bytes.
func longLine(path string, l lineList, line []byte, size int) error {
	before, after, _ := bytes.Cut(line, []byte("@"))
	return writing(path, func(w *bufio.Writer) {
		for i, other := range l {
			if i != 11 {
				_, _ = w.Write(append(bytes.Clone(other), '\n')) // Flush tells
				continue
			}
			_, _ = w.Write(before)
			chunk := bytes.Repeat([]byte("0123456789abcdef"), 4096)
			for n := 0; n < size; n += len(chunk) {
				_, _ = w.Write(chunk)
			}
			_, _ = w.Write(append(bytes.Clone(after), '\n'))
		}
	})
}
