package cli_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// offersOf returns what completion prints for a session with such an id, name,
// directory and label, in the ways in which shells ask.
func offersOf(t *testing.T, m *machine, id, name, cwd, label, typed string) string {
	t.Helper()
	q := func(s string) string { return string(jsonedit.Quoted(s)) }
	path := filepath.Join(m.home, ".pi/agent/sessions/--w--/2026-03-01T09-00-00-000Z_a.jsonl")
	write(t, path, fmt.Appendf(nil, `{"type":"session","version":3,"id":%s,"timestamp":"2026-03-01T09:00:00.000Z","cwd":%s}
{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":%s,"timestamp":1}}
{"type":"session_info","id":"bbbbbbbb","parentId":"aaaaaaaa","timestamp":"2026-03-01T09:00:01.000Z","name":%s}
{"type":"label","id":%s,"parentId":"bbbbbbbb","timestamp":"2026-03-01T09:00:03.000Z","targetId":"aaaaaaaa","label":%s}
`, q(id), q(cwd), q(name), q(name), q(id), q(label)))
	all := ""
	for _, args := range [][]string{
		{"__complete", "show", typed}, {"__complete", "label", path, typed},
		{"__completeLine", "cambium show " + typed, typed}, {"__completeLine", "cambium label " + path + " " + typed, typed},
	} {
		out, _, _ := m.run(args...)
		all += out
	}
	return all
}

// holdsOffers checks what is promised of all that is printed for shells.
func holdsOffers(t *testing.T, out string) (offered int) {
	t.Helper()
	seen := map[string]bool{}
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if directive, ok := strings.CutPrefix(line, ":"); ok {
			if directive == "" || strings.Trim(directive, "0123456789") != "" {
				t.Fatalf("a directive is %q", line)
			}
			clear(seen)
			continue
		}
		word, about, _ := strings.Cut(line, "\t")
		const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:@+"
		if word == "" || strings.Trim(word, plain) != "" || seen[word] {
			t.Fatalf("offered: %q", line)
		}
		for _, r := range about {
			if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Fatalf("said of it: %q", about)
			}
		}
		if !utf8.ValidString(about) {
			t.Fatalf("said of it: %q", about)
		}
		seen[word] = true
		offered++
	}
	return offered
}

// TestCompletionOffersOnlyPlainWords: whatever the ids, names, directories and
// labels of sessions are, what is offered has no character on which a shell acts.
func TestCompletionOffersOnlyPlainWords(t *testing.T) {
	m := newMachine(t)
	parts := []string{"a", "19c0b2f4", "0198c2a1-7f00", "start", "$(touch F)", "`x`", ";", "&", "|", "<", ">", "(", ")", "{", "}", "[", "]", "*", "?", "!", "#", "~", "^", "%", "=", ",",
		" ", "\t", "\n", "\r", "'", `"`, `\`, "-", "--", ":", "@", "+", "/", ".", "..", "\x1b]0;x\x07", "\x1b[2J", "\u202e", "\u200b", "\u00a0", "é", "中", "\x00", "\x7f", "\u009b", "\xff"}
	r := rand.New(rand.NewPCG(7, 8))
	some := func() string {
		var b strings.Builder
		for range r.IntN(4) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		return b.String()
	}
	offered := 0
	for range 60 { // of four questions each; the gate itself is tried ten thousand times
		id, name, label := some(), some(), some()
		typed := []string{"", id, name, label}[r.IntN(4)]
		typed = typed[:r.IntN(len(typed)+1)]
		offered += holdsOffers(t, offersOf(t, m, id, name, m.dir+some(), label, typed))
	}
	if offered < 15 {
		t.Errorf("only %d words were offered", offered)
	}
}

func FuzzCompletion(f *testing.F) {
	f.Add("19c0b2f4", "Rings", "start", "")
	f.Add("$(touch F)", "`touch F`", "a b", "$")
	f.Add("-x", "\x1b[2J", "\u202e", "-")
	f.Fuzz(func(t *testing.T, id, name, label, typed string) {
		if strings.ContainsRune(typed, 0) {
			return // no argument has one
		}
		m := newMachine(t)
		holdsOffers(t, offersOf(t, m, id, name, m.dir, label, typed))
	})
}
