package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// What differs from run to run: times, and, as whole words, ids.
var (
	times = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d{3}Z`)
	words = regexp.MustCompile(`[0-9A-Za-z-]+`)
	ids   = regexp.MustCompile(`^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{8})$`)
)

// fresh OLD NEW: NEW must begin with the bytes of the file OLD. With ! it must
// not. fresh OLD NEW OUT: OUT becomes NEW, which need not begin so, with the
// ids and times in it that OLD does not have as ID1, ID2… and TIME, and the
// directory of the script as $WORK. OLD may be "-" for nothing, NEW stdout.
func fresh(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 || neg && len(args) == 3 {
		ts.Fatalf("usage: [!] fresh OLD NEW, or fresh OLD NEW OUT")
	}
	old := ""
	if args[0] != "-" {
		old = ts.ReadFile(args[0])
	}
	now := ts.ReadFile(args[1])
	if len(args) == 2 {
		if begins := bytes.HasPrefix([]byte(now), []byte(old)); begins == neg {
			ts.Fatalf("%s begins with %s: %v\nold:\n%s\nnew:\n%s", args[1], args[0], begins, old, now)
		}
		return
	}
	out := times.ReplaceAllStringFunc(now, func(time string) string {
		if strings.Contains(old, time) {
			return time
		}
		return "TIME"
	})
	names := map[string]string{}
	out = words.ReplaceAllStringFunc(out, func(word string) string {
		switch {
		case !ids.MatchString(word) || strings.Contains(old, word):
			return word
		case names[word] == "":
			names[word] = fmt.Sprintf("ID%d", len(names)+1)
		}
		return names[word]
	})
	out = strings.ReplaceAll(out, ts.Getenv("WORK"), "$WORK")
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(out), 0o666))
}

// keep NAME: remember the line on stdout as the environment variable NAME.
func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: keep NAME")
	}
	line := strings.TrimSuffix(ts.ReadFile("stdout"), "\n")
	if line == "" || strings.Contains(line, "\n") {
		ts.Fatalf("stdout is not one line: %q", line)
	}
	ts.Setenv(args[0], line)
}
