package tool_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDeepDirectories: a project of directories without end holds up no search, and what
// was not looked at is said.
func TestDeepDirectories(t *testing.T) {
	near, far := strings.Repeat("d/", 100), strings.Repeat("d/", 1700)
	env := box(t, map[string]string{near + "near.txt": "here\n", far + "far.txt": "here\n"})
	const note = "[what lies deeper than 128 directories was not looked at]"
	for name, arguments := range map[string]string{"find": `{"pattern":"*.txt"}`, "grep": `{"pattern":"here"}`} {
		start := time.Now()
		got := words(run(t, env, name, arguments))
		if !strings.HasPrefix(got, near+"near.txt") || strings.Contains(got, "far.txt") || !strings.HasSuffix(got, note) {
			t.Errorf("%s: %q", name, got)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
	env.Dir = filepath.Join(env.Dir, filepath.FromSlash(strings.Repeat("d/", 1600)))
	if got := words(run(t, env, "find", `{"pattern":"*.txt"}`)); !strings.HasSuffix(got, "/far.txt\n") {
		t.Errorf("in a directory below: %q", got)
	}
}
