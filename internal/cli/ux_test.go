package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSeveralRemovedAreOneUndo: one undo brings back what one rm took away.
func TestSeveralRemovedAreOneUndo(t *testing.T) {
	m := newMachine(t)
	var paths []string
	for _, name := range []string{"a", "b", "c", "d"} {
		path := filepath.Join(m.dir, name+".jsonl")
		write(t, path, []byte(strings.Replace(aSession, "19c0b2f4a1400001", "19c0b2f4a140000"+name, 1)))
		paths = append(paths, path)
	}
	m.run("rm", paths[3])
	if _, stderr, code := m.run(append([]string{"rm"}, paths[:3]...)...); code != 0 {
		t.Fatal(stderr)
	}
	if out, stderr, code := m.run("undo"); code != 0 || strings.Count(out, "\n") != 3 {
		t.Errorf("exit code %d: %s%s", code, out, stderr)
	}
	for i, path := range paths {
		if _, err := os.Stat(path); (err == nil) != (i < 3) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if out, _, code := m.run("undo"); code != 0 || !strings.Contains(out, "d.jsonl") {
		t.Errorf("the one before: exit code %d: %s", code, out)
	}
}

// TestFlatTree: a conversation of any length is a list of nodes, not a nesting.
func TestFlatTree(t *testing.T) {
	m := newMachine(t)
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"19c0b2f4a1400001","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/work"}` + "\n")
	parent := "null"
	for n := range 3000 {
		fmt.Fprintf(&b, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":"hi","timestamp":1}}`+"\n", n, parent)
		parent = fmt.Sprintf(`"%08x"`, n)
	}
	write(t, filepath.Join(m.dir, "s.jsonl"), []byte(b.String()))
	out, stderr, code := m.run("tree", "./s.jsonl", "--flat", "--json")
	var nodes []struct {
		Entry struct{ ID string }
		Depth int
	}
	if err := json.Unmarshal([]byte(out), &nodes); err != nil || code != 0 || len(nodes) != 3000 || nodes[2999].Depth != 2999 || nodes[2999].Entry.ID != "00000bb7" {
		t.Errorf("%d nodes, %v, exit code %d: %s", len(nodes), err, code, stderr)
	}
	if _, _, code := m.run("tree", "./s.jsonl", "--flat"); code != 2 {
		t.Errorf("without --json: exit code %d", code)
	}
}

// TestOneMatchIsAMatch: a word that one name alone has in it is enough.
func TestOneMatchIsAMatch(t *testing.T) {
	m := newMachine(t)
	dir := filepath.Join(m.home, ".cambium/agent/sessions/--work--")
	for id, name := range map[string]string{"19c0b2f4a1400001": "water before the frost", "19c0b2f4a1400002": "water the beans"} {
		text := strings.Replace(aSession, "19c0b2f4a1400001", id, 1)
		text = strings.Replace(text, `"cwd":`, `"title":"`+name+`","cwd":`, 1)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, id+".jsonl"), []byte(text))
	}
	if out, stderr, code := m.run("show", "frost"); code != 0 || !strings.Contains(out, "frost") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if _, stderr, code := m.run("show", "water"); code != 3 || !strings.Contains(stderr, "frost") || !strings.Contains(stderr, "beans") {
		t.Errorf("two: exit code %d: %s", code, stderr)
	}
	if _, stderr, code := m.run("show", "water", "--first"); code != 0 {
		t.Errorf("--first: exit code %d: %s", code, stderr)
	}
}

// goneOn is what a program appends that had aSession open.
const goneOn = `{"type":"message","id":"bbbbbbbb","parentId":"aaaaaaaa","timestamp":"2026-03-01T09:00:09.000Z","message":{"role":"user","content":"said since","timestamp":2}}` + "\n"

// TestOpenAndPrintWritesNothing: what is only printed leaves sessions and notes alone.
func TestOpenAndPrintWritesNothing(t *testing.T) {
	m := newMachine(t)
	dir := filepath.Join(m.home, ".cambium/agent/sessions/--work--")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "19c0b2f4a1400001.jsonl")
	text := aSession + strings.ReplaceAll(goneOn, "said since", "the later word")
	write(t, path, []byte(text))
	files := func() (all []string) {
		_ = filepath.WalkDir(m.home, func(path string, _ os.DirEntry, err error) error {
			all = append(all, fmt.Sprint(path, err))
			return nil
		})
		return all
	}
	before := fmt.Sprint(files())
	out, stderr, code := m.run("search", "hi", "--open", "--print")
	if code != 0 || strings.TrimSpace(out) != path {
		t.Errorf("exit code %d: %s%s", code, out, stderr)
	}
	if got, err := os.ReadFile(path); string(got) != text || fmt.Sprint(files()) != before {
		t.Errorf("%v: %s\n%v", err, got, files())
	}
}
