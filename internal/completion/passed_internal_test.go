package completion

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/shellword"
)

// TestOnlyPlainWordsArePassedOn: ten thousand times, whatever ids, names, labels and
// descriptions are offered, and whatever was typed, what a shell gets is plain
// words, each once, texts for a terminal, and a number.
func TestOnlyPlainWordsArePassedOn(t *testing.T) {
	parts := []string{"a", "19c0b2f4", "0198c2a1-7f00", "start", "$(touch F)", "`x`", ";", "&", "|", "<", ">", "(", ")", "{", "}", "[", "]", "*", "?", "!", "#", "~", "^", "%", "=", ",",
		" ", "\t", "\n", "\r", "'", `"`, `\`, "-", "--", ":", ":4", "@", "+", "/", ".", "..", "\x1b]0;x\x07", "\x1b[2J", "\u202e", "\u200b", "\u00a0", "é", "中", "\x00", "\x7f", "\u009b", "\xff"}
	r := rand.New(rand.NewPCG(7, 8))
	some := func(most int) string {
		var b strings.Builder
		for range r.IntN(most) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		return b.String()
	}
	offered := 0
	for range 10_000 {
		var printed strings.Builder
		for range r.IntN(4) {
			printed.WriteString(some(3) + "\t" + some(5) + "\n")
		}
		printed.WriteString([]string{":4\n", ":36\n", ":0\n", ":x[$(touch F)]\n", ":-1\n", some(2)}[r.IntN(6)])
		typed := some(3)
		offered += holdsPassedOn(t, printed.String(), typed, typed[r.IntN(len(typed)+1):])
	}
	if offered < 300 {
		t.Errorf("only %d words were passed on", offered)
	}
}

// holdsPassedOn checks what is promised of what shells get.
func holdsPassedOn(t *testing.T, printed, typed, part string) (offered int) {
	t.Helper()
	whole := func(offer string) (string, bool) { return offer, true }
	for _, fit := range []func(string) (string, bool){whole, inWord(typed, part)} {
		out := PassedOn(printed, fit)
		if out == "" {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		last, ok := strings.CutPrefix(lines[len(lines)-1], ":")
		if !ok || last == "" || strings.Trim(last, "0123456789") != "" {
			t.Fatalf("%q: the directive is %q", printed, last)
		}
		seen := map[string]bool{}
		for _, line := range lines[:len(lines)-1] {
			word, about, _ := strings.Cut(line, "\t")
			const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:@+="
			if word == "" || strings.Trim(word, plain) != "" || seen[word] || strings.HasPrefix(word, ":") || strings.Contains(strings.TrimSuffix(word, "="), "=") {
				t.Fatalf("%q: offered: %q", printed, line)
			}
			if text, ok := shellword.POSIX().Quote(word); !ok || text != word {
				t.Fatalf("%q: %q needs quotes", printed, word)
			}
			for _, r := range about {
				if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
					t.Fatalf("%q: said of it: %q", printed, about)
				}
			}
			if !utf8.ValidString(about) {
				t.Fatalf("%q: said of it: %q", printed, about)
			}
			seen[word] = true
			offered++
		}
	}
	return offered
}

func TestInWord(t *testing.T) {
	tests := []struct {
		typed, part, offer, want string
		ok                       bool
	}{
		{"19c0", "19c0", "19c0b2f4", "19c0b2f4", true},
		{"", "", "19c0b2f4", "19c0b2f4", true},
		{"mine/llama3:8", "8", "mine/llama3:8b", "8b", true},
		{"--agent=o", "o", "omp", "omp", true},
		{"--agent=o", "--agent=o", "omp", "--agent=omp", true},
		{"--ag", "--ag", "--agent", "--agent", true},
		{"rings", "rings", "19c0b2f4", "", false},
		{"a b", "b", "c", "", false},
	}
	for _, test := range tests {
		if got, ok := inWord(test.typed, test.part)(test.offer); got != test.want || ok != test.ok {
			t.Errorf("%q, %q, %q: %q, %t", test.typed, test.part, test.offer, got, ok)
		}
	}
}

func FuzzPassedOn(f *testing.F) {
	f.Add("19c0b2f4\tRings\n:4\n", "19", "19")
	f.Add("$(touch F)\t`touch F`\n:36\n", "$", "")
	f.Add("--agent=\tx\n:2\n", "--agent=o", "o")
	f.Fuzz(func(t *testing.T, printed, typed, part string) { holdsPassedOn(t, printed, typed, part) })
}
