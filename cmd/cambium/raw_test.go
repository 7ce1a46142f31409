package main

import (
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// raw OLD NEW: NEW becomes OLD with bytes in it that a script cannot hold: <NUL>
// is a zero byte, <CUT> takes out the newline that follows.
func raw(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: raw OLD NEW")
	}
	text := strings.NewReplacer("<NUL>", "\x00", "<CUT>\n", "").Replace(ts.ReadFile(args[0]))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}
