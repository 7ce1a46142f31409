package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// maxSize is how large a file may be, in bytes.
const maxSize = 1 << 20

// Load reads the settings file at a path. One that is not there is [Defaults], and
// so is one that others could have written: it says where keys go, and what is run.
// warnings are lines for a person: that, and members that are not known. The error
// is an *[Error] with its place, or that of a file that cannot be read.
func Load(path string) (s Settings, warnings []string, err error) {
	data, danger, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Defaults(), nil, nil
	case err != nil:
		return Defaults(), nil, err
	case danger != "":
		return Defaults(), []string{fmt.Sprintf("settings %q: nothing in it holds: %s", path, danger)}, nil
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
	return s, warnings, nil
}

// read returns what a file holds, or why that is not to be believed.
func read(path string) (data []byte, danger string, err error) {
	real, err := vfs.Resolve(vfs.OS(), path)
	if err != nil {
		return nil, "", fmt.Errorf("read settings: %w", err)
	}
	// A pipe would wait for who never writes: it is not opened.
	f, err := vfs.OS().Open(real, os.O_RDONLY)
	if errors.Is(err, vfs.ErrNotRegular) {
		return nil, "", fmt.Errorf("read settings %q: not a regular file", path)
	}
	if err != nil {
		return nil, "", fmt.Errorf("read settings: %w", err)
	}
	defer f.Close()
	if danger, err = vfs.Strangers(vfs.OS(), path); err != nil || danger != "" {
		return nil, danger, err
	}
	data, err = io.ReadAll(io.NewSectionReader(f, 0, maxSize+1))
	if err != nil {
		return nil, "", fmt.Errorf("read settings %q: %w", path, err)
	}
	if len(data) > maxSize {
		return nil, "", fmt.Errorf("read settings %q: larger than %d bytes", path, maxSize)
	}
	return data, "", nil
}
