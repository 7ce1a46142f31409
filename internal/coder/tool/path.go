package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A place is a file or directory that a call names, there or not. It is reached
// through a root, so that links put in its way after the look lead nowhere.
type place struct {
	root *os.Root
	// rel is the place seen from the root, "." for the root itself, without
	// links when it was looked at.
	rel string
	// real is the same as an absolute path.
	real string
	// name is how results call it: seen from the session's directory, or
	// absolute when it is not within.
	name string
}

func (p *place) close() { _ = p.root.Close() } // nothing was written through it

// locate finds what a call names. Where the environment keeps tools in the
// session's directory, a place whose real location is elsewhere is refused; the
// artifacts of the session may be looked at all the same.
func locate(env Env, path string, looking bool) (*place, error) {
	dir, err := filepath.EvalSymlinks(env.Dir)
	if err != nil {
		return nil, fmt.Errorf("the session's directory %q cannot be reached: %w", env.Dir, because(err))
	}
	abs, err := absolute(env, path)
	if err != nil {
		return nil, err
	}
	real, err := resolve(abs)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be reached: %w", path, because(err))
	}
	p := &place{real: real, name: real}
	base := dir
	if p.rel = within(dir, real); p.rel != "" {
		p.name = p.rel
	} else if base = artifacts(env, real); looking && base != "" {
		p.rel = within(base, real)
	} else if !env.Outside {
		return nil, fmt.Errorf("refused: %q is outside the session's directory %q; only a person can allow that, by starting with %s",
			path, env.Dir, OutsideFlag)
	} else {
		base = nearest(real)
		p.rel = within(base, real)
	}
	if p.root, err = os.OpenRoot(base); err != nil {
		return nil, fmt.Errorf("%q cannot be opened: %w", base, because(err))
	}
	return p, nil
}

// absolute is a path of a call made absolute and clean. "~" is the home of the
// environment.
func absolute(env Env, path string) (string, error) {
	switch {
	case path == "":
		return "", errors.New(`the path is empty; "." is the session's directory`)
	case strings.ContainsRune(path, 0):
		return "", fmt.Errorf("the path %q has a NUL in it", path)
	case path == "~" || strings.HasPrefix(path, "~"+separator):
		home := variable(env.Environ, "HOME")
		if !filepath.IsAbs(home) {
			return "", fmt.Errorf("%q cannot be reached: no home directory is known", path)
		}
		return filepath.Join(home, path[1:]), nil
	case filepath.IsAbs(path):
		return filepath.Clean(path), nil
	}
	return filepath.Join(env.Dir, path), nil
}

// variable returns a variable of an environment; the last of several holds.
func variable(environ []string, name string) string {
	value := ""
	for _, v := range environ {
		if key, is, ok := strings.Cut(v, "="); ok && key == name {
			value = is
		}
	}
	return value
}

// within returns path seen from dir, "" when it is not in it. Both are clean.
func within(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return rel
}

// artifacts returns the real directory of the session's artifacts if a path is
// in it, "" otherwise.
func artifacts(env Env, real string) string {
	if env.ArtifactDir == "" {
		return ""
	}
	dir, err := filepath.EvalSymlinks(env.ArtifactDir)
	if err != nil || within(dir, real) == "" {
		return ""
	}
	return dir
}

// nearest returns the deepest directory that is there on the way to a path.
func nearest(real string) string {
	for dir := real; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
	}
}

// maxLinks is how many symbolic links are followed on one way, as Linux does.
const maxLinks = 40

// resolve returns where an absolute path really leads: all links followed, also
// one that leads to nothing yet. Parts that are not there stay as they are.
func resolve(abs string) (string, error) {
	rest := strings.Split(strings.Trim(filepath.Clean(abs), separator), separator)
	real, links, gone := separator, 0, false
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if gone {
				return "", fs.ErrNotExist
			}
			real = filepath.Dir(real)
			continue
		}
		next := filepath.Join(real, part)
		if gone {
			real = next
			continue
		}
		info, err := os.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) {
			gone = true
		} else if err != nil {
			return "", err
		} else if info.Mode()&fs.ModeSymlink != 0 {
			if links++; links > maxLinks {
				return "", errors.New("too many symbolic links")
			}
			target, err := os.Readlink(next)
			if err != nil {
				return "", err
			}
			if filepath.IsAbs(target) {
				real = separator
			}
			rest = append(strings.Split(target, separator), rest...)
			continue
		}
		real = next
	}
	return real, nil
}
