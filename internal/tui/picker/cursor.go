package picker

// A cursor is where a person is in the list. Once it was moved it stays with its
// session, whatever becomes of the list; until then it is at the top.
type cursor struct {
	at, top int    // its place, and that of the first row shown
	moved   bool   // it was put where it is
	path    string // the session at it, "" for none
}

// put puts it on a row.
func (c *cursor) put(at int) { c.at, c.moved = at, true }

// free lets it go to the top when the list changes.
func (c *cursor) free() { c.moved = false }

// home puts it at the top, where it stays.
func (c *cursor) home() { c.at, c.moved = 0, false }

// follow keeps it with its session in a list that changed.
func (c *cursor) follow(shown []*row) {
	if !c.moved {
		c.at = 0
		return
	}
	for i, r := range shown {
		if r.Info.Path == c.path {
			c.at = i
			break
		}
	}
}

// fit keeps it in the list and on a screen of so many rows.
func (c *cursor) fit(shown []*row, height int) {
	n := len(shown)
	c.at = max(0, min(c.at, n-1))
	if c.at < c.top {
		c.top = c.at
	}
	if c.at >= c.top+height {
		c.top = c.at - height + 1
	}
	c.top = max(0, min(c.top, n-height))
	c.path = ""
	if n > 0 {
		c.path = shown[c.at].Info.Path
	}
}

// scroll moves a screen of so many rows over the list, and returns where the cursor
// is to be put; moved is false at the list's end.
func (c *cursor) scroll(lines, rows, height int) (at int, moved bool) {
	top := max(0, min(c.top+lines, rows-height))
	if top == c.top {
		return c.at, false
	}
	c.top = top
	return max(top, min(c.at, top+height-1)), true
}
