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
	// linked says that a link leads there from the path that the call gives.
	linked bool
	// kept says that it is among the artifacts of the session, outside that
	// tools may leave the session's directory.
	kept, outside bool
}

func (p *place) close() { _ = p.root.Close() } // nothing was written through it

// locate finds what a call names. Where the environment keeps tools in the
// session's directory, a place whose real location is elsewhere is refused; the
// artifacts of the session may be looked at all the same.
func locate(env Env, path string, looking bool) (*place, error) {
	root, dir, err := openDir(env.Dir)
	if err != nil {
		return nil, fmt.Errorf("the session's directory %q cannot be reached: %w", env.Dir, because(err))
	}
	p := &place{root: root, outside: env.Outside}
	if err := p.find(env, dir, path, looking); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// openDir opens a directory and returns where it really is.
func openDir(path string) (*os.Root, string, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, "", err
	}
	dir, err := filepath.EvalSymlinks(path)
	if err == nil && !rootAt(root, dir) {
		err = errChanged
	}
	if err != nil {
		return nil, "", errors.Join(err, root.Close())
	}
	return root, dir, nil
}

// rootAt reports whether a root is the directory at a path.
func rootAt(root *os.Root, path string) bool {
	is, err := root.Stat(".")
	if err != nil {
		return false
	}
	at, err := os.Lstat(path)
	return err == nil && os.SameFile(is, at)
}

// find settles where in which root a place is. The root of the place is that of
// the session's directory.
func (p *place) find(env Env, dir, path string, looking bool) error {
	abs, err := absolute(env, path)
	if err != nil {
		return err
	}
	if p.real, err = resolve(abs); err != nil {
		return fmt.Errorf("%q cannot be reached: %w", path, because(err))
	}
	p.linked = p.real != abs && p.real != filepath.Join(dir, within(env.Dir, abs))
	if p.rel = within(dir, p.real); p.rel != "" {
		p.name = p.rel
		return nil
	}
	p.name = p.real
	if looking {
		if root, rel := artifact(env, p.real); root != nil {
			p.close()
			p.root, p.rel, p.kept = root, rel, true
			return nil
		}
	}
	if !env.Outside {
		return fmt.Errorf("refused: %q is outside the session's directory %q; only a person can allow that, by starting with %s",
			path, env.Dir, OutsideFlag)
	}
	base := nearest(p.real)
	root, err := os.OpenRoot(base)
	if err != nil {
		return fmt.Errorf("%q cannot be opened: %w", base, because(err))
	}
	p.close()
	p.root, p.rel = root, within(base, p.real)
	return nil
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

// artifact opens the directory of the session's artifacts if a real path is in it,
// and returns the path seen from there. The way to the directory may have links;
// the directory is none: it would be somebody else's that lies beside the session.
func artifact(env Env, real string) (root *os.Root, rel string) {
	if env.ArtifactDir == "" {
		return nil, ""
	}
	above, dir, err := openDir(filepath.Dir(env.ArtifactDir))
	if err != nil {
		return nil, ""
	}
	defer func() { _ = above.Close() }() // nothing was written
	base := filepath.Base(env.ArtifactDir)
	if rel = within(filepath.Join(dir, base), real); rel == "" {
		return nil, ""
	}
	if root, err = descend(above, base, false); err != nil {
		return nil, ""
	}
	return root, rel
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
