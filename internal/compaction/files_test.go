package compaction_test

import (
	"testing"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/google/go-cmp/cmp"
)

func TestFilesByDialect(t *testing.T) {
	bodies := []string{user("x")}
	for _, path := range []string{
		"b.go", "b.go", "a.go:5-20", "a.go:L5-", "c.go:1,3..9:raw", "d.go:RAW:7+2", "e.go:conflicts", "f.go:x", "g.go:raw:raw",
		":5", "https://h/i", "k.go:conflict://1", "1://l", "ü", "\uFFFD", "😀",
	} {
		bodies = append(bodies, toolCall("r", "read", path))
	}
	bodies = append(bodies,
		toolCall("w", "write", "w.go"), toolCall("w", "write", "artifact://3"), toolCall("e", "edit", "b.go"), toolCall("x", "grep", "no"),
		`"type":"message","message":{"role":"assistant","content":[null,7,{"type":"toolCall","name":"read"},{"type":"toolCall","name":"read","arguments":{"path":7}}]}`,
		user("end"), answer("end"))
	want := map[dialect.Name]compaction.Files{
		dialect.Omp: {
			Read:    []string{"1://l", ":5", "a.go", "b.go", "c.go", "d.go", "e.go", "f.go:x", "g.go:raw", "ü", "😀", "\uFFFD"},
			Written: []string{"w.go"}, Edited: []string{"b.go"},
		},
		dialect.Pi: {
			Read: []string{
				"1://l", ":5", "a.go:5-20", "a.go:L5-", "b.go", "c.go:1,3..9:raw", "d.go:RAW:7+2", "e.go:conflicts", "f.go:x", "g.go:raw:raw",
				"https://h/i", "k.go:conflict://1", "ü", "😀", "\uFFFD",
			},
			Written: []string{"artifact://3", "w.go"}, Edited: []string{"b.go"},
		},
	}
	for name, files := range want {
		_, r := rules(t, name)
		s := chain(t, bodies...)
		p, err := r.Prepare(s.list, s.path(), compact.Settings{KeepRecent: -1})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(files, p.Files); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestFilesOfExtensionsAreTheirs: what an extension says of its summary has a
// meaning of its own.
func TestFilesOfExtensionsAreTheirs(t *testing.T) {
	for _, mark := range []string{"fromHook", "fromExtension"} {
		s := chain(t, `"type":"compaction","summary":"s","firstKeptEntryId":"","tokensBefore":1,"`+mark+`":true,"details":{"readFiles":["a"],"modifiedFiles":["b"]}`,
			user("x"), answer("y"), user("z"))
		_, r := rules(t, dialect.Pi)
		p, err := r.Prepare(s.list, s.path(), compact.Settings{KeepRecent: -1})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(compaction.Files{}, p.Files); diff != "" {
			t.Errorf("%s (-want +got):\n%s", mark, diff)
		}
	}
}
