package chatview

import (
	"math"
	"strings"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

// mostLines is how many lines of the editor are shown.
const mostLines = 8

// An editor is where a person types, with the prompts that were typed before.
type editor struct {
	area textarea.Model

	history []string // newest first
	past    int      // which of them is shown, from 1; 0 is none
	draft   string   // what was typed before history was gone into
	long    []long   // what stands there by a name
	drawn   *drawn   // nil when something changed since
}

// A drawn is how the editor looks.
type drawn struct {
	lines  []string
	cursor *tea.Cursor
}

func newEditor() editor {
	a := textarea.New()
	a.ShowLineNumbers, a.Prompt, a.CharLimit = false, "› ", 0
	a.DynamicHeight, a.MinHeight, a.MaxHeight = true, 1, mostLines
	a.MaxContentHeight = math.MaxInt32 // else it has no more lines than it shows
	plain := lipgloss.NewStyle()
	state := textarea.StyleState{Base: plain, Text: plain, CursorLine: plain, Prompt: plain, Placeholder: plain, EndOfBuffer: plain}
	styles := textarea.Styles{Focused: state, Blurred: state}
	a.SetStyles(styles)
	a.SetVirtualCursor(false)
	k := &a.KeyMap
	k.InsertNewline.SetKeys("shift+enter", "alt+enter", "ctrl+j")
	k.TransposeCharacterBackward.SetEnabled(false) // their keys do something else here
	k.SelectAll.SetEnabled(false)
	k.PageUp.SetEnabled(false)
	k.PageDown.SetEnabled(false)
	k.InputBegin.SetEnabled(false)
	k.InputEnd.SetEnabled(false)
	k.Paste.SetEnabled(false) // the terminal pastes
	k.CopySelection.SetEnabled(false)
	_ = a.Focus() // its command only blinks a cursor that is the terminal's
	return editor{area: a}
}

// text is what is typed.
func (e *editor) text() string { return spelled(e.area.Value(), e.long) }

// line is what is typed, to be sent. What takes as many rows as the editor has, or
// a screen that is so high, may not be in sight.
func (e *editor) line(rows int) Line {
	return Line{raw: e.area.Value(), long: e.long, hidden: e.area.Height() >= min(mostLines, rows)}
}

// set puts a text there that nobody typed, with the cursor behind it.
func (e *editor) set(text string) {
	e.area.SetValue("")
	e.long = nil
	e.put(text)
	e.area.MoveToEnd()
	e.follow()
}

// insert puts a text at the cursor that nobody typed.
func (e *editor) insert(text string) {
	e.put(text)
	e.follow()
}

// put is insert without having it in sight.
func (e *editor) put(text string) {
	e.area.InsertString(e.shortened(cleaned(text)))
	e.past = 0
}

// follow has the lines around the cursor in sight.
func (e *editor) follow() {
	e.drawn = nil
	e.area, _ = e.area.Update(nil) // it lays out what it is to scroll in
}

// update takes a key. Nothing else types.
func (e *editor) update(msg tea.KeyPressMsg) tea.Cmd {
	var cmd tea.Cmd
	e.drawn = nil
	e.area, cmd = e.area.Update(byKey(msg))
	return cmd
}

// atTop and atBottom say whether the cursor stands in the first or last line.
func (e *editor) atTop() bool {
	return e.area.Line() == 0 && e.area.LineInfo().RowOffset == 0
}

func (e *editor) atBottom() bool {
	info := e.area.LineInfo()
	return e.area.Line() == e.area.LineCount()-1 && info.RowOffset >= info.Height-1
}

// older shows the prompt that was typed before the one that is shown, newer the
// one after it, at last what was typed and not sent. false means that there is
// none.
func (e *editor) older() bool {
	if e.past >= len(e.history) {
		return false
	}
	if e.past == 0 {
		e.draft = e.text()
	}
	e.show(e.past + 1)
	return true
}

func (e *editor) newer() bool {
	if e.past == 0 {
		return false
	}
	e.show(e.past - 1)
	return true
}

func (e *editor) show(n int) {
	text := e.draft
	if n > 0 {
		text = e.history[n-1]
	}
	e.set(text)
	e.past = n
}

// keep puts what is typed among the prompts that were typed before, unless it was
// only edited, and what was typed before history was gone into.
func (e *editor) keep(edited bool) {
	var typed []string
	if e.past > 0 {
		typed = append(typed, e.draft)
	}
	if !edited && (e.past == 0 || e.text() != e.history[e.past-1]) {
		typed = append(typed, e.text())
	}
	for _, text := range typed {
		if strings.TrimSpace(text) != "" && (len(e.history) == 0 || e.history[0] != text) {
			e.history = append([]string{text}, e.history...)
		}
	}
	e.past, e.draft = 0, ""
}

// sent remembers a prompt and empties the editor.
func (e *editor) sent(text string) {
	if len(e.history) == 0 || e.history[0] != text {
		e.history = append([]string{text}, e.history...)
	}
	e.set("")
	e.draft = ""
}

// word returns what stands before the cursor up to a blank or the "@" of a name in
// quotes that is not ended, and the first line up to the cursor where that is in
// it. Both begin with a sign only where a person typed that.
func (e *editor) word() (word string, line string) {
	lines := strings.Split(strings.ReplaceAll(e.area.Value(), tabSign, "\t"), "\n")
	at := e.area.Line()
	if at >= len(lines) {
		return "", ""
	}
	runes := []rune(lines[at])
	before := string(runes[:min(e.area.Column(), len(runes))])
	word = before[strings.LastIndexAny(before, " \t")+1:]
	if i := strings.LastIndex(before, `@"`); i >= 0 && !strings.Contains(before[i+2:], `"`) {
		word = before[i:] // a name in quotes, which may hold blanks
	}
	if at > 0 {
		return word, ""
	}
	return word, before
}

// replace puts a text in the place of the word before the cursor. A sign that both
// begin with stays as it was typed.
func (e *editor) replace(word, text string) {
	for _, sign := range []string{"/", "@"} {
		if strings.HasPrefix(word, sign) && strings.HasPrefix(text, sign) {
			word, text = word[1:], text[1:]
			break
		}
	}
	for range []rune(word) {
		e.area, _ = e.area.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	e.insert(text)
}

// resize takes the width that there is.
func (e *editor) resize(cols int) {
	e.drawn = nil
	e.area.SetWidth(max(cols, 4))
}

// view draws it, and says where the cursor is. It is asked more often than something
// changes.
func (e *editor) view() (lines []string, cursor *tea.Cursor) {
	if e.drawn == nil {
		text := spelled(strings.ReplaceAll(e.area.View(), tabSign, "→"), nil)
		e.drawn = &drawn{strings.Split(text, "\n"), e.area.Cursor()}
	}
	if at := e.drawn.cursor; at != nil {
		own := *at // who asks moves it
		cursor = &own
	}
	return e.drawn.lines, cursor
}
