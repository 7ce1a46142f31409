package wiretest

import (
	"embed"
	"fmt"
	"strings"
)

// files are event streams as the vendors publish them; SOURCES.md says where.
//
//go:embed testdata
var files embed.FS

// File returns an event stream of testdata: "basic" of the protocol, or
// "anthropic/basic".
func File(p Protocol, name string) ([]byte, error) {
	if !strings.Contains(name, "/") {
		name = string(p) + "/" + name
	}
	stream, err := files.ReadFile("testdata/" + name + ".sse")
	if err != nil {
		return nil, fmt.Errorf("read stream %q: %w", name, err)
	}
	return stream, nil
}

// Files returns the names of the protocol's event streams, sorted.
func Files(p Protocol) []string {
	entries, err := files.ReadDir("testdata/" + string(p))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".sse"); ok {
			names = append(names, name)
		}
	}
	return names
}
