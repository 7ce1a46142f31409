package consent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/go-json-experiment/json/jsontext"
)

// hostile are texts with which a question could be made to say something else:
// what drives a terminal or is not seen, and what imitates the question itself.
var hostile = []string{
	"\x1b]0;touch F;:\x07 # done", "\x1b[2J", "\x1b[8m", "\x9b31m", "\u009b31m", "\r", "\b\b\b", "\x7f", "\x00", "\u0085",
	"\u202e", "\u2066", "\u2069", "\u200f", "\u061c", "\u200b", "\u200d", "\ufeff", "\u2060", "\u00ad", "\u034f", "\ufe0f", "\U000e0041", "\U000e0100",
	"\u00a0", "\u2003", "\u3000", "\u2800", "\u3164", "\uffa0", "\u115f", "\u1680", "\u2028", "\u2029", "\ufffc", "\ufffd", "\ue000", "\U00016fe4", "\U0001d159",
	"\u0301", "e\u0301", "e\u0301\u0301\u0301", "e\u0301\u0302\u0303\u0304", "\u20dd", "\u093f", "कि", "กี่", "\u1112\u1161\u11ab", "\U0001f468\u200d\U0001f469", "\U0001f1e9\U0001f1ea", "\U0001f44d\U0001f3fd",
	"שלום", "مرحبا", "日本語", "é", "⇥", "\t", " ", "  ", strings.Repeat(" ", 60), "\n", "\n\n", "\r\n", "",
	`\`, `\\`, `\u{`, `\u{1b}`, `\u{5c}`, `\x{ff}`, `\\u{1b}`, `u{1b}`, `\u{zz`, "…", "… ", `\ `, "→", `"`, `":`, "'", "?", ":", " = ", "{", "}", "[", "]", `""`, "{}", "[]",
	"Run ls in /?", "\nRun ls in /?", "It leads to /tmp", "\n  path: x", "\n| y", "- x", "+ y", "oldText to newText:", "oldText", "newText", "command", "path",
	"It is given nothing.", "1", "null", "true", strings.Repeat("x", 130), strings.Repeat("日", 70), "\xff", "\xc3(", "\xed\xa0\x80",
}

// A dice makes random calls.
type dice struct{ *rand.Rand }

func (d dice) text() string {
	var b strings.Builder
	for range d.IntN(5) {
		switch d.IntN(6) {
		case 0:
			for range d.IntN(12) {
				b.WriteByte(byte(d.Uint32()))
			}
		case 1:
			b.WriteRune(rune(d.IntN(0x110000)))
		case 2:
			b.WriteString(strings.Repeat([]string{" ", "a", "\n", "ab "}[d.IntN(4)], d.IntN(50)))
		default:
			b.WriteString(hostile[d.IntN(len(hostile))])
		}
	}
	return b.String()
}

// literal is a text as JSON, now and then as no JSON should be.
func (d dice) literal() string {
	switch d.IntN(60) {
	case 0:
		return `"\ud83d"`
	case 1:
		return `"` + d.text() + `"`
	}
	if d.IntN(8) > 0 {
		return string(jsonedit.Quoted(strings.ToValidUTF8(d.text(), "?")))
	}
	var b strings.Builder
	for _, r := range "\"" + strings.ToValidUTF8(d.text(), "?") {
		if b.Len() == 0 || r > 0xffff || d.IntN(2) > 0 && r >= ' ' && r != '"' && r != '\\' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	return b.String() + `"`
}

func (d dice) value(depth int) string {
	blank := strings.Repeat(" \n\t"[d.IntN(3):][:1], d.IntN(2))
	kind := d.IntN(10)
	if depth == 0 {
		kind = d.IntN(6)
	}
	switch {
	case kind == 0:
		return []string{"0", "-0", "1e21", "1E400", "123456789012345678901234567890", "-1.50e+3", "true", "false", "null"}[d.IntN(9)]
	case kind < 6:
		return d.literal()
	case kind < 8:
		var all []string
		for range d.IntN(4) {
			all = append(all, blank+d.value(depth-1)+blank)
		}
		return "[" + strings.Join(all, ",") + blank + "]"
	}
	return d.object(depth)
}

func (d dice) object(depth int) string {
	var all []string
	if d.IntN(4) == 0 {
		all = append(all, `"oldText":`+d.literal(), `"newText":`+d.literal())
	}
	for i := range d.IntN(4) {
		name := string(jsonedit.Quoted(fmt.Sprint(strings.ToValidUTF8(d.text(), "?"), i)))
		switch d.IntN(12) {
		case 0:
			name = d.literal()
		case 1:
			name = `"oldText"`
		}
		all = append(all, name+":"+d.value(max(depth-1, 0)))
	}
	return "{" + strings.Join(all, ",") + "}"
}

// texts are what rows say.
func texts(rows []consent.Row) []string {
	var all []string
	for _, r := range rows {
		all = append(all, r.Text)
	}
	return all
}

// check fails unless a call can be read back from what is shown of it on any
// screen, and everything that is shown is seen.
func check(t *testing.T, c consent.Call) {
	t.Helper()
	for i, cols := range []int{0, 40, 80, 120} {
		s := consent.Screen{Cols: cols, ASCII: (len(c.Arguments)+i)%2 == 0}
		rows, err := c.Show(s)
		if err != nil {
			t.Fatalf("show %+v: %v", c, err)
		}
		back, err := consent.Read(texts(rows))
		if err != nil || !reflect.DeepEqual(back, c) {
			t.Fatalf("%+v is shown as\n%s\nand read as %+v, %v", c, strings.Join(texts(rows), "\n"), back, err)
		}
		for _, row := range texts(rows) {
			if bad := unfit(row, s); bad != "" {
				t.Fatalf("%+v: the row %q %s", c, row, bad)
			}
		}
	}
}

// unfit says what is wrong with a row, "" for nothing. It judges by the tables of
// Unicode alone.
func unfit(row string, s consent.Screen) string {
	if s.Cols > 0 && term.Widest(row) >= s.Cols {
		return "is too wide"
	}
	if strings.TrimRight(row, " ") != row || row == "" {
		return "ends in what is not seen"
	}
	if term.Safe(row) != row || !utf8.ValidString(row) {
		return "is not safe"
	}
	for _, r := range row {
		switch {
		case s.ASCII && (r < ' ' || r > '~'):
			return fmt.Sprintf("has %U, which is not ASCII", r)
		case r != ' ' && (unicode.In(r, unicode.C, unicode.Z, unicode.Me, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || !unicode.IsGraphic(r)):
			return fmt.Sprintf("has %U, which is not seen", r)
		}
	}
	return ""
}

// refusable reports whether arguments are none that anybody should run: no object
// of valid JSON, by a decoder that is told to be strict.
func refusable(arguments []byte) bool {
	v := jsontext.Value(arguments)
	return len(bytes.TrimSpace(arguments)) > 0 && (!v.IsValid() || v.Kind() != '{')
}

// tryCall makes a call, and checks that it says what it was made of.
func tryCall(t *testing.T, tool, dir, target string, arguments []byte) {
	t.Helper()
	c, err := consent.Of(tool, dir, arguments)
	if err != nil {
		if len(err.Error()) > 1000 || unfit(err.Error(), consent.Screen{ASCII: true}) != "" {
			t.Fatalf("%q is refused with %q", arguments, err)
		}
		if !refusable(arguments) && !strings.Contains(err.Error(), "levels deep") && !strings.Contains(err.Error(), "is the most") {
			t.Fatalf("%q is refused: %v", arguments, err)
		}
		return
	}
	if refusable(arguments) {
		t.Fatalf("%q is not refused, but %+v", arguments, c)
	}
	c.Leads, c.Acts, c.Shell, c.Once = target, target, target, len(arguments)%5 == 0
	if again, err := consent.Of(tool, dir, c.Arguments); err != nil || string(again.Arguments) != string(c.Arguments) {
		t.Fatalf("%s made canonical again is %s, %v", c.Arguments, again.Arguments, err)
	}
	if len(bytes.TrimSpace(arguments)) > 0 && !reflect.DeepEqual(decoded(t, arguments), decoded(t, c.Arguments)) {
		t.Fatalf("%q is made %q", arguments, c.Arguments)
	}
	check(t, c)
}

// decoded is JSON as another decoder has it.
func decoded(t *testing.T, text []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("decode %q: %v", text, err)
	}
	return v
}

// Whatever a call is made of, what is shown of it is read as that call, at every
// width and in ASCII.
func TestShownIsTheCall(t *testing.T) {
	const cases = 10_000
	d := dice{rand.New(rand.NewPCG(13, 1))}
	asked := 0
	for range cases {
		arguments := []byte(d.object(d.IntN(4)))
		if d.IntN(50) == 0 {
			arguments = []byte(d.text())
		}
		target := ""
		if d.IntN(4) == 0 {
			target = d.text()
		}
		tryCall(t, []string{"bash", "edit", "mcp__a_b", d.text()}[d.IntN(4)], []string{"/home/ada", d.text()}[d.IntN(2)], target, arguments)
		if !refusable(arguments) {
			asked++
		}
	}
	if asked < cases/2 {
		t.Errorf("only %d calls could be shown", asked)
	}
}

// FuzzShownIsTheCall is the same for calls that nobody thought of.
func FuzzShownIsTheCall(f *testing.F) {
	for _, h := range hostile {
		f.Add("bash", "/home/ada", "", []byte(new(jsonedit.Object).String("command", h).String(h, "x").Value()))
		f.Add(h, h, h, []byte(`{"a":[1,{"b":"`+h+`"}],"a":2}`))
	}
	f.Fuzz(func(t *testing.T, tool, dir, target string, arguments []byte) {
		tryCall(t, tool, dir, target, arguments)
	})
}

// Rows that imitate a question say the same to no reader as the real one.
func FuzzRead(f *testing.F) {
	f.Add("Run bash in /?\n  command: ls")
	f.Add("Run a in b?\n  edits = [\n    1 = {\n      oldText to newText:\n      - a\n      + b\n    }\n  ]")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := consent.Read(strings.Split(text, "\n")); err == nil {
			check(t, c)
		}
	})
}

// Every character is seen or escaped, alone, behind a letter and behind a sign,
// and comes back as itself.
func TestEveryCharacter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if plane := r >> 16; !utf8.ValidRune(r) || (plane > 3 && plane < 14 || plane > 14) && r&0xff > 1 && r&0xff < 0xfe {
			continue // no character, or one of the planes that have none, of which some stand for all
		}
		for _, before := range []string{"a", "; "} {
			text := before + string(r)
			for _, ascii := range []bool{false, true}[:1+len(before)%2] {
				shown := consent.Visible(text, ascii)
				if back, err := consent.Original(shown); err != nil || back != text {
					t.Fatalf("%q is shown as %q, read as %q, %v", text, shown, back, err)
				}
				if bad := unfit(shown, consent.Screen{ASCII: ascii}); bad != "" {
					t.Fatalf("%q (%U): %q %s", text, r, shown, bad)
				}
				if shown != text {
					continue
				}
				if !unicode.Is(unicode.M, r) && (term.Width(string(r)) < 1 || term.Widest(shown) <= term.Widest(before)) && !(0x1160 <= r && r <= 0x11ff || 0xd7b0 <= r && r <= 0xd7ff) {
					t.Errorf("%U behind %q takes no room", r, before)
				}
				if before != "a" && unicode.Is(unicode.M, r) {
					t.Errorf("the mark %U stands behind %q", r, before)
				}
			}
		}
	}
}

// The lines of generated sessions, with all that readers stumble over, are objects
// too.
func TestShownSessions(t *testing.T) {
	const sessions = 25
	rng := rand.New(rand.NewPCG(13, 2))
	for range sessions {
		s := sessiongen.Random(rng, sessiongen.Options{Entries: 40})
		for line := range bytes.Lines(s.Bytes) {
			tryCall(t, "note", "/home/ada", "", bytes.TrimSuffix(line, []byte("\n")))
		}
	}
}
