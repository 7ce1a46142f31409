package vfs

import (
	"fmt"
	"io/fs"
	"strings"
)

// A path of Windows is given to its kernel as it is, so that neither its length nor
// an old rule of DOS changes which file it means: the forms of `\\?\` are what
// follows in these functions. They are pure, and all systems test them.

// kernelPath returns the kernel's name of an absolute, clean path of Windows.
func kernelPath(path string) (string, error) {
	rest := path
	prefix := `\??\`
	switch {
	case strings.HasPrefix(path, `\\?\UNC\`):
		prefix, rest = `\??\UNC\`, path[len(`\\?\UNC\`):]
	case strings.HasPrefix(path, `\\?\`):
		rest = path[len(`\\?\`):]
	case strings.HasPrefix(path, `\\.\`), strings.HasPrefix(path, `\??\`):
		return "", ErrNotRegular // devices and pipes
	case strings.HasPrefix(path, `\\`):
		prefix, rest = `\??\UNC\`, path[2:]
	}
	parts := strings.Split(rest, `\`)
	switch {
	case prefix == `\??\UNC\`:
		if len(parts) < 2 || parts[0] == "" || parts[1] == "" {
			return "", fmt.Errorf("%q names no share: %w", path, fs.ErrInvalid)
		}
	case len(parts) < 2 || len(parts[0]) != 2 || parts[0][1] != ':' || !isLetter(parts[0][0]):
		return "", fmt.Errorf("%q is no path from a drive: %w", path, fs.ErrInvalid)
	default:
		parts = parts[1:]
	}
	for i, part := range parts {
		if part == "" && i == len(parts)-1 {
			continue // the root
		}
		if err := readable(part); err != nil {
			return "", err
		}
	}
	return prefix + rest, nil
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// A NameError says why Windows has no file of a name, or why no other program could
// open it. It is [fs.ErrInvalid].
type NameError struct {
	// Name is the element of a path.
	Name string
	// Why says what is wrong with it.
	Why string
}

// Error says what is wrong with which name.
func (e *NameError) Error() string { return fmt.Sprintf("the name %q %s", e.Name, e.Why) }

// Is makes it fs.ErrInvalid.
func (e *NameError) Is(target error) bool { return target == fs.ErrInvalid }

// readable is an error for an element that is no name of a file on Windows: a colon
// would name a stream of one, or a drive.
func readable(name string) error {
	for _, r := range name {
		if r < ' ' || strings.ContainsRune(`<>:"|?*/\`, r) {
			return &NameError{name, fmt.Sprintf("has %q in it, which no name may have on Windows", r)}
		}
	}
	if name == "" || name == "." || name == ".." {
		return &NameError{name, "is no name of a file"}
	}
	return nil
}

// creatable is an error for an element that no file is to be given as its name: other
// programs of Windows could not open it.
func creatable(name string) error {
	if err := readable(name); err != nil {
		return err
	}
	if strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return &NameError{name, "ends with a dot or a blank, which Windows drops"}
	}
	if device(name) {
		return &NameError{name, "is one of a device on Windows"}
	}
	return nil
}

// device reports whether Windows takes a name, with any extension, for a device.
func device(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	number, ok := strings.CutPrefix(stem, "COM")
	if !ok {
		number, ok = strings.CutPrefix(stem, "LPT")
	}
	switch number {
	case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "\u00b9", "\u00b2", "\u00b3":
		return ok
	}
	return false
}

// unkernel returns the path of Windows that a path of the form `\\?\` means.
func unkernel(path string) string {
	if rest, ok := strings.CutPrefix(path, `\\?\UNC\`); ok {
		return `\\` + rest
	}
	return strings.TrimPrefix(path, `\\?\`)
}
