package state

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// Names that Cambium gives below the state directory. Nothing else there is deleted.
var (
	idName       = regexp.MustCompile(`^[0-9a-f]{12}$`)
	shardName    = regexp.MustCompile(`^[0-9]{2}$`)
	presenceName = regexp.MustCompile(`^[0-9a-f]+\.`)
	draftName    = regexp.MustCompile(`^[0-9A-Za-z_-]+\.[0-9A-Za-z_-]+\.jsonl$`)
	trashName    = regexp.MustCompile(`^(record|session(\..*)?|artifacts|stray-[0-9]+|\..*)$`)
	keptName     = regexp.MustCompile(`^(bytes(\..*)?|\..*)$`)
)

// A Left is something below the state directory that is not deleted.
type Left struct {
	// Path is where it is, Why says why it is left alone.
	Path, Why string
}

// ErrNotOurs is something below the state directory that Cambium did not put there.
var ErrNotOurs = errors.New("nothing that Cambium put there")

// A sieve tells what is as Cambium leaves it below the state directory: directories and
// files with the names that it gives, reached through no link, on one file system.
type sieve struct {
	fs   vfs.FS
	disk uint64 // the device of the state directory
}

// sieve returns one that looks through the eyes of fsys.
func (j *Journal) sieve(fsys vfs.FS) (sieve, error) {
	info, err := fsys.Stat(j.opt.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return sieve{fsys, info.Dev}, err
}

// dir fails for what is no directory of the state directory's file system.
func (s sieve) dir(path string) error {
	info, err := s.fs.Lstat(path)
	switch {
	case err != nil:
		return err
	case info.Mode&fs.ModeSymlink != 0:
		return fmt.Errorf("it is a link: %w", ErrNotOurs)
	case !info.Mode.IsDir():
		return fmt.Errorf("it is no directory: %w", ErrNotOurs)
	}
	return s.here(path, info)
}

// here fails for what is on another file system, or a mount.
func (s sieve) here(path string, info vfs.Info) error {
	if info.Dev != s.disk || vfs.Mounted(s.fs, path) {
		return fmt.Errorf("%q is a mount: %w", path, ErrNotOurs)
	}
	return nil
}

// item fails for a directory that is not one of those with an id for a name, or that
// holds anything but what names allow. What is deeper in it may have any name, and be a
// link, but no mount.
func (s sieve) item(path string, names *regexp.Regexp) error {
	if !idName.MatchString(filepath.Base(path)) {
		return fmt.Errorf("no id is its name: %w", ErrNotOurs)
	}
	if err := s.dir(path); err != nil {
		return err
	}
	infos, err := s.fs.ReadDir(path)
	if err != nil {
		return err
	}
	for _, info := range infos {
		inner := filepath.Join(path, info.Name)
		if !names.MatchString(info.Name) || info.Mode.IsDir() && !strings.HasPrefix(info.Name, artifactsName) {
			return fmt.Errorf("%q is in it: %w", info.Name, ErrNotOurs)
		}
		if err := s.deep(inner, info); err != nil {
			return err
		}
	}
	return nil
}

// deep fails for a mount anywhere below a path.
func (s sieve) deep(path string, info vfs.Info) error {
	if err := s.here(path, info); err != nil || !info.Mode.IsDir() {
		return err
	}
	infos, err := s.fs.ReadDir(path)
	if err != nil {
		return err
	}
	for _, info := range infos {
		if err := s.deep(filepath.Join(path, info.Name), info); err != nil {
			return err
		}
	}
	return nil
}

// leave says why something is left alone.
func leave(path string, err error) Left {
	return Left{path, err.Error()}
}
