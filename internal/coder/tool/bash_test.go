package tool_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/message"
)

func TestBash(t *testing.T) {
	env := box(t, map[string]string{"here": ""})
	env.Environ = append(env.Environ, "COLOUR=green", "PWD=/elsewhere")
	tests := []struct {
		command, want string
		code          float64
	}{
		{"echo hello", "hello\n", 0},
		{"ls", "here\n", 0},
		{"echo $COLOUR; pwd; echo $PWD", "green\n" + env.Dir + "\n" + env.Dir + "\n", 0},
		{"true", "[no output]", 0},
		{"echo a; echo b >&2; echo c; printf d >&2", "a\nb\nc\nd", 0},
		{"echo so; exit 3", "so\n[exit code 3]", 3},
		{"printf part; exit 3", "part\n[exit code 3]", 3},
		{"kill -9 $$", "[no output]\n[ended by a signal: killed]\n[exit code 137]", 137},
		{"cat; read x </dev/tty || echo no terminal", "", 0}, // asserted below
		{"printf '\\033[31mred\\033[0m\\n'", "red\n", 0},
		{`printf 'a\xffb\0c'`, "a\ufffdb\ufffdc", 0},
		{"test -n \"$BASH_VERSION\" && echo is bash", "is bash\n", 0},
		{"exec >&- 2>&-; exit 4", "[no output]\n[exit code 4]", 4},
		{"nothing-of-that-name", "", 127},
	}
	for _, test := range tests {
		r := run(t, env, "bash", `{"command":`+quote(test.command)+`}`)
		d := details(t, r)
		if test.want != "" && words(r) != test.want || d["exitCode"] != test.code || r.IsError != (test.code != 0) {
			t.Errorf("%s:\n got %q, details %s, error %v\nwant %q", test.command, words(r), r.Details, r.IsError, test.want)
		}
		if d["truncated"] != false || d["fullOutputPath"] != nil || d["durationMs"] == nil {
			t.Errorf("%s: details %s", test.command, r.Details)
		}
		if strings.Contains(test.command, "tty") && !strings.HasSuffix(words(r), "no terminal\n") {
			t.Errorf("%s: %q", test.command, words(r))
		}
	}
}

func TestShellOfTheEnvironment(t *testing.T) {
	env := box(t, nil)
	bin := filepath.Join(env.Dir, "bin")
	put(t, filepath.Join(bin, "bash"), "#!/bin/sh\necho mine \"$@\"\n")
	env.Environ = []string{"PATH=relative:" + bin}
	// It is passed over as long as it cannot be executed.
	if r := run(t, env, "bash", `{"command":"echo yours"}`); words(r) != "yours\n" {
		t.Error(words(r))
	}
	if err := os.Chmod(filepath.Join(bin, "bash"), 0o755); err != nil {
		t.Fatal(err)
	}
	if r := run(t, env, "bash", `{"command":"x"}`); words(r) != "mine -c x\n" {
		t.Error(words(r))
	}
}

func TestBashCut(t *testing.T) {
	shelf := &shelf{}
	env := box(t, nil)
	env.Artifact = shelf.artifact
	const path = "/artifacts/0.bash.log"

	r := run(t, env, "bash", `{"command":"seq 5000"}`)
	lines := strings.Split(words(r), "\n")
	if lines[0] != "3001" || lines[1999] != "5000" || len(lines) != 2002 ||
		lines[2000] != "[the last 2,000 lines of 5,000 lines: 9.8 KiB of 23 KiB]" || lines[2001] != "[the whole output is in "+path+"]" {
		t.Errorf("%d lines, the first %q, the last %q", len(lines), lines[0], lines[len(lines)-3:])
	}
	if d := details(t, r); d["truncated"] != true || d["fullOutputPath"] != path {
		t.Errorf("details %s", r.Details)
	}
	if got := shelf.files[path].String(); len(strings.Fields(got)) != 5000 || !strings.HasPrefix(got, "1\n2\n") {
		t.Errorf("the artifact has %d bytes", len(got))
	}

	// One line, longer than a result, of runes of three bytes.
	r = run(t, env, "bash", `{"command":"head -c 300000 /dev/zero | sed 's/\\x00/€/g'"}`)
	text, _, _ := strings.Cut(words(r), "\n")
	if strings.Trim(text, "€") != "" || len(text) > tool.MaxBytes || len(text) < tool.MaxBytes-3 || !utf8.ValidString(text) {
		t.Errorf("%d bytes, %.30q", len(text), text)
	}

	// Exactly the limits are not too much.
	for _, command := range []string{"seq 2000", "head -c 51200 /dev/zero | tr '\\\\0' x"} {
		if r := run(t, env, "bash", `{"command":"`+command+`"}`); details(t, r)["truncated"] != false {
			t.Errorf("%s: %s", command, r.Details)
		}
	}

	shelf.fail = syscall.ENOSPC
	r = run(t, env, "bash", `{"command":"seq 5000"}`)
	if want := "\n5000\n[the last 2,000 lines of 5,000 lines: 9.8 KiB of 23 KiB]\n[the first 0 bytes are in " + path + "; then: no space left on device]"; !strings.HasSuffix(words(r), want) || r.IsError {
		t.Errorf("a full disk: %q", words(r)[len(words(r))-200:])
	}
	env.Artifact = func(context.Context, string) (string, io.WriteCloser, error) {
		return "", nil, errors.New("no session")
	}
	if r = run(t, env, "bash", `{"command":"seq 5000"}`); !strings.HasSuffix(words(r), "[the whole output could not be kept: no session]") {
		t.Errorf("no artifact: %q", words(r)[len(words(r))-200:])
	}
	env.Artifact = nil
	if r = run(t, env, "bash", `{"command":"seq 5000"}`); !strings.HasSuffix(words(r), "[the whole output is not kept; send it to a file to see more of it]") {
		t.Errorf("no artifacts: %q", words(r)[len(words(r))-200:])
	}
}

// TestBashFlood runs a command that prints 200 MB. What is allocated is counted,
// which is more than what is held at any time.
func TestBashFlood(t *testing.T) {
	shelf := &shelf{bare: true}
	env := box(t, nil)
	env.Artifact = shelf.artifact
	pieces, told := 0, 0
	env.Update = func(text string) { pieces++; told += len(text) }
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e := tool.Execute(t.Context(), "yes 'a line of some length' | head -c 200000000", env)
	runtime.ReadMemStats(&after)
	if e.Err != nil || e.ExitCode == nil || *e.ExitCode != 0 || !e.Truncated || e.FullOutputPath == "" {
		t.Fatalf("%+v", e)
	}
	if shelf.size != 200_000_000 {
		t.Errorf("the artifact has %d bytes", shelf.size)
	}
	// The pieces that are told are garbage at once.
	if got := after.TotalAlloc - before.TotalAlloc - uint64(3*told); int64(got) > 8<<20 {
		t.Errorf("%d bytes allocated beside %d told", got, told)
	}
	if pieces > 5000 || told > 20<<20 {
		t.Errorf("%d pieces of %d bytes told", pieces, told)
	}
}

func TestBashUpdate(t *testing.T) {
	env := box(t, nil)
	var pieces []string
	env.Update = func(text string) { pieces = append(pieces, text) }
	r := run(t, env, "bash", `{"command":"printf 'one '; printf '\\xe2\\x82'; printf '\\xac two'; printf '\\xe2'"}`)
	if got := strings.Join(pieces, ""); got != words(r) || got != "one € two\ufffd" {
		t.Errorf("told %q, result %q", pieces, words(r))
	}
}

// witness is a named pipe that commands open and so leave open to all that they
// start. What it returns waits until no process has it any more.
func witness(t *testing.T, env tool.Env) (gone func()) {
	t.Helper()
	path := filepath.Join(env.Dir, "witness")
	if err := scratch.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	// Somebody has it from the beginning, so that its end means something.
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
			t.Fatalf("the witness has %q, %v", rest, err)
		}
		_ = r.Close()
	}
}

// endless starts processes that never end, some of which do not want to.
const endless = `exec 9>witness; trap '' TERM; sleep 1000 & (trap '' TERM; while :; do sleep 1000; done) & echo ready; while :; do sleep 1000; done`

func TestBashStopped(t *testing.T) {
	env := box(t, nil)
	gone := witness(t, env)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	env.Update = func(string) { cancel() }
	r := runIn(t, ctx, env, "bash", `{"command":`+quote(endless)+`}`)
	gone()
	if want := "ready\n[stopped before it had ended]"; !r.IsError || words(r) != want {
		t.Errorf("got %q", words(r))
	}
	if d := details(t, r); d["cancelled"] != true || d["exitCode"] != nil {
		t.Errorf("details %s", r.Details)
	}
}

func TestBashTimeLimit(t *testing.T) {
	env := box(t, nil)
	gone := witness(t, env)
	env.Limit = 300 * time.Millisecond
	r := run(t, env, "bash", `{"command":`+quote(endless)+`}`)
	gone()
	if !r.IsError || !strings.HasSuffix(words(r), "[stopped after 300ms, its time limit; give a larger timeout if it needs more]") {
		t.Errorf("got %q", words(r))
	}
	if d := details(t, r); d["timedOut"] != true || d["exitCode"] != nil {
		t.Errorf("details %s", r.Details)
	}
	// A command that is asked to end may say something first, if it had the
	// time to begin.
	for limit := 200 * time.Millisecond; ; limit *= 2 {
		env.Limit = limit
		r = run(t, env, "bash", `{"command":"trap 'echo farewell; exit 0' TERM; sleep 1000 & wait"}`)
		if strings.HasPrefix(words(r), "farewell\n[stopped after") {
			break
		}
		if limit > time.Minute {
			t.Fatalf("got %q", words(r))
		}
	}
}

// TestBashBackground leaves a process behind that has the output open.
func TestBashBackground(t *testing.T) {
	env := box(t, nil)
	gone := witness(t, env)
	r := run(t, env, "bash", `{"command":"exec 9>witness; sleep 1000 & echo $!"}`)
	pid, rest, _ := strings.Cut(words(r), "\n")
	if r.IsError || rest != "[a process in the background still holds the output; what it writes from now on is lost]" {
		t.Errorf("got %q", words(r))
	}
	if r := run(t, env, "bash", `{"command":"kill -0 `+pid+`"}`); r.IsError {
		t.Errorf("the process in the background was ended: %s", words(r))
	}
	if r := run(t, env, "bash", `{"command":"kill `+pid+`"}`); r.IsError {
		t.Error(words(r))
	}
	gone()
}

// TestBashAtOnce runs several commands at the same time.
func TestBashAtOnce(t *testing.T) {
	shelf := &shelf{bare: true}
	env := box(t, nil)
	env.Artifact = shelf.artifact
	one := tool.Find(tool.All(), "bash")
	done := make(chan tool.Result)
	for range 4 {
		go func() { done <- one.Run(t.Context(), message.JSON(`{"command":"seq 30000"}`), env) }()
	}
	for range 4 {
		if r := <-done; r.IsError || !strings.Contains(words(r), "\n30000\n") {
			t.Error(r.IsError)
		}
	}
}

func TestExecute(t *testing.T) {
	env := box(t, nil)
	e := tool.Execute(t.Context(), "echo out; exit 2", env)
	if e.Output != "out\n" || e.ExitCode == nil || *e.ExitCode != 2 || e.Cancelled || e.TimedOut || e.Truncated || e.Err != nil || len(e.Notes) != 0 {
		t.Errorf("%+v", e)
	}
	e = tool.Execute(t.Context(), strings.Repeat("x", 1<<20), env)
	if e.Err == nil || e.ExitCode != nil || e.Err.Error() != "the command cannot be started: argument list too long" {
		t.Errorf("%+v", e)
	}
}
