package treeview

// A mode is what the keys are for.
type mode uint8

const (
	browsing mode = iota
	labelling
	helping
)

// A dialog is what is asked, or explained, beside the tree.
type dialog struct {
	mode  mode
	label field
	page  int // first line of the help on the screen
}

// edit has the label of an entry be changed.
func (d *dialog) edit(label string) {
	d.mode = labelling
	d.label.set(label)
}

// explain shows the help from its beginning.
func (d *dialog) explain() { d.mode, d.page = helping, 0 }

// scroll moves the help by lines, up to the last that may be its first.
func (d *dialog) scroll(lines, last int) { d.page = min(max(d.page+lines, 0), last) }

// end goes back to the tree.
func (d *dialog) end() { d.mode = browsing }
