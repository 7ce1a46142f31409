package golden_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/golden"
)

// recorder is a test that keeps what it is told.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// setUpdate turns -update on or off for one test.
func setUpdate(t *testing.T, value string) {
	t.Helper()
	was := flag.Lookup("update").Value.String()
	if err := flag.Set("update", value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := flag.Set("update", was); err != nil {
			t.Error(err)
		}
	})
}

func TestCompare(t *testing.T) {
	t.Chdir(t.TempDir())
	setUpdate(t, "false")

	missing := &recorder{TB: t}
	golden.Compare(missing, "views/one", "a\nb\n")
	if len(missing.errors) != 1 || !strings.Contains(missing.errors[0], "-update") {
		t.Errorf("without a file: %q, want one error that names -update", missing.errors)
	}

	if err := flag.Set("update", "true"); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "views/one", "a\nb\n")
	if b, err := os.ReadFile(filepath.Join("testdata", "views", "one.golden")); err != nil || string(b) != "a\nb\n" {
		t.Fatalf("-update wrote %q, %v", b, err)
	}
	if err := flag.Set("update", "false"); err != nil {
		t.Fatal(err)
	}

	golden.Compare(t, "views/one", "a\nb\n")
	other := &recorder{TB: t}
	golden.Compare(other, "views/one", "a\nc\n")
	if len(other.errors) != 1 || !strings.Contains(other.errors[0], "\n-b\n+c\n") {
		t.Errorf("with another text: %q, want the lines that differ", other.errors)
	}
}

func TestDiffShowsWhatIsNotSeen(t *testing.T) {
	tests := []struct{ name, want, got, shown string }{
		{"blank at the end", "a\n", "a \n", "+a·\n"},
		{"escape", "a\n", "\x1b[1ma\n", "+\\x1b[1ma\n"},
		{"bad byte", "a\n", "\xff\n", "+\\xff\n"},
		{"tab", "a b\n", "a\tb\n", "+a\\tb\n"},
		{"no newline", "a\n", "a", "No newline"},
		{"dot for blank", "a \n", "a·\n", `got  "a\u00b7\n"`},
	}
	for _, test := range tests {
		if got := golden.Diff("x", test.want, test.got); !strings.Contains(got, test.shown) {
			t.Errorf("%s: Diff = %q, lacks %q", test.name, got, test.shown)
		}
	}
	if got := golden.Diff("x", "same", "same"); got != "" {
		t.Errorf("Diff of the same = %q, want nothing", got)
	}
}
