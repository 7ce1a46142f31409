package arch_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// functions returns the names of all tests, benchmarks and fuzz targets of the
// module, with the rooms that have them, and the names of the script tests.
func functions(t *testing.T, root string) map[string][]string {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)\w*)\(`)
	rooms := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		room := strings.TrimPrefix(filepath.Dir(path), root+"/")
		switch {
		case e.IsDir() && (e.Name() == "node_modules" || e.Name() == ".git"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".txtar"):
			name := strings.TrimSuffix(e.Name(), ".txtar")
			rooms[name] = append(rooms[name], "cmd/cambium")
		case strings.HasSuffix(path, "_test.go"):
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range declared.FindAllStringSubmatch(string(data), -1) {
				rooms[m[1]] = append(rooms[m[1]], room)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rooms
}

// TestNamedTestsExist sees that every test that a page names is there, and that
// each promise of the page about durability names one.
func TestNamedTestsExist(t *testing.T) {
	const root = "../.."
	whole, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	rooms := functions(t, whole)
	pages, err := filepath.Glob(root + "/doc/*.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Benchmark|Fuzz)[A-Z]\\w*)`")
	for _, page := range append(pages, root+"/README.md", root+"/CONTRIBUTING.md") {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(data), -1) {
			if rooms[m[1]] == nil {
				t.Errorf("%s names %s, which is nowhere", page, m[1])
			}
		}
	}
	data, err := os.ReadFile(root + "/doc/durability.md")
	if err != nil {
		t.Fatal(err)
	}
	promises, _, found := strings.Cut(string(data), "\n## The lock")
	if !found {
		t.Fatal("the page about durability has no part about the lock")
	}
	named = regexp.MustCompile("`((?:Test|Benchmark|Fuzz)[A-Z]\\w*|[a-z]+_[a-z_]+)`")
	for _, promise := range regexp.MustCompile(`(?m)^\*\*`).Split(promises, -1)[1:] {
		question, answer, _ := strings.Cut(promise, "**")
		kept := false
		for _, m := range named.FindAllStringSubmatch(answer, -1) {
			if kept = kept || rooms[m[1]] != nil; rooms[m[1]] == nil {
				t.Errorf("%q names %s, which is nowhere", question, m[1])
			}
		}
		if !kept {
			t.Errorf("%q names no test", question)
		}
	}
}
