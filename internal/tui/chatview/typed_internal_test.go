package chatview

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// A written character is one that the editor should hold, and whether a key typed
// it.
type written struct {
	r     rune
	typed bool
}

// A scribe does to an editor what a byte says, and notes who wrote what.
type scribe struct {
	e   editor
	all []written
	at  int // the cursor
}

// pieces are what comes into an editor at once.
func pieces() []string {
	return []string{"!", "!!", "/", "@", " ", "a", "!x", "!!x", " !x", "\n!x", "/m x", "@p", "\t", "x@y", untypedOwn, longSign + "long text 1: 1 line]"}
}

// key presses a key of a name.
func (s *scribe) key(code rune) { s.e.update(tea.KeyPressMsg{Code: code}) }

// put notes that a text stands at the cursor.
func (s *scribe) put(text string, typed bool) {
	var all []written
	for _, r := range text {
		all = append(all, written{r, typed})
	}
	s.all = slices.Insert(s.all, s.at, all...)
	s.at += len(all)
}

// do carries out one step: what kind, and with which piece.
func (s *scribe) do(step byte) {
	piece := pieces()[int(step>>4)]
	switch step & 15 {
	case 0, 1, 2, 3: // typed, a key for each character
		for _, r := range piece {
			if r == '\n' {
				s.e.update(tea.KeyPressMsg{Code: 'j', Mod: tea.ModCtrl})
				s.put("\n", true)
			} else if r != '\t' {
				s.e.update(tea.KeyPressMsg{Code: r, Text: string(r)})
				s.put(unstanding(string(r)), true)
			}
		}
	case 4, 5: // pasted
		s.e.insert(piece)
		s.put(unstanding(piece), false)
	case 6: // several characters of one key
		text := "!!" + strings.ReplaceAll(unstanding(piece), "\n", " ")
		s.e.update(tea.KeyPressMsg{Code: tea.KeyExtended, Text: text})
		s.put(text, false)
	case 7: // taken back, restored or picked
		s.e.set(piece)
		s.all, s.at = nil, 0
		s.put(unstanding(piece), false)
	case 8: // picked, gone away from and come back to
		was := s.e.text()
		s.e.history = []string{piece}
		s.e.older()
		s.e.newer()
		s.all, s.at = nil, 0
		s.put(was, false)
	case 9, 10:
		s.key(tea.KeyLeft)
		s.at = max(0, s.at-1)
	case 11:
		s.key(tea.KeyRight)
		s.at = min(len(s.all), s.at+1)
	case 12, 13:
		s.key(tea.KeyBackspace)
		if s.at > 0 {
			s.at--
			s.all = slices.Delete(s.all, s.at, s.at+1)
		}
	case 14: // of the last character of a line the editor takes its end away, too
		if s.at+1 < len(s.all) && s.all[s.at+1].r != '\n' {
			s.key(tea.KeyDelete)
			s.all = slices.Delete(s.all, s.at, s.at+1)
		}
	case 15: // to the beginning of the line
		s.key(tea.KeyHome)
		for s.at > 0 && s.all[s.at-1].r != '\n' {
			s.at--
		}
	}
}

// check compares what the editor sends with what was noted.
func (s *scribe) check(t *testing.T, program []byte) {
	t.Helper()
	var text strings.Builder
	for _, w := range s.all {
		text.WriteRune(w.r)
	}
	if got := s.e.text(); got != text.String() {
		t.Fatalf("%x: the editor holds %q, want %q", program, got, text.String())
	}
	line := s.e.line(20)
	begins := s.all[min(slices.IndexFunc(append(slices.Clone(s.all), written{r: 'x'}), func(w written) bool { return !unicode.IsSpace(w.r) }), len(s.all)):]
	typed := func(sign rune) bool { return len(begins) > 0 && begins[0] == written{sign, true} }
	if command, _, ok := line.Command(); ok != (typed('!') && command != "") || ok && !strings.HasSuffix(strings.TrimSpace(text.String()), command) {
		t.Fatalf("%x: %+v is the command %q, %v", program, s.all, command, ok)
	}
	if _, _, ok := line.slash(); ok && !typed('/') {
		t.Fatalf("%x: %+v is carried out", program, s.all)
	}
	signs := 0
	for _, w := range s.all {
		if w == (written{'@', true}) {
			signs++
		}
	}
	if meant, _ := line.Mentions(); len(meant) > signs {
		t.Fatalf("%x: %+v names %q", program, s.all, meant)
	}
}

func write(t *testing.T, program []byte) {
	t.Helper()
	s := &scribe{e: newEditor()}
	s.e.resize(80)
	for _, step := range program {
		s.do(step)
	}
	s.check(t, program)
}

// However text comes into the editor and is edited there, only what a key typed is
// a sign that does something.
func TestOnlyTypedSignsAct(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 13))
	for range 10_000 {
		program := make([]byte, r.IntN(7))
		for i := range program {
			program[i] = byte(r.Uint32())
		}
		write(t, program)
	}
}

func FuzzOnlyTypedSignsAct(f *testing.F) {
	f.Add([]byte{0x04, 0x61, 0x0f, 0x00})
	f.Fuzz(func(t *testing.T, program []byte) { write(t, program[:min(len(program), 40)]) })
}
