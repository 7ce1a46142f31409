//go:build unix

package cli_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/shellword"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// A shell is one that people paste into, and how it is started to be typed into.
type shell struct {
	name string
	args []string
	// rc is its file of settings in the home, and what it begins with; prints is
	// what reads the script for completion, "" where it completes nothing.
	rc, begins, prints string
}

func shells() []shell {
	return []shell{
		{"bash", []string{"--noprofile", "-i"}, ".bashrc", "PS1='ready> '\nHISTFILE=\nbind 'set enable-bracketed-paste off'\nbind 'set completion-query-items -1'\nbind 'set page-completions off'\n", "source <(cambium completion bash)\n"},
		{"zsh", []string{"-i"}, ".zshrc", "PS1='ready> '\nunset HISTFILE\nunset zle_bracketed_paste\nautoload -U compinit\ncompinit -u -D\n# It asks nothing, whose answer would be what is typed next.\nLISTMAX=1000000\n", "source <(cambium completion zsh)\n"},
		{"fish", []string{"-i"}, ".config/fish/config.fish", "function fish_prompt\n\techo -n 'ready> '\nend\nset -g fish_greeting\nset -g fish_autosuggestion_enabled 0\n", "cambium completion fish | source\n"},
		{"dash", []string{"-i"}, "", "", ""},
	}
}

// completing returns the shells that complete.
func completing() []shell {
	return slices.DeleteFunc(shells(), func(s shell) bool { return s.prints == "" })
}

// eachShell runs a test with each of the shells that is there. Where all are to be,
// CAMBIUM_TEST_SHELLS=all, one that is missing fails.
func eachShell(t *testing.T, shells []shell, test func(t *testing.T, s shell)) {
	for _, s := range shells {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(s.name); err != nil {
				if os.Getenv("CAMBIUM_TEST_SHELLS") == "all" {
					t.Fatalf("%s is missing: %v", s.name, err)
				}
				t.Skipf("%s is not on the PATH; `make terminal` has it installed and runs this", s.name)
			}
			test(t, s)
		})
	}
}

// typing starts a shell on a terminal whose cambium is a program of the test.
func (s shell) typing(t *testing.T, home, dir, program string) *tuitest.Terminal {
	t.Helper()
	bin := filepath.Join(home, "bin")
	write(t, filepath.Join(bin, "cambium"), []byte(program))
	chmod(t, filepath.Join(bin, "cambium"), 0o755)
	if s.rc != "" {
		write(t, filepath.Join(home, s.rc), []byte(s.begins+s.prints))
	}
	if s.name == "fish" { // which makes this in the background at its first start
		if err := os.MkdirAll(filepath.Join(home, ".local/share/fish/generated_completions"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	path, err := exec.LookPath(s.name)
	if err != nil {
		t.Fatal(err)
	}
	m := tuitest.Start(t, tuitest.Options{
		Program: path, Args: s.args, Home: home, Dir: dir, Cols: 200, Rows: 60,
		Env: []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "PS1=ready> ", "LANG=C.UTF-8", "CAMBIUM_CACHE_DIR=" + scratch.OwnDir(t)},
	})
	m.WaitFor("ready>")
	return m
}

// settled waits until the shell has done all that was typed.
func settled(m *tuitest.Terminal, n int) {
	word := fmt.Sprintf("now%dit", n)
	m.Send("\x15", fmt.Sprintf("echo now%d''it", n), "enter")
	m.WaitFor(word)
}

// TestHintsAreTakenForWhatTheyAre pastes lines to copy into real shells: the program
// gets the words that were meant, and nothing else runs.
func TestHintsAreTakenForWhatTheyAre(t *testing.T) {
	t.Parallel()
	words := []string{"19c0b2f4a1400001", "", " ", "a b", "it's", `a\`, `\`, `'\''`, `"x"`, "$(touch ran)", "`touch ran`", "; touch ran", "& touch ran", "| touch ran",
		"> ran", "!!", "!touch", "a!b'!c", "~", "~root", "=ls", "-rf", "--", "*", "?", "[a-z]", "{a,b}", "$HOME", "%self", "%1", "#x", "^a^b", "(touch ran)", "Grüße 中文 👍", "a=b", "<(touch ran)", "\\n", "\\'"}
	r := rand.New(rand.NewPCG(5, 6))
	signs := strings.Split("a b ' \" \\ $ ( ) ` ~ = - # & | ; < > * ? [ ] { } ! ^ % , é", " ")
	for range 120 {
		var b strings.Builder
		for range 1 + r.IntN(9) {
			b.WriteString(signs[r.IntN(len(signs))])
		}
		words = append(words, b.String())
	}
	eachShell(t, shells(), func(t *testing.T, s shell) {
		home, dir := scratch.OwnDir(t), t.TempDir()
		s.prints = ""
		m := s.typing(t, home, dir, "#!/bin/sh\nprintf '%s\\0' \"$@\" >> \"$HOME/given\"\nprintf 'end\\0' >> \"$HOME/given\"\n")
		const most = 6 // to a line
		var want strings.Builder
		n := 0
		for rest := words; len(rest) > 0; n++ {
			of := rest[:min(most, len(rest))]
			rest = rest[len(of):]
			line, ok := shellword.POSIX().Line(append([]string{"cambium", "show", "--"}, of...)...)
			if !ok {
				t.Fatalf("%q cannot be written", of)
			}
			want.WriteString(strings.Join(append([]string{"show", "--"}, of...), "\x00") + "\x00end\x00")
			m.Send(line, "enter")
			settled(m, n)
		}
		got, err := os.ReadFile(filepath.Join(home, "given"))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want.String() {
			have, wanted := strings.Split(string(got), "\x00"), strings.Split(want.String(), "\x00")
			for i := range min(len(have), len(wanted)) {
				if have[i] != wanted[i] {
					t.Fatalf("word %d is %q, want %q", i, have[i], wanted[i])
				}
			}
			t.Fatalf("%d words, want %d", len(have), len(wanted))
		}
		nothingRan(t, home, dir)
	})
}

// nothingRan sees that no name was run: what does leaves a file behind.
func nothingRan(t *testing.T, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		all, err := filepath.Glob(filepath.Join(dir, "*ran*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range all {
			if base := filepath.Base(path); strings.HasPrefix(base, "ran") {
				t.Errorf("something ran: it made %q", base)
			}
		}
	}
}

// TestCompletionRunsNothing presses Tab in real shells on names that would run, of
// models, of files and of directories, on what is typed with signs of the shell, and
// on what was completed before.
func TestCompletionRunsNothing(t *testing.T) {
	t.Parallel()
	eachShell(t, completing(), func(t *testing.T, s shell) {
		m := newMachine(t)
		hostileNames(t, m)
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		program := "#!/bin/sh\nCAMBIUM_TUITEST_COMMAND=1 exec '" + self + "' \"$@\"\n"
		term := s.typing(t, m.home, m.dir, program)
		term.Send("cambium show 19c0b2f4a140000", "tab", "tab")
		term.WaitFor("first") // what is said of one
		settled(term, 0)
		for i, line := range []string{
			"show ", "show $", `show '$`, `show "$`, `show \$`, "show a", "show -", "show ./", "show ./x", "show ./y", "show '", "show `", "show (",
			"resume --agent-dir ./", "resume --cwd=./", "--agent=o", "label 19c0b2f4a1400001 ", "label 19c0b2f4a1400001 $",
			"run --model ", "run --model mine/", "run --resume ", "fork 19c0b2f4a1400001 --at ", "move 19c0b2f4a1400001 ", "move 19c0b2f4a1400001 ./x",
			"show ./x*", "show 19c0b2f4a1400001 --",
		} {
			term.Send("cambium "+line, "tab", "tab", " ", "tab") // what was completed is a word before
			settled(term, i+1)
		}
		if strings.Contains(string(term.Received()), "do you wish") {
			t.Error("the shell asked something, and what was typed next answered")
		}
		nothingRan(t, m.home, m.dir)
	})
}

// hostileNames gives a machine names that would run if a shell evaluated them.
func hostileNames(t *testing.T, m *machine) {
	t.Helper()
	payloads := []string{"$(touch ran1)", "`touch ran2`", "a;touch ran3;", "a&touch ran4&", "(touch ran5)", "a|touch ran6", "x[$(touch ran7)]", "'$(touch ran8)", "-$(touch ran9)",
		`\"$(touch rana)`, "a b$(touch ranb)", "a\\n$(touch ranc)", "a\\u0009$(touch rand)", ":$(touch rane)", "=$(touch ranf)", "<(touch rang)"}
	m.named(t, ".pi/agent/sessions/--w--", "19c0b2f4a1400001", m.dir, "first")
	m.named(t, ".pi/agent/sessions/--w--", "19c0b2f4a1400002", m.dir, "$(touch ranA)")
	for i, p := range payloads {
		for _, twin := range []string{"1", "2"} { // a common beginning is put on the line
			path := filepath.Join(m.home, ".pi/agent/sessions/--w--", fmt.Sprintf("2026-03-01T09-00-%02d-%s00Z_h.jsonl", i, twin))
			write(t, path, fmt.Appendf(nil, `{"type":"session","version":3,"id":"%s%s","timestamp":"2026-03-01T09:00:00.000Z","cwd":%q}
{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":"%s","timestamp":1}}
{"type":"session_info","id":"bbbbbbbb","parentId":"aaaaaaaa","timestamp":"2026-03-01T09:00:01.000Z","name":"%s%s"}
`, p, twin, m.dir, p, p, twin))
		}
	}
	// One id twice: what two offers have in common is more than the id.
	for _, twin := range []string{"1", "2"} {
		m.named(t, ".omp/agent/sessions/-w"+twin, "29c0b2f4a1400001", m.dir, "$(touch ranB)"+twin)
	}
	labelled, err := os.OpenFile(m.named(t, ".pi/agent/sessions/--w--", "19c0b2f4a1400001", m.dir, "first"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range payloads {
		fmt.Fprintf(labelled, `{"type":"label","id":"l%d","parentId":"bbbbbbbb","timestamp":"2026-03-01T09:00:03.000Z","targetId":"aaaaaaaa","label":"%s"}`+"\n", i, p)
		fmt.Fprintf(labelled, `{"type":"custom","id":"%s","parentId":"bbbbbbbb","timestamp":"2026-03-01T09:00:03.000Z","customType":"x"}`+"\n", p)
	}
	if err := labelled.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(m.home, ".config/cambium/settings.json"),
		[]byte(`{"providers":{"mine":{"api":"openai-completions","baseUrl":"http://127.0.0.1:1","models":[{"id":"$(touch ranC)1"},{"id":"$(touch ranC)2"},{"id":"good"}]}}}`))
	for _, name := range []string{"x$(touch ranD)", "x`touch ranE`", "x;touch ranF;", "x(touch ranG)", "x'$(touch ranH)", "y$(touch ranI)", "x a$(touch ranJ)", "x\n$(touch ranK)", "x\t$(touch ranL)", "-$(touch ranM)",
		"$(touch ranN)", "x=$(touch ranO)", "x:$(touch ranP)", "x\"$(touch ranQ)", "x\\$(touch ranR)"} {
		write(t, filepath.Join(m.dir, name), nil)
		write(t, filepath.Join(m.dir, name+"dir", "in"), nil)
	}
}
