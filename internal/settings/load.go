package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxSize is how large a file may be, in bytes.
const maxSize = 1 << 20

// Load reads the settings file at a path. One that is not there is [Defaults].
// warnings are lines for a person: members that are not known, and commands that
// are not run because others could have written them. The error is an *[Error]
// with its place, or that of a file that cannot be read.
func Load(path string) (s Settings, warnings []string, err error) {
	data, danger, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Defaults(), nil, nil
	}
	if err != nil {
		return Defaults(), nil, err
	}
	s, unknown, err := Parse(data)
	var bad *Error
	if errors.As(err, &bad) {
		bad.Path = path
	}
	if err != nil {
		return s, nil, err
	}
	if len(unknown) > 0 {
		warnings = append(warnings, fmt.Sprintf("settings %q: not known, and passed over: %s", path, strings.Join(unknown, ", ")))
	}
	if len(s.Hooks) > 0 && danger != "" {
		s.Hooks = nil
		warnings = append(warnings, fmt.Sprintf("settings %q: its hooks are not run: %s", path, danger))
	}
	return s, warnings, nil
}

// read returns what a file holds, and why its commands should not be run, "" if
// nothing speaks against it.
func read(path string) (data []byte, danger string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", fmt.Errorf("read settings: %w", err)
	}
	// A pipe would wait for who never writes.
	if !info.Mode().IsRegular() {
		return nil, "", fmt.Errorf("read settings %q: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, "", fmt.Errorf("read settings: %w", err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, "", fmt.Errorf("read settings: %w", err)
	}
	data, err = io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, "", fmt.Errorf("read settings %q: %w", path, err)
	}
	if len(data) > maxSize {
		return nil, "", fmt.Errorf("read settings %q: larger than %d bytes", path, maxSize)
	}
	return data, dangerous(path, info), nil
}

// dangerous returns why somebody else may have written a file, or replaced it:
// where it is called, and where it really is.
func dangerous(path string, info fs.FileInfo) string {
	if !filepath.IsAbs(path) {
		return "its path is not absolute, so it may be another file in another directory"
	}
	if why := open(path, info); why != "" {
		return why
	}
	dirs := []string{filepath.Dir(path)}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Sprintf("it cannot be said where it is: %v", err)
	}
	if dir := filepath.Dir(real); dir != dirs[0] {
		dirs = append(dirs, dir)
	}
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			return fmt.Sprintf("its directory cannot be looked at: %v", err)
		}
		if why := open(dir, info); why != "" {
			return why
		}
	}
	return ""
}
