//go:build !linux

package tool

import "os"

// virtual reports whether a file is none of a disk.
func virtual(*os.File) bool { return false }
