package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"

	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/rogpeppe/go-internal/testscript"
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
		stamp, err := scratch.Stamp(path)
		ts.Check(err)
		fmt.Fprintf(&b, " %s", stamp)
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			ts.Check(err)
			fmt.Fprintf(&b, " %x", sha256.Sum256(data))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
