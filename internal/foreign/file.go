package foreign

import (
	"github.com/cambium-dev/cambium/internal/mosaic"
	"github.com/cambium-dev/cambium/internal/source"
)

// A Lines is the lines of a session.
type Lines = mosaic.Mosaic

// A file is an open session of a program, as a source has it.
type file struct {
	*Lines
	stat func() (source.State, error)
}

// Stat returns the state of what the program keeps, not of the lines.
func (f *file) Stat() (source.State, error) { return f.stat() }

// Length returns the number of bytes that can be read.
func (f *file) Length() int64 { return f.Size() }
