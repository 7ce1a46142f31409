//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

// A setting is when, with what and where the table was made.
type setting struct {
	facts  []string
	repeat int
}

// about describes this run.
func about(ctx context.Context, root string, repeat int) setting {
	s := setting{repeat: repeat}
	note := func(format string, args ...any) { s.facts = append(s.facts, fmt.Sprintf(format, args...)) }
	note("Date: %s", time.Now().UTC().Format("2006-01-02 15:04 UTC"))
	note("Cambium: %s, %s", commit(ctx, root), runtime.Version())
	for _, p := range []peers.Program{peers.Pi, peers.Omp} {
		scope := map[peers.Program]string{peers.Pi: "@earendil-works", peers.Omp: "@oh-my-pi"}[p]
		manifest := filepath.Join(root, "interop", string(p), "node_modules", scope, "pi-coding-agent", "package.json")
		note("%s: %s, %s", p, version(manifest), host(ctx, p.Runtime(root)))
	}
	var uts unix.Utsname
	kernel := "?"
	if unix.Uname(&uts) == nil {
		kernel = unix.ByteSliceToString(uts.Sysname[:]) + " " + unix.ByteSliceToString(uts.Release[:])
	}
	note("Machine: %s, %d CPUs, %s of memory, %s %s", field("/proc/cpuinfo", "model name"), runtime.NumCPU(), field("/proc/meminfo", "MemTotal"), kernel, runtime.GOARCH)
	return s
}

// commit names what was measured.
func commit(ctx context.Context, root string) string {
	cmd := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return "unknown commit"
	}
	return strings.TrimSpace(string(out))
}

// version reads a package's version.
func version(name string) string {
	var p struct {
		Version string `json:"version"`
	}
	data, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(data, &p) != nil {
		return "unknown version"
	}
	return p.Version
}

// host is the runtime and its version.
func host(ctx context.Context, path string) string {
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "unknown runtime"
	}
	return filepath.Base(path) + " " + strings.TrimPrefix(strings.TrimSpace(string(out)), "v")
}

// field returns the first value of a name in a file of lines "name: value".
func field(file, name string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return "?"
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "?"
}
