package jsonl

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// stringEndByBytes is what stringEnd is defined as.
func stringEndByBytes(b []byte, i int) int {
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < 0x20:
			return ^i
		case c != '\\':
			i++
			continue
		}
		if i++; i >= len(b) {
			break
		}
		if b[i] != 'u' {
			if strings.IndexByte(`"\/bfnrt`, b[i]) < 0 {
				return ^i
			}
			i++
			continue
		}
		i++
		for k := i + 4; i < k && i < len(b); i++ {
			if strings.IndexByte("0123456789abcdefABCDEF", b[i]) < 0 {
				return ^i
			}
		}
	}
	return ^len(b)
}

// checkStringEnd compares every way of finding the end of a string with the
// definition.
func checkStringEnd(t interface{ Fatalf(string, ...any) }, b []byte, from int) {
	want := stringEndByBytes(b, from)
	for name, end := range map[string]func([]byte, int) int{
		"stringEnd": stringEnd, "wordsEnd": wordsEnd, "stringTail": stringTail,
	} {
		if got := end(b, from); got != want {
			t.Fatalf("%s(%q, %d) = %d, want %d", name, b, from, got, want)
		}
	}
	if vector && from <= len(b) {
		checkBlocks(t, b, from)
	}
}

// checkBlocks checks what blocks promises beside what stringEnd makes of it.
func checkBlocks(t interface{ Fatalf(string, ...any) }, b []byte, from int) {
	at, stop := blocks(b, from)
	switch {
	case !stop && (at < from || len(b)-at > blockSize):
		t.Fatalf("blocks(%q, %d) = %d: a block is left", b, from, at)
	case stop && (at < from || at >= len(b)):
		t.Fatalf("blocks(%q, %d) = %d: out of range", b, from, at)
	}
	if whole := append(bytes.Clone(b[from:at]), '"'); stringEndByBytes(whole, 0) != len(whole) && !(stop && b[at-1] == '\\') {
		t.Fatalf("blocks(%q, %d) = %d, %t: passed over what ends or breaks the string", b, from, at, stop)
	}
}

func FuzzStringEnd(f *testing.F) {
	pad := strings.Repeat("the quick brown fox jumps over the lazy dog ", 4)
	for _, s := range []string{``, `"`, `\`, `\\`, `\u`, `\u12`, `\u12aF`, `\u12g4`, `\x`, "\x1f", "\\\x00", `\\\"`, `é`, "\xff\x80"} {
		f.Add([]byte(s), 0)
		f.Add([]byte(pad+s+pad+`"`), 3)
	}
	f.Fuzz(func(t *testing.T, b []byte, from int) {
		if from < 0 || from > len(b) {
			return
		}
		checkStringEnd(t, b, from)
	})
}

// Every byte and every escape, at every place of two blocks, among plain text
// and after runs of backslashes.
func TestStringEndAtEveryPlace(t *testing.T) {
	var parts []string
	for c := range 256 {
		parts = append(parts, string([]byte{byte(c)}), string([]byte{'\\', byte(c)}), string([]byte{'\\', 'u', '0', 'A', 'f', byte(c)}))
	}
	parts = append(parts, `\u000g`, `\u00g0`, `\u0g00`, `\ug000`, `\u"000`, `\u00"0`, `\`, `\u`, `\u0`, `\u00`, `\u000`)
	for _, part := range parts {
		for n := range 2*blockSize + 1 {
			before := strings.Repeat("a", n)
			checkStringEnd(t, []byte(before+part+strings.Repeat("b", 3*blockSize)+`"`), 0)
			checkStringEnd(t, []byte(before+part), 0)
		}
	}
	for run := range 2*blockSize + 2 {
		for n := range blockSize + 1 {
			text := strings.Repeat("a", n) + strings.Repeat(`\`, run)
			for _, after := range []string{`"`, `n`, `u00e9`, `x`, "\n", ``} {
				checkStringEnd(t, []byte(text+after+strings.Repeat("b", blockSize)+`"`), 0)
			}
		}
	}
}

func TestStringEndEqualsDefinition(t *testing.T) {
	part := rapid.OneOf(
		rapid.SampledFrom([]string{`\`, `\\`, `\"`, `\n`, `\u001b`, `\u`, `"`, "\t", `\x`, "é", strings.Repeat("plain ", 12)}),
		rapid.StringN(0, 20, 80),
	)
	rapid.Check(t, func(t *rapid.T) {
		b := []byte(strings.Join(rapid.SliceOfN(part, 0, 60).Draw(t, "parts"), ""))
		checkStringEnd(t, b, rapid.IntRange(0, len(b)).Draw(t, "from"))
	})
}
