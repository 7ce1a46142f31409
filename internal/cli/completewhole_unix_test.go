//go:build unix

package cli_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/scratch"
)

// A crowd is ten thousand sessions whose ids, names, directories and labels are
// random bytes.
type crowd struct {
	dirs []string
	// labelled is in each directory the session that has the labels.
	labelled []string
}

const (
	crowdDirs     = 4
	crowdSessions = 2_500 // in a directory; so few have a plain id that all of these are offered
)

// newCrowd writes the sessions into folders of a directory, and into each folder one
// more that has the labels of all.
func newCrowd(t *testing.T, root string) crowd {
	t.Helper()
	r := rand.New(rand.NewPCG(9, 10))
	parts := []string{"n", "19c0b2f4", "$(touch ran)", "`touch ran`", ";touch ran;", "&touch ran&", "|touch ran", ">ran", "<(touch ran)", "${x:-$(touch ran)}", "x[$(touch ran)]",
		"(", ")", "{a,b}", "[", "]", "*", "?", "!", "#", "~", "^", "%", "=", ",", " ", "\t", "\n", "\r", "'", `"`, `\`, "-", "--", ":", "@", "+", "/", "..", "\x1b]0;x\x07", "\x1b[2J", "\u202e", "\u200b", "é", "中", "\x00", "\x7f", "\u009b"}
	plain := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:@+"
	some := func() string {
		var b strings.Builder
		for range 1 + r.IntN(6) {
			switch r.IntN(4) {
			case 0:
				b.WriteString(parts[r.IntN(len(parts))])
			case 1:
				b.WriteByte(byte(r.IntN(256)))
			default:
				b.WriteByte(plain[r.IntN(len(plain))])
			}
		}
		return b.String()
	}
	var c crowd
	for d := range crowdDirs {
		dir := filepath.Join(root, fmt.Sprint(d))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		var labels bytes.Buffer
		for i := range crowdSessions {
			id, name, label := rawString(some()), rawString([]string{"", "", "n"}[r.IntN(3)]+some()), rawString(some())
			session := fmt.Appendf(nil, `{"type":"session","version":3,"id":%s,"timestamp":"2026-03-01T09:00:00.000Z","cwd":%s,"title":%s}
{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":%s,"timestamp":1}}
{"type":"label","id":"bbbbbbbb","parentId":"aaaaaaaa","timestamp":"2026-03-01T09:00:03.000Z","targetId":"aaaaaaaa","label":%s}
`, id, rawString("/"+some()), name, name, label)
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("2026-03-01T09-00-00-000Z_%d.jsonl", i)), session, 0o644); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&labels, `{"type":"message","id":"e%d","parentId":"aaaaaaaa","timestamp":"2026-03-01T09:00:03.000Z","message":{"role":"user","content":%s,"timestamp":1}}
{"type":"label","id":%s,"parentId":"aaaaaaaa","timestamp":"2026-03-01T09:00:03.000Z","targetId":"e%d","label":%s}
`, i, name, id, i, label)
		}
		path := filepath.Join(root, fmt.Sprintf("labels%d.jsonl", d))
		write(t, path, append([]byte(`{"type":"session","version":3,"id":"19c0b2f4a1400001","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/"}
{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":"first","timestamp":1}}
`), labels.Bytes()...))
		c.dirs, c.labelled = append(c.dirs, dir), append(c.labelled, path)
	}
	return c
}

// rawString writes a string of JSON that has the bytes of text, of valid UTF-8 or not.
func rawString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ' || c == '"' || c == '\\':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// lines are the command lines that are completed at their ends.
func (c crowd) lines() [][]string {
	var all [][]string
	for i, dir := range c.dirs {
		all = append(all, []string{"--session-dir", dir, "show", ""}, []string{"--session-dir", dir, "resume", "n"}, []string{"label", c.labelled[i], ""})
	}
	return all
}

// TestCompletionOfTenThousandSessions: whatever ids, names, directories and labels
// sessions have, what real shells complete by the scripts that they are given runs
// nothing, is put on the command line, and stands there for the words that are offered.
func TestCompletionOfTenThousandSessions(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	c := newCrowd(t, m.dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cache := scratch.OwnDir(t)
	m.env = append(m.env, "CAMBIUM_CACHE_DIR="+cache)
	program := "#!/bin/sh\nCAMBIUM_TUITEST_COMMAND=1 CAMBIUM_CACHE_DIR='" + cache + "' exec '" + self + "' \"$@\"\n"
	var want [][]string
	for _, line := range c.lines() {
		out, stderr, code := m.run(append([]string{"__complete"}, line...)...)
		offers := strings.Split(strings.TrimSpace(out), "\n")
		if offers = offers[:len(offers)-1]; code != 0 || len(offers) < 10 {
			t.Fatalf("%q: exit code %d, %q offered: %s", line, code, offers, stderr)
		}
		var words []string
		for _, offer := range offers {
			word, _, _ := strings.Cut(offer, "\t")
			words = append(words, word)
		}
		slices.Sort(words)
		want = append(want, words)
	}
	eachShell(t, completing(), func(t *testing.T, s shell) {
		home := scratch.OwnDir(t)
		got := s.takesAll(t, home, m.dir, program, c.lines())
		for i, line := range c.lines() {
			holdsTaken(t, s, line, want[i], got[i])
		}
		nothingRan(t, home, m.dir)
	})
}

// holdsTaken checks that the words which a shell took for the last one of a line were
// offered, and that it took those it should have: bash and zsh all that begin with
// what was typed, fish the better ones.
func holdsTaken(t *testing.T, s shell, line, offered, taken []string) {
	t.Helper()
	for _, word := range taken {
		if _, ok := slices.BinarySearch(offered, word); !ok {
			t.Errorf("%q: taken: %q, which is not offered", line, word)
		}
	}
	if s.name == "fish" {
		if len(taken) < len(offered)/2 {
			t.Errorf("%q: %d words are taken of %d", line, len(taken), len(offered))
		}
		return
	}
	for _, word := range offered {
		if _, ok := slices.BinarySearch(taken, word); !ok && strings.HasPrefix(word, line[len(line)-1]) {
			t.Errorf("%q: offered: %q, which is not taken", line, word)
		}
	}
}

// takesAll has a shell put all that is offered for the last words of lines on the
// command line, and run that. It returns for each line the words that the command was
// given there, sorted. cambium is a function of the shell; the scripts call the
// program.
func (s shell) takesAll(t *testing.T, home, dir, program string, lines [][]string) [][]string {
	t.Helper()
	s.prints += map[string]string{
		"bash": `bind '"\C-t": insert-completions'` + "\n" + `cambium() { printf '%s\n' "$@" end >> ~/taken; }` + "\n",
		"zsh": "all() { _main_complete; compstate[insert]=all; }\nzle -C all complete-word all\nbindkey '^T' all\n" +
			`cambium() { printf '%s\n' "$@" end >> ~/taken; }` + "\n",
		"fish": `function cambium; printf '%s\n' $argv end >> ~/taken; end` + "\n" +
			`function all; set -l offers (complete --escape --do-complete="$argv" | string replace -r '\t.*' ''); eval $argv[1] $offers; end` + "\n",
	}[s.name]
	term := s.typing(t, home, dir, program)
	for i, line := range lines {
		before, typed := "cambium", line[len(line)-1]
		for _, word := range line[:len(line)-1] {
			before += ` "` + word + `"` // paths may have blanks
		}
		if s.name == "fish" { // it has no key that takes all
			term.Send("all '"+before+"' '"+typed+"'", "enter")
		} else {
			term.Send(before+" "+typed, "ctrl+t", "enter")
		}
		settled(term, i)
	}
	data, err := os.ReadFile(filepath.Join(home, "taken"))
	if err != nil {
		t.Fatal(err)
	}
	texts := strings.SplitAfter(string(data), "\nend\n")
	if len(texts) != len(lines)+1 {
		t.Fatalf("%d commands ran, want %d", len(texts)-1, len(lines))
	}
	var all [][]string
	for i, line := range lines {
		words := strings.Split(strings.TrimSuffix(texts[i], "\nend\n"), "\n")
		before := len(line) - 1
		if len(words) < before || !slices.Equal(words[:before], line[:before]) {
			t.Fatalf("%q ran as %q", line, words)
		}
		words = words[before:]
		slices.Sort(words)
		all = append(all, words)
	}
	return all
}
