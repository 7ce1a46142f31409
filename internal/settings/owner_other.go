//go:build !unix

package settings

import "io/fs"

// open returns "": permission bits say nothing here, and a user's configuration
// directory is the user's.
func open(string, fs.FileInfo) string { return "" }
