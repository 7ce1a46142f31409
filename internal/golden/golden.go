// Package golden compares what a test made with a file that says what it should
// have made. Files are testdata/NAME.golden beside the test; with
//
//	go test ./some/room -update
//
// they are written anew, to be looked at before they are committed. Only tests
// import this package.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

// update is set by the flag -update; a flag must exist before the testing
// package reads the command line, hence the package variable.
var update = flag.Bool("update", false, "write the golden files anew")

// Path returns the file of a name. The name may hold slashes.
func Path(name string) string {
	return filepath.Join("testdata", filepath.FromSlash(name)+".golden")
}

// Compare fails the test, and lets it go on, when got is not what the golden file
// of the name holds, byte for byte; the difference is shown line by line. With
// -update it writes got to the file instead.
func Compare(t testing.TB, name, got string) {
	t.Helper()
	path := Path(name)
	if *update {
		write(t, path, got)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("compare with %s: %v (go test -update writes it); got:\n%s", path, err, got)
		return
	}
	if string(want) != got {
		t.Errorf("%s differs (go test -update writes it anew):\n%s", path, Diff(path, string(want), got))
	}
}

// Diff returns how got differs from want, "" when it does not: a unified diff in
// which bytes that do not show in a terminal are spelled out.
func Diff(name, want, got string) string {
	if want == got {
		return ""
	}
	d := string(diff.Diff(name, []byte(visible(want)), "got", []byte(visible(got))))
	if d == "" {
		// Nothing visible differs; Go's spelling shows it.
		return "want " + quote(want) + "\ngot  " + quote(got) + "\n"
	}
	return d
}

func write(t testing.TB, path, got string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}

// visible spells out escapes, trailing blanks and what is not printable, so that
// a diff shows them.
func visible(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		text, newline := strings.CutSuffix(line, "\n")
		trimmed := strings.TrimRight(text, " ")
		b.WriteString(escape(trimmed))
		if n := len(text) - len(trimmed); n > 0 {
			b.WriteString(strings.Repeat("·", n))
		}
		if newline {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
