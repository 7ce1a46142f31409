package cli_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/cli"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/google/go-cmp/cmp"
)

// badInputs are the ways in which a path can be no good session, and how the
// commands that read and those that write end with it.
var badInputs = []struct {
	name        string
	read, write int
	make        func(t *testing.T, path string)
}{
	{"missing", 3, 3, func(*testing.T, string) {}},
	{"directory", 5, 5, func(t *testing.T, path string) { write(t, filepath.Join(path, "inside"), []byte("x")) }},
	{"pipe", 5, 5, func(t *testing.T, path string) {
		if err := scratch.Mkfifo(path, 0o644); err != nil {
			t.Fatal(err)
		}
	}},
	{"unreadable", 1, 1, func(t *testing.T, path string) {
		write(t, path, []byte(aSession))
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
	}},
	{"empty", 0, 3, func(t *testing.T, path string) { write(t, path, nil) }},
	{"log", 5, 5, func(t *testing.T, path string) {
		write(t, path, []byte(strings.Repeat("2026-03-01 10:00:00 INFO started\n", 50)))
	}},
	{"binary", 5, 5, func(t *testing.T, path string) {
		write(t, path, bytes.Repeat([]byte("\x7fELF\x00\x01\xff\xfe\n\x1b]0;x\a{}"), 100))
	}},
	{"torn", 0, 5, func(t *testing.T, path string) {
		write(t, path, []byte(aSession[20:]))
	}},
}

const aSession = `{"type":"session","version":3,"id":"19c0b2f4a1400001","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/work"}
{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":"hi","timestamp":1}}
`

// exceptions are commands that end otherwise, with the reason.
var exceptions = map[string]map[string]int{
	// A missing or empty file becomes a session (D3).
	"append": {"missing": 0, "empty": 0},
	// A session is moved whatever is wrong with it.
	"rm": {"torn": 0, "empty": 0},
}

// TestBadInput runs every command that takes a session on every bad input. It
// must end with the right code and one line on stderr that names the file (and
// says what to do), and change nothing: no byte, time or mode of anything.
func TestBadInput(t *testing.T) {
	for _, use := range cli.Uses() {
		args, ok := arguments(t, use)
		if !ok {
			continue // it takes no session
		}
		for _, in := range badInputs {
			for _, json := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/json=%v", use.Name, in.name, json), func(t *testing.T) {
					want := in.read
					if use.Group != "read" {
						want = in.write
					}
					changes := false
					if code, ok := exceptions[use.Name][in.name]; ok {
						want, changes = code, code == 0
					}
					m := newMachine(t)
					m.stdin = `{"type":"message","message":{"role":"user","content":"hi","timestamp":1}}` + "\n"
					path := filepath.Join(m.dir, "s.jsonl")
					m.heeds = in.name == "unreadable"
					in.make(t, path)
					before := snapshot(t, filepath.Dir(m.dir))
					line := replace(args, path)
					switch use.Name {
					case "follow":
						line = append(line, "--until-idle=1ms") // nothing comes
					case "export":
						line = append(line, "--output=-")
					}
					if json {
						line = append(line, "--json")
					}
					stdout, stderr, code := m.run(line...)
					if code != want {
						t.Errorf("exit code %d, want %d; stderr: %s", code, want, stderr)
					}
					if changes {
						return
					}
					if diff := cmp.Diff(before, snapshot(t, filepath.Dir(m.dir))); diff != "" {
						t.Errorf("something changed (-before +after):\n%s", diff)
					}
					if code != 0 && stdout != "" {
						t.Errorf("stdout: %q", stdout)
					}
					oneLine(t, stderr, path, code, json)
					if m.heeds && !json && !strings.Contains(stderr, "permission denied; make it readable") {
						t.Errorf("stderr does not say how it is read: %s", stderr)
					}
				})
			}
		}
	}
}

// oneLine checks that stderr is one line that names the file.
func oneLine(t *testing.T, stderr, path string, code int, json bool) {
	t.Helper()
	if strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") {
		t.Fatalf("stderr is not one line: %q", stderr)
	}
	if !json {
		if !strings.HasPrefix(stderr, "cambium: ") || !strings.Contains(stderr, path) {
			t.Errorf("stderr does not name the file: %q", stderr)
		}
		if code != 0 && !strings.ContainsAny(stderr, ";") {
			t.Errorf("stderr does not say what to do: %q", stderr)
		}
		return
	}
	key := "error"
	if code == 0 {
		key = "note"
	}
	object, _ := jsonedit.Get([]byte(strings.TrimSpace(stderr)), key)
	if got, _ := jsonedit.Text(object, "path"); got != path {
		t.Errorf("%s has the path %q, want %q: %s", key, got, path, stderr)
	}
	if message, _ := jsonedit.Text(object, "message"); message == "" {
		t.Errorf("%s has no message: %s", key, stderr)
	}
}

// placeholders are what stands for the words in capitals of usage lines.
var placeholders = map[string]string{
	"ENTRY": "aaaaaaaa", "NAME": "a name", "DIR": "/elsewhere", "DIALECT": "omp", "TEXT": "words", "ID": "aaaaaaaa", "QUERY": "words",
}

var (
	optional = regexp.MustCompile(`\[[^\]]*\]`)
	word     = regexp.MustCompile(`^[A-Z]+(\.\.\.|…)?$`)
)

// arguments returns the shortest command line that the usage line allows, with
// SESSION in it, and false when it does not take a session.
func arguments(t *testing.T, use cli.Use) ([]string, bool) {
	t.Helper()
	var args []string
	found := false
	line := strings.ReplaceAll(use.Line, "[SESSION]", "SESSION")
	for _, arg := range strings.Fields(optional.ReplaceAllString(line, "")) {
		arg = strings.TrimRight(arg, ".…")
		switch {
		case arg == "SESSION":
			found = true
		case word.MatchString(arg):
			value, ok := placeholders[arg]
			if !ok {
				t.Fatalf("%s: say in placeholders what %s may be", use.Name, arg)
			}
			arg = value
		}
		args = append(args, arg)
	}
	return args, found
}

func replace(args []string, path string) []string {
	out := make([]string, len(args), len(args)+1)
	for i, arg := range args {
		out[i] = strings.ReplaceAll(arg, "SESSION", path)
	}
	return out
}

// sessionless are commands that write and take no session: there is none yet,
// none any more, or they find it themselves.
var sessionless = []string{"new", "undo", "trash", "continue", "run"}

// TestEveryCommandIsListed sees that the groups and usage lines, by which the
// commands are tested, are there.
func TestEveryCommandIsListed(t *testing.T) {
	for _, use := range cli.Uses() {
		if use.Group != "read" && use.Group != "write" && use.Group != "more" {
			t.Errorf("%s: group %q", use.Name, use.Group)
		}
		if _, ok := arguments(t, use); !ok && use.Group == "write" && !slices.Contains(sessionless, use.Name) {
			t.Errorf("%s: the usage line %q names no SESSION", use.Name, use.Line)
		}
	}
}

// A directory with sessions that may not be read is told of, once: that nothing
// is there would be wrong. Files beside the directories are none of it.
func TestUnreadableDirectory(t *testing.T) {
	for _, closed := range []string{"sessions/--locked--", "sessions"} {
		for _, line := range [][]string{{"ls"}, {"recent"}, {"search", "beans"}, {"resume", "beans"}, {"ls", "--json"}} {
			t.Run(closed+"/"+strings.Join(line, " "), func(t *testing.T) {
				m := newMachine(t)
				agent := filepath.Join(m.home, ".pi/agent")
				write(t, filepath.Join(agent, "sessions/--locked--/s.jsonl"), []byte(aSession))
				write(t, filepath.Join(agent, "sessions/notes.txt"), []byte("x"))
				dir := filepath.Join(agent, closed)
				if err := os.Chmod(dir, 0); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { os.Chmod(dir, 0o755) })
				m.heeds = true
				_, stderr, _ := m.run(line...)
				if n := strings.Count(stderr, "it cannot be read (permission denied); its sessions are left out"); n != 1 {
					t.Errorf("told %d times, want once: %s", n, stderr)
				}
				if report, _, code := m.run("doctor"); code != 1 || !strings.Contains(report, dir+"\n  unreadable: the directory cannot be read: permission denied\n") {
					t.Errorf("doctor ends with %d: %s", code, report)
				}
				if !strings.Contains(stderr, dir) || strings.Contains(stderr, "notes.txt") {
					t.Errorf("not of %s alone: %s", dir, stderr)
				}
			})
		}
	}
}

// snapshot describes all files below a directory: bytes, times but that of the
// last access, mode, identity.
func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		text, err := scratch.Stamp(path)
		if err != nil {
			return err
		}
		if e.Type().IsRegular() {
			if data, err := os.ReadFile(path); err == nil {
				text += fmt.Sprintf(" %x", sha256.Sum256(data))
			}
		}
		all[path] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
