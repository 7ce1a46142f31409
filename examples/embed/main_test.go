package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

// TestTalk does sums in two sessions, in two runs: what was said in the first
// run counts in the second.
func TestTalk(t *testing.T) {
	dir := t.TempDir()
	env := layout.Env{Home: dir, Cwd: dir, Getenv: func(string) string { return "" }}
	first, second := filepath.Join(dir, "first.jsonl"), filepath.Join(dir, "second.jsonl")
	for _, run := range []struct{ path, in, want string }{
		{first, "6*7\nans/4\nnonsense\n/to " + second + "\nans+1\n", "42\n10\nno: \"nonsense\" is no sum\n0\n1\n"},
		{second, "ans*8\n/to " + first + "\nans+ans\n", "8\n10\n20\n"},
		{second, "/to " + dir + "\nans\n", "no: \n8\n"},
	} {
		var out strings.Builder
		if err := talk(t.Context(), env, run.path, strings.NewReader(run.in), &out); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if before, rest, ok := strings.Cut(got, "no: open"); ok { // whatever the system says of a directory
			_, rest, _ = strings.Cut(rest, "\n")
			got = before + "no: \n" + rest
		}
		if diff := cmp.Diff(run.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", filepath.Base(run.path), diff)
		}
	}
	for path, want := range map[string]int{first: 6, second: 6} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, list, damage, err := session.ParseEntries(data)
		if err != nil || damage.Unreadable() > 0 {
			t.Fatalf("%s: %v, %+v", path, err, damage)
		}
		messages := 0
		for i := range list.Len() {
			if list.Kind(i) == entry.Message {
				messages++
			}
		}
		if messages != want {
			t.Errorf("%s holds %d messages, want %d", filepath.Base(path), messages, want)
		}
	}
}
