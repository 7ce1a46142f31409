//go:build peers

package tour_test

import (
	"bufio"
	_ "embed" // what the model says
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/interop/tour"
	"github.com/google/go-cmp/cmp"
)

//go:embed agent.jsonl
var agentSays string

//go:embed chat.jsonl
var chatSays string

// counter names the variable with the file in which the commands of the second
// and third part are counted.
const counter = "CAMBIUM_TOUR_COUNTER"

// clock is the clock of the command: it stands still at the time of the tour, or,
// where the commands are counted, is a minute later for each and goes on by a
// millisecond when it is looked at. The command's process is noted beside the
// counter.
func clock() func() time.Time {
	file := os.Getenv(counter)
	if file == "" {
		return tour.Now
	}
	_ = os.Unsetenv(counter) // not for what the agent runs
	text, _ := os.ReadFile(file)
	n, _ := strconv.Atoi(string(text)) // none yet
	from := tour.Now().Add(time.Duration(n) * time.Minute)
	for name, number := range map[string]int{file: n + 1, file + ".pid": os.Getpid()} {
		if err := os.WriteFile(name, []byte(strconv.Itoa(number)), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	var looked atomic.Int64
	return func() time.Time { return from.Add(time.Duration(looked.Add(1)) * time.Millisecond) }
}

// kill kills the command that was begun last.
func (h *house) kill(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(h.bin, "counter.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGKILL)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A scene is where a part with an agent plays.
type scene struct {
	begins, name string            // of the home: how its path begins, and what it is called
	says         string            // the model
	files        map[string]string // in the home
}

// The scenes of the second and the third part.
var (
	atTheTill = scene{"/tmp/b", "/home/bea", agentSays, map[string]string{
		"till/total.sh":      "# Prints the sum of the prices in a file, one \"name: price\" a line.\nawk -F: '{ sum += $2 } END { printf \"%d\\n\", sum }' \"$1\"\n",
		"till/test.sh":       "got=$(sh total.sh receipt.txt)\n[ \"$got\" = 4.55 ] && echo ok || { echo \"want 4.55, got $got\"; exit 1; }\n",
		"till/receipt.txt":   "bread: 3.20\nmilk: 1.35\n",
		"market/receipt.txt": "apples: 2.10\npears: 2.90\n",
	}}
	atTheShelf = scene{"/tmp/c", "/home/cem", chatSays, map[string]string{
		"shelf/late.sh":   "# Prints what of loans.txt is late on a day.\nawk -F';' -v day=\"$1\" '$2 <= day { print $1 }' loans.txt\n",
		"shelf/loans.txt": "The Waves;2026-11-18\nMiddlemarch;2026-11-20\nThe Golden Notebook;2026-12-01\n",
	}}
)

// newAgentGuide prepares a part with an agent: a home of nobody, with a project, and
// a server of models on the loopback, a process of its own.
func newAgentGuide(t *testing.T, s scene) *guide {
	t.Helper()
	top := homeOf(t, s.begins, s.name)
	h := &house{Store: &tour.Store{Home: top}, bin: filepath.Join(top, ".bin")}
	h.more = []string{counter + "=" + filepath.Join(h.bin, "counter")}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	address := serve(t, s.says)
	write(t, filepath.Join(top, ".bin/cambium"), fmt.Sprintf("#!/bin/sh\nCAMBIUM_TUITEST_COMMAND=1 exec '%s' \"$@\"\n", self))
	write(t, filepath.Join(top, ".config/cambium/settings.json"), strings.ReplaceAll(settings, "URL", address))
	for name, text := range s.files {
		write(t, filepath.Join(top, name), text)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(address, "http://"), ":")
	here, there := filepath.Base(top), filepath.Base(s.name)
	return &guide{
		t: t, h: h, name: s.name, anew: regexp.MustCompile(`[0-9a-f]{8}([0-9a-f]{8})?\b`),
		homes: []string{"--tmp-" + here + "-", "--home-" + there + "-", " " + here + "/", " " + there + "/", "127.0.0.1:" + port, "127.0.0.1:48080"},
	}
}

// settings are those of the home.
const settings = `{
  "model": "local/oak",
  "compaction": {"reserveTokens": 2000, "keepRecentTokens": 200},
  "providers": {
    "local": {
      "baseUrl": "URL/v1",
      "models": [{"id": "oak", "contextWindow": 16000, "maxTokens": 2000}]
    }
  }
}
`

// homeOf makes a directory whose path begins in that way and is as long as a name.
func homeOf(t *testing.T, begins, like string) string {
	t.Helper()
	for i := range 26 * 26 * 26 {
		top := begins + string([]byte{byte('a' + i/676), byte('a' + i/26%26), byte('a' + i%26)})
		if len(top) != len(like) {
			t.Fatalf("%q is not as long as %q", top, like)
		}
		err := os.Mkdir(top, 0o700)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(top) }) // the processes in it have ended
		return top
	}
	t.Fatal("every name is taken")
	return ""
}

// serve starts the server of models, which ends with the test, and returns its
// address.
func serve(t *testing.T, replies string) string {
	t.Helper()
	root, err := peers.Root()
	if err != nil {
		t.Fatal(err)
	}
	program, said := filepath.Join(t.TempDir(), "wiretest"), filepath.Join(t.TempDir(), "replies")
	write(t, said, replies)
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./internal/coder/wiretest/cmd")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), program, "-tied", said)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait() // the context has ended, which kills it
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// asWritten compares a part, which begins and ends so, with what was written down.
func (g *guide) asWritten(begins, ends string) {
	g.t.Helper()
	text, err := os.ReadFile(filepath.Join(g.written, "tour.md"))
	if err != nil {
		g.t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(text), begins)
	if ends != "" {
		part, _, _ = strings.Cut(part, ends)
	}
	if diff := cmp.Diff(strings.Split(begins+part, "\n"), strings.Split(g.page.String(), "\n")); diff != "" {
		g.t.Errorf("doc/tour.md is another one (make tour writes it):\n%s", diff)
	}
}
