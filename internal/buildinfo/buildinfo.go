// Package buildinfo says which build a program is.
package buildinfo

import (
	"cmp"
	"runtime"
	"runtime/debug"
)

// Development is the version of a build that is no release.
const Development = "devel"

// An Info says which build a program is. Empty fields are not known.
type Info struct {
	// Version is the version as in "v0.1.0", a pseudo-version, or [Development].
	Version string `json:"version"`
	// Commit is the hash of the commit in full.
	Commit string `json:"commit,omitzero"`
	// Date is when the commit was made, in RFC 3339.
	Date string `json:"date,omitzero"`
	// Modified is whether files differ from the commit.
	Modified bool `json:"modified,omitzero"`
	// Go is the version of Go, as in "go1.26.0".
	Go string `json:"go"`
	// System and Machine are what it was built for, in Go's words.
	System  string `json:"os"`
	Machine string `json:"arch"`
}

// Read returns what Go recorded in the build: a release is built at its tag, with
// -buildvcs.
func Read() Info {
	build, _ := debug.ReadBuildInfo()
	return read(build)
}

func read(build *debug.BuildInfo) Info {
	if build == nil {
		build = &debug.BuildInfo{}
	}
	i := Info{Version: Development, Go: cmp.Or(build.GoVersion, runtime.Version()), System: runtime.GOOS, Machine: runtime.GOARCH}
	if v := build.Main.Version; v != "" && v != "(devel)" {
		i.Version = v
	}
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			i.Commit = s.Value
		case "vcs.time":
			i.Date = s.Value
		case "vcs.modified":
			i.Modified = s.Value == "true"
		}
	}
	return i
}

// String is the version, with the beginning of the commit where the version does not
// name it.
func (i Info) String() string {
	if i.Version == Development && len(i.Commit) > 7 {
		return i.Version + " (" + i.Commit[:7] + ")"
	}
	return i.Version
}
