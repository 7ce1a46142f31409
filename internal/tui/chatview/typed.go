package chatview

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/term"
)

// Characters that stand in the editor for others: for the three signs at which a
// line does something, where nobody typed them; for a tab, which the editor knows
// not; and for what begins the name of a long text. They are ones that nobody uses,
// and are taken out of all that comes in. So who wrote a sign goes with it, however
// the text around it is edited.
const (
	untypedOwn     = "\U0010FF01" // "!"
	untypedCommand = "\U0010FF02" // "/"
	untypedMention = "\U0010FF03" // "@"
	tabSign        = "\U0010FF09"
	longSign       = "\U0010FF0A" // "["
	standing       = untypedOwn + untypedCommand + untypedMention + tabSign + longSign
)

// untyped is a text as it stands in the editor where nobody typed it.
func untyped(text string) string {
	return strings.NewReplacer("!", untypedOwn, "/", untypedCommand, "@", untypedMention, "\t", tabSign).Replace(text)
}

// spelled is a text of the editor as it is said, with the long texts that stand in
// it by their names.
func spelled(raw string, all []long) string {
	var pairs []string
	for _, l := range all {
		pairs = append(pairs, l.name, l.text)
	}
	return strings.NewReplacer(append(pairs, untypedOwn, "!", untypedCommand, "/", untypedMention, "@", tabSign, "\t", longSign, "[")...).Replace(raw)
}

// cleaned is text without what a terminal would obey, and without what stands for
// something else in the editor.
func cleaned(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return unstanding(term.Safe(text))
}

// unstanding takes out of a text what stands for something else in the editor.
func unstanding(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(standing, r) {
			return -1
		}
		return r
	}, text)
}

// byKey is what a key types: a sign counts as typed where the key gave nothing but
// that.
func byKey(msg tea.KeyPressMsg) tea.KeyPressMsg {
	msg.Text = unstanding(msg.Text)
	if utf8.RuneCountInString(msg.Text) > 1 {
		msg.Text = untyped(msg.Text)
	}
	return msg
}

// A Line is what the editor held when it was sent. It knows which of its signs a
// person typed there, with a key each: these alone run a command, carry one out or
// send a picture. What was pasted, or came out of the history, a tree or a file, or
// was taken back, says the same and does nothing.
//
// Only the editor makes a line that does something; see [Untyped]. The zero value
// is empty. It is safe for concurrent use.
type Line struct {
	raw    string // as it stood in the editor
	long   []long
	hidden bool // not all of it was in sight
}

// Untyped returns the line of a text that nobody typed into the editor.
func Untyped(text string) Line { return Line{raw: untyped(cleaned(text))} }

// String is the text as it is said.
func (l Line) String() string { return strings.TrimSpace(spelled(l.raw, l.long)) }

// Command returns the command of a person's own that a line is: "!COMMAND", or
// "!!COMMAND" of which the model is not told (published). ok is false for any other
// line, such as one whose "!" nobody typed.
func (l Line) Command() (command string, secret, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(l.raw), "!")
	if !ok {
		return "", false, false
	}
	rest, secret = strings.CutPrefix(rest, "!")
	command = strings.TrimSpace(spelled(rest, l.long))
	return command, secret, command != ""
}

// Hidden reports whether not all of the line was in sight when it was sent.
func (l Line) Hidden() bool { return l.hidden || l.folded() }

// folded reports whether a long text stands in the line by its name.
func (l Line) folded() bool {
	return slices.ContainsFunc(l.long, func(x long) bool { return strings.Contains(l.raw, x.name) })
}

// Mentions returns what stands behind each "@" that a person typed and that begins
// a word: the word, or what stands in quotes there. Unmeant are those behind an "@"
// that nobody typed, which name nothing.
func (l Line) Mentions() (meant, unmeant []string) {
	before := ' '
	for i, r := range l.raw {
		begins := !unicode.IsLetter(before) && !unicode.IsDigit(before)
		before = r
		at := string(r)
		if !begins || at != "@" && at != untypedMention {
			continue
		}
		switch name := spelled(mention(l.raw[i+len(at):]), nil); {
		case name == "":
		case at == "@":
			meant = append(meant, name)
		default:
			unmeant = append(unmeant, name)
		}
	}
	return meant, unmeant
}

// mention is the name at the beginning of a text, "" for none. A long text is no
// part of one.
func mention(rest string) string {
	name, quoted := inQuotes(rest)
	if !quoted {
		name = rest
		if end := strings.IndexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || string(r) == tabSign }); end >= 0 {
			name = rest[:end]
		}
	}
	if strings.Contains(name, longSign) {
		return ""
	}
	return name
}

// inQuotes is what stands in quotes at the beginning of a text, on one line.
func inQuotes(text string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(text, `"`)
	if !ok {
		return "", false
	}
	name, _, ok = strings.Cut(rest, `"`)
	return name, ok && !strings.Contains(name, "\n")
}

// slash takes the command apart that a line is: /NAME ARGUMENTS. A path is none,
// nor is a line whose "/" nobody typed.
func (l Line) slash() (name, arguments string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(l.raw), "/")
	if !ok {
		return "", "", false
	}
	name, arguments, _ = strings.Cut(spelled(rest, l.long), " ")
	if name == "" || strings.ContainsAny(name, "/\n.") {
		return "", "", false
	}
	return name, strings.TrimSpace(arguments), true
}

// meant is the line as if a person had typed the sign that it begins with.
func (l Line) meant() Line {
	raw := strings.TrimSpace(l.raw)
	if rest, ok := strings.CutPrefix(raw, untypedOwn); ok {
		return Line{raw: "!" + rest, long: l.long}
	}
	if rest, ok := strings.CutPrefix(raw, untypedCommand); ok {
		return Line{raw: "/" + rest, long: l.long}
	}
	return l
}
