package tool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func symlink(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

// TestArtifactsThroughALink has the artifact directory be a link that somebody put
// beside the session, and links be in a real one: none is followed.
func TestArtifactsThroughALink(t *testing.T) {
	env := box(t, nil)
	base := filepath.Dir(env.Dir)
	put(t, filepath.Join(base, "keys/id"), "SECRET\n")
	put(t, filepath.Join(base, "real/0.bash.log"), "long\n")
	symlink(t, "keys", filepath.Join(base, "linked"))
	symlink(t, "/", filepath.Join(base, "all"))
	symlink(t, "../keys/id", filepath.Join(base, "real/file"))
	symlink(t, "../keys", filepath.Join(base, "real/dir"))
	for _, test := range []struct{ artifacts, path string }{
		{"linked", "linked/id"}, {"linked", "keys/id"}, {"linked", "linked"}, {"linked", "keys"},
		{"all", "all" + base + "/keys/id"}, {"all", "keys/id"}, {"all", "all" + base + "/keys"},
		{"real", "real/file"}, {"real", "real/dir"}, {"real", "real/dir/id"},
	} {
		env.ArtifactDir = filepath.Join(base, test.artifacts)
		path := quote(filepath.Join(base, test.path))
		for name, call := range map[string]string{
			"read": `{"path":P}`, "ls": `{"path":P}`, "grep": `{"path":P,"pattern":"."}`, "find": `{"path":P,"pattern":"*"}`,
		} {
			r := run(t, env, name, strings.ReplaceAll(call, "P", path))
			if !r.IsError || !strings.HasPrefix(words(r), "refused: ") {
				t.Errorf("artifacts %s: %s %s: %s", test.artifacts, name, test.path, words(r))
			}
		}
	}
	if got := words(run(t, env, "grep", `{"pattern":".","path":`+quote(env.ArtifactDir)+`}`)); strings.Contains(got, "SECRET") {
		t.Errorf("grep: %s", got)
	}
	// The way to the directory may be a person's own link.
	symlink(t, base, filepath.Join(base, "home"))
	env.ArtifactDir = filepath.Join(base, "home/real")
	for _, path := range []string{"home/real/0.bash.log", "real/0.bash.log"} {
		if r := run(t, env, "read", `{"path":`+quote(filepath.Join(base, path))+`}`); words(r) != "long\n" {
			t.Errorf("read %s: %s", path, words(r))
		}
	}
}
