package tool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/scratch"
)

// TestSwaps has a directory of the project and a link that leads outside change
// places all the time: no tool reads or writes what is outside.
func TestSwaps(t *testing.T) {
	env := box(t, map[string]string{"d/sub/file": "inside\n", "d/sub/deep/file": "inside\n"})
	outside := filepath.Join(filepath.Dir(env.Dir), "outside")
	put(t, filepath.Join(outside, "file"), "OUTSIDE\n")
	put(t, filepath.Join(outside, "deep/file"), "OUTSIDE\n")
	symlink(t, outside, filepath.Join(env.Dir, "d/link"))
	stop := scratch.Swapping([2]string{env.Dir + "/d/sub", env.Dir + "/d/link"})
	for range 200 {
		for _, call := range [][2]string{
			{"read", `{"path":"d/sub/file"}`}, {"read", `{"path":"d/sub/deep/file"}`}, {"grep", `{"path":"d","pattern":"."}`},
			{"grep", `{"path":"d/sub/deep","pattern":"."}`}, {"ls", `{"path":"d/sub"}`}, {"find", `{"pattern":"*"}`},
			{"write", `{"path":"d/sub/file","content":"x"}`}, {"write", `{"path":"d/sub/new/er","content":"x"}`},
			{"edit", `{"path":"d/sub/deep/file","oldText":"inside","newText":"inside"}`},
		} {
			if r := run(t, env, call[0], call[1]); strings.Contains(words(r), "OUTSIDE") {
				t.Fatalf("%s %s: %s", call[0], call[1], words(r))
			}
		}
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "deep/file"} {
		if got := get(t, filepath.Join(outside, name)); got != "OUTSIDE\n" {
			t.Errorf("%s outside is %q", name, got)
		}
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 2 {
		t.Errorf("outside are %v, %v", entries, err)
	}
}

// TestMadeUpFiles: what the system makes up, such as the environment of a process,
// is not read, by whatever way it is in the project.
func TestMadeUpFiles(t *testing.T) {
	env := box(t, nil)
	env.Dir = "/proc/self"
	for _, call := range [][2]string{{"read", `{"path":"environ"}`}, {"grep", `{"path":"environ","pattern":"."}`}, {"edit", `{"path":"environ","oldText":"a","newText":"b"}`}} {
		r := run(t, env, call[0], call[1])
		if !r.IsError || !strings.HasPrefix(words(r), "refused: ") {
			t.Errorf("%s: %.200s", call[0], words(r))
		}
	}
	env.Dir = "/proc/self/net"
	if r := run(t, env, "grep", `{"path":".","pattern":"[0-9]","glob":"dev"}`); !strings.Contains(words(r), "could not be read") {
		t.Errorf("grep: %.200s", words(r))
	}
	env.Outside = true // a person allowed everything
	if r := run(t, env, "read", `{"path":"/proc/self/status"}`); r.IsError || !strings.Contains(words(r), "Name:") {
		t.Errorf("with Outside: %.200s", words(r))
	}
}
