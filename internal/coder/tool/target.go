package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cambium-dev/cambium/message"
)

// A Target is the file that a call changes, found before a person is asked: what
// the question shows is what the call then writes, or it is refused.
type Target struct {
	// Named is the path as the call gives it.
	Named string
	// Path is how the file is really called, links followed: seen from the
	// session's directory, or absolute when it is not within. Real is the same
	// as an absolute path.
	Path, Real string
	// Linked says that a link leads from Named to Path.
	Linked bool
	// Acts says who obeys the file later, although nobody runs it: "git runs
	// what its settings and hooks name". It is "" for other files.
	Acts string

	was fs.FileInfo // nil for a file that is not there yet
}

// A Targeted tool changes one file, which its arguments name.
type Targeted interface {
	// Target finds the file that a call changes. The error is one with which
	// Run refuses the call.
	Target(arguments message.JSON, env Env) (*Target, error)
}

// TargetOf finds the file that a call of a tool changes; nil for a tool that does
// not say so beforehand.
func TargetOf(t Tool, arguments message.JSON, env Env) (*Target, error) {
	if t, ok := t.(Targeted); ok {
		return t.Target(arguments, env)
	}
	return nil, nil
}

// target finds the file at a path.
func target(env Env, path string) (*Target, error) {
	p, err := locate(env, path, false)
	if err != nil {
		return nil, err
	}
	defer p.close()
	was, err := p.look()
	if err != nil {
		return nil, err
	}
	return &Target{Named: path, Path: p.name, Real: p.real, Linked: p.linked, Acts: p.acts(), was: was}, nil
}

// look describes the file at the place, nil for none; anything else than a regular
// file is an error.
func (p *place) look() (fs.FileInfo, error) {
	info, err := p.root.Lstat(p.rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%q cannot be written: %w", p.name, because(err))
	}
	return info, regular(info, p.name)
}

// agreed refuses a place that is another, or has another file, than the one that a
// person was asked about.
func (p *place) agreed(t *Target, was fs.FileInfo) error {
	switch {
	case t == nil:
		return nil
	case t.Real != p.real:
		return fmt.Errorf("refused: %q led to %q when a person was asked about it, and leads to %q now", t.Named, t.Real, p.real)
	case (t.was == nil) != (was == nil), was != nil && !same(t.was, was):
		return fmt.Errorf("refused: somebody else changed %q since a person was asked about it; read it again", p.name)
	}
	return nil
}

// same reports whether two descriptions are of one file with one content.
func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
