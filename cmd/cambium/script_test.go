package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/cli"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the scripts run this binary as the command cambium.
func TestMain(m *testing.M) {
	scratch.InMemory()
	testscript.Main(m, map[string]func(){
		"cambium": func() {
			os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
		},
	})
}

// TestScript runs the scripts of testdata/script. A script has a home of its
// own and no settings of the machine; it names its area first.
// With UPDATE_SCRIPTS set, the sections that cmp compares with are written anew.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Values[holds{}] = map[string]func(){}
			env.Values[servants{}] = new(*servant)
			env.Vars = append(env.Vars, "HOME="+home, "TZ=UTC", "COLUMNS=80", "NO_COLOR=")
			return errors.Join(own(env.WorkDir), os.MkdirAll(home, 0o700))
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"answers":     answers,
			"ask":         ask,
			"ended":       ended,
			"exits":       exits,
			"fresh":       fresh,
			"hold":        hold,
			"interrupted": interrupted,
			"keep":        keep,
			"raw":         raw,
			"served":      served,
			"short":       short,
			"stamp":       stamp,
			"stamped":     stamped,
			"wire":        wire,
			"unreachable": unreachable,
		},
	})
}

// own takes from others what a umask may have left them: what they can write to is
// not believed.
func own(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o644)
	})
}

// exits CODE COMMAND…: the command must end with that code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if code != args[0] {
		ts.Fatalf("%s: exit code %s, want %s", strings.Join(args[1:], " "), code, args[0])
	}
}

// stamp NAME FILE…: remember what the files are. stamped NAME FILE…: they must
// still be that, to the byte, the time and the mode.
func stamp(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: stamp NAME FILE...")
	}
	ts.Setenv("STAMP_"+args[0], describe(ts, args[1:]))
}

func stamped(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: stamped NAME FILE...")
	}
	was, is := ts.Getenv("STAMP_"+args[0]), describe(ts, args[1:])
	if same := was == is; same == neg {
		ts.Fatalf("before:\n%s\nafter:\n%s", was, is)
	}
}
