// Command npm makes the packages for npm of what goreleaser built: cambium, which has a
// small program that finds the command, and one for each system and machine with the
// command, of which npm installs the one that fits. No package runs anything when it is
// installed. They are directories below DIR, to be packed by `npm pack` or published.
//
// Usage: go run ./release/npm DIST DIR
package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

//go:embed cambium.js
var launcher []byte

// scope is before the names of the packages that hold the command.
const scope = "@cambium-dev/cambium-"

// A manifest is a package.json.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Homepage    string            `json:"homepage"`
	Repository  map[string]string `json:"repository"`
	Bin         map[string]string `json:"bin,omitempty"`
	Files       []string          `json:"files"`
	Engines     map[string]string `json:"engines,omitempty"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
}

// newManifest is what all packages say.
func newManifest(name, version string) manifest {
	return manifest{
		Name: name, Version: version, License: "MIT",
		Description: "The session engine for coding agents: finds, shows, searches, resumes, repairs and shares their conversations.",
		Homepage:    "https://github.com/cambium-dev/cambium",
		Repository:  map[string]string{"type": "git", "url": "git+https://github.com/cambium-dev/cambium.git"},
		Files:       []string{"bin"},
	}
}

// A binary is one of the files that goreleaser says it made.
type binary struct {
	Type string `json:"type"`
	Path string `json:"path"`
	OS   string `json:"goos"`
	CPU  string `json:"goarch"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "npm: usage: npm DIST DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "npm:", err)
		os.Exit(1)
	}
}

// write writes all packages below dir.
func write(dist, dir string) error {
	var about struct {
		Version string `json:"version"`
	}
	if err := read(filepath.Join(dist, "metadata.json"), &about); err != nil {
		return err
	}
	var made []binary
	if err := read(filepath.Join(dist, "artifacts.json"), &made); err != nil {
		return err
	}
	main := newManifest("cambium", about.Version)
	main.Bin = map[string]string{"cambium": "bin/cambium.js"}
	main.Engines = map[string]string{"node": ">=18"}
	main.Optional = map[string]string{}
	for _, b := range made {
		if b.Type != "Binary" {
			continue
		}
		m, err := platform(dir, b, about.Version)
		if err != nil {
			return err
		}
		main.Optional[m.Name] = m.Version
	}
	if len(main.Optional) == 0 {
		return errors.New("read artifacts: there is no binary among them")
	}
	return pack(filepath.Join(dir, "cambium"), main, map[string][]byte{"bin/cambium.js": launcher})
}

// platform writes the package of one binary.
func platform(dir string, b binary, version string) (manifest, error) {
	system, ok := map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}[b.OS]
	machine, known := map[string]string{"amd64": "x64", "arm64": "arm64"}[b.CPU]
	if !ok || !known {
		return manifest{}, fmt.Errorf("name the package of %q: npm's words for %s and %s are not known", b.Path, b.OS, b.CPU)
	}
	m := newManifest(scope+system+"-"+machine, version)
	m.OS, m.CPU = []string{system}, []string{machine}
	data, err := os.ReadFile(b.Path)
	if err != nil {
		return m, err
	}
	return m, pack(filepath.Join(dir, "cambium-"+system+"-"+machine), m, map[string][]byte{"bin/" + filepath.Base(b.Path): data})
}

// pack writes a package: its manifest, the license, and its programs.
func pack(dir string, m manifest, programs map[string][]byte) error {
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		return err
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	for name, data := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o755); err != nil {
			return err
		}
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, "package.json"), append(text, '\n'), 0o644),
		os.WriteFile(filepath.Join(dir, "LICENSE"), license, 0o644))
}

// read reads a file of JSON.
func read(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read %q: %w", path, err)
	}
	return nil
}
