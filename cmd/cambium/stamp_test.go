package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// describe says what files are: content, mode, times, identity. The time of
// the last access is left out.
func describe(ts *testscript.TestScript, files []string) string {
	var b strings.Builder
	for _, name := range files {
		path := ts.MkAbs(name)
		info, err := os.Lstat(path)
		ts.Check(err)
		fmt.Fprintf(&b, "%s %v %d", name, info.Mode(), info.ModTime().UnixNano())
		var sys unix.Stat_t
		ts.Check(unix.Lstat(path, &sys))
		fmt.Fprintf(&b, " %d %v", sys.Ino, sys.Ctim)
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			ts.Check(err)
			fmt.Fprintf(&b, " %x", sha256.Sum256(data))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
