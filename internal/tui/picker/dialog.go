package picker

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
)

// A mode is what the keys are for.
type mode uint8

const (
	browsing mode = iota
	renaming
	labelling
	moving
	deleting // a question is asked
	helping
)

// A dialog is what is asked, or explained, over the list.
type dialog struct {
	mode   mode
	editor textinput.Model // a name, a label, a directory
	target []string        // the sessions that the mode is about
	help   int             // the first line of the help that is shown
}

// edit has a text about a session be changed.
func (d *dialog) edit(mode mode, path, text string) {
	d.mode, d.target = mode, []string{path}
	d.editor = newField()
	d.editor.SetValue(text)
	d.editor.CursorEnd()
	d.editor.Focus()
}

// answer ends it, and returns what was asked, about which session, and the answer.
func (d *dialog) answer() (was mode, path, text string) {
	was, path, text = d.mode, d.target[0], strings.TrimSpace(d.editor.Value())
	d.end()
	return was, path, text
}

// ask asks whether to delete sessions.
func (d *dialog) ask(paths []string) { d.mode, d.target = deleting, paths }

// explain shows the help from its beginning.
func (d *dialog) explain() { d.mode, d.help = helping, 0 }

// scroll moves the help by lines, up to the last that may be its first.
func (d *dialog) scroll(lines, last int) { d.help = max(0, min(d.help+lines, last)) }

// end goes back to the list.
func (d *dialog) end() { d.mode = browsing }
