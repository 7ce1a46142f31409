package readview

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// Bounds of what is kept and asked for.
const (
	mostCells = 400      // rows that are kept
	mostBytes = 64 << 20 // of them, in all
	mostAsked = 40       // rows that are asked for at once
	guessed   = 3        // lines that a row has that is not read
	placeable = 4        // above what is gone to is a part of the screen: one of so many
)

// A place is a line of a row.
type place struct{ row, line int }

// An aim is what is looked for in a row when it is there.
type aim uint8

const (
	atHead aim = iota
	atEnd
	atFirstMark
	atLastMark
)

// A cell is what is known of a row.
type cell struct {
	p     *Passage
	size  int
	form  *Form  // it was laid out in, nil for none
	lines []Line // of that
}

// A column is the text of a branch, with the cursor in it. The cursor stays where it is
// on the screen when rows above and below it become known.
type column struct {
	form  *Form
	high  int // rows of the screen
	rows  []Row
	cells map[int]*cell
	asked map[int]bool
	folds folds

	cur place
	at  int // the row of the screen on which the cursor is
	// aim is what the cursor goes to in its row, once that is there.
	aim   aim
	aimed bool
}

// folds say which things are open.
type folds struct {
	all     bool
	changed map[[2]int]bool // entry and thing: it is other than all
}

func (f *folds) open(entry, thing int) bool { return f.all != f.changed[[2]int{entry, thing}] }

// set opens or folds a thing.
func (f *folds) set(entry, thing int, open bool) {
	if key := [2]int{entry, thing}; open != f.all {
		f.changed[key] = true
	} else {
		delete(f.changed, key)
	}
}

func newColumn(form *Form, all bool) *column {
	return &column{form: form, folds: folds{all, map[[2]int]bool{}}, cells: map[int]*cell{}, asked: map[int]bool{}}
}

// show takes the rows of a branch.
func (c *column) show(rows []Row, at int, bodies []Body) {
	c.rows = rows
	c.cells, c.asked = map[int]*cell{}, map[int]bool{}
	c.put(bodies)
	if at < 0 || at >= len(rows) {
		c.toEnd()
		return
	}
	c.land(at, atHead)
}

// reform has everything be laid out anew.
func (c *column) reform(change func(f *Form)) {
	thing, row := c.thing(), c.cur.row
	f := *c.form
	change(&f)
	c.form = &f
	c.keep(row, thing)
}

// keep puts the cursor on the first line of a thing that was laid out anew, or on the head
// of the row where there is no such line any more.
func (c *column) keep(row, thing int) {
	if !c.read(row) || thing == None {
		c.clamp()
		return
	}
	for i, l := range c.lines(row) {
		if l.Thing == thing {
			c.cur.line = i
			return
		}
	}
	c.cur.line = c.head(row)
}

// head is the first line of a row that says something.
func (c *column) head(row int) int {
	for i, l := range c.lines(row) {
		if l.Text != "" {
			return i
		}
	}
	return 0
}

// clamp keeps the cursor on a line of its row.
func (c *column) clamp() {
	if len(c.rows) == 0 {
		c.cur = place{}
		return
	}
	c.cur.row = min(max(c.cur.row, 0), len(c.rows)-1)
	c.cur.line = min(max(c.cur.line, 0), len(c.lines(c.cur.row))-1)
}

// put takes bodies, and lets go of those far away where there are many.
func (c *column) put(all []Body) {
	for i := range all {
		b := &all[i]
		if b.Row < 0 || b.Row >= len(c.rows) {
			continue
		}
		c.cells[b.Row] = &cell{p: &b.Passage, size: b.Size}
		delete(c.asked, b.Row)
	}
	bytes := 0
	for _, have := range c.cells {
		bytes += have.size
	}
	if len(c.cells) <= mostCells && bytes <= mostBytes {
		return
	}
	near := max(3*c.high, mostAsked)
	if bytes > mostBytes {
		near = c.high
	}
	for row := range c.cells {
		if row < c.cur.row-near || row > c.cur.row+near {
			delete(c.cells, row)
		}
	}
}

// read reports whether it is known what a row says.
func (c *column) read(row int) bool { return c.cells[row] != nil }

// lines are those of a row, at least one.
func (c *column) lines(row int) []Line {
	have := c.cells[row]
	if have == nil {
		return []Line{{c.form.Theme.Paint(theme.Faint, theme.Ellipsis), None}}
	}
	if have.form != c.form {
		entry := c.rows[row].Entry
		have.lines, have.form = c.form.Lay(have.p, func(thing int) bool { return c.folds.open(entry, thing) }), c.form
		if len(have.lines) == 0 {
			have.lines = []Line{{"", None}}
		}
	}
	return have.lines
}

// passage is what the row of the cursor says, nil while that is not known.
func (c *column) passage() *Passage {
	if have := c.cells[c.cur.row]; have != nil {
		return have.p
	}
	return nil
}

// thing is that at the cursor.
func (c *column) thing() int {
	if len(c.rows) == 0 || !c.read(c.cur.row) {
		return None
	}
	lines := c.lines(c.cur.row)
	return lines[min(c.cur.line, len(lines)-1)].Thing
}

// land goes to a row, some way down the screen, and to what is aimed at in it.
func (c *column) land(row int, a aim) {
	c.cur, c.at = place{row, 0}, c.high/placeable
	c.aim, c.aimed = a, true
}

// toEnd goes to the last line.
func (c *column) toEnd() {
	c.land(max(len(c.rows)-1, 0), atEnd)
	c.at = max(c.high-1, 0)
}

// settle goes to what is aimed at, if it is there, and keeps the screen full. mark tells
// the lines that are looked for.
func (c *column) settle(mark *marker) {
	if len(c.rows) == 0 || c.high == 0 {
		return
	}
	if c.aimed && c.read(c.cur.row) {
		c.aimed = false
		c.take(mark)
	}
	c.clamp()
	c.at = min(max(c.at, 0), max(c.high-1, 0))
	if above := c.above(c.at); above < c.at {
		c.at = above
	}
	if want := c.high - 1 - c.at; want > 0 {
		if missing := want - c.below(want); missing > 0 {
			c.at = c.above(min(c.at+missing, c.high-1))
		}
	}
}

// take goes to what is aimed at in the row of the cursor.
func (c *column) take(mark *marker) {
	row := c.cur.row
	lines := c.lines(row)
	switch c.aim {
	case atEnd:
		c.cur.line = len(lines) - 1
		return
	case atFirstMark, atLastMark:
		c.reveal(row, mark)
		if line := mark.line(c.lines(row), -1, 1); c.aim == atFirstMark && line >= 0 {
			c.cur.line = line
			return
		}
		if line := mark.line(c.lines(row), len(c.lines(row)), -1); line >= 0 {
			c.cur.line = line
			return
		}
	}
	c.cur.line = c.head(row)
}

// reveal opens the things of a row in which something is looked for, if it is not seen
// already.
func (c *column) reveal(row int, mark *marker) {
	if mark.none() || mark.line(c.lines(row), -1, 1) >= 0 {
		return
	}
	have, entry := c.cells[row], c.rows[row].Entry
	if have.p.Hidden {
		c.folds.set(entry, Cover, true)
	}
	for thing := range have.p.With(mark.in) {
		c.folds.set(entry, thing, true)
	}
	have.form = nil
}

// above counts the lines above the cursor, up to most.
func (c *column) above(most int) int {
	n := c.cur.line
	for row := c.cur.row - 1; row >= 0 && n < most; row-- {
		n += len(c.lines(row))
	}
	return min(n, most)
}

// below counts the lines below the cursor, up to most.
func (c *column) below(most int) int {
	n := len(c.lines(c.cur.row)) - 1 - c.cur.line
	for row := c.cur.row + 1; row < len(c.rows) && n < most; row++ {
		n += len(c.lines(row))
	}
	return min(n, most)
}

// move moves the cursor by lines, down by positive ones. It stops at a row that is not
// read.
func (c *column) move(n int) {
	c.aimed = false
	for ; n > 0 && c.read(c.cur.row); n-- {
		switch {
		case c.cur.line+1 < len(c.lines(c.cur.row)):
			c.cur.line++
		case c.cur.row+1 < len(c.rows):
			c.cur = place{c.cur.row + 1, 0}
		default:
			return
		}
		c.at++
	}
	for ; n < 0 && c.read(c.cur.row); n++ {
		switch {
		case c.cur.line > 0:
			c.cur.line--
		case c.cur.row > 0:
			c.cur = place{c.cur.row - 1, len(c.lines(c.cur.row-1)) - 1}
			c.aim, c.aimed = atEnd, !c.read(c.cur.row)
		default:
			return
		}
		c.at--
	}
}

// scroll moves the text by lines, and the cursor with it.
func (c *column) scroll(n int) {
	at := c.at
	c.move(n)
	c.at = at
}

// A sight is a line on the screen.
type sight struct {
	place
	Line
}

// sights are the lines on the screen, from the first.
func (c *column) sights() []sight {
	if len(c.rows) == 0 {
		return nil
	}
	from := c.cur
	for up := c.at; up > 0; {
		if from.line >= up {
			from.line -= up
			break
		}
		up -= from.line
		if from.row == 0 {
			from.line = 0
			break
		}
		from.row--
		from.line = len(c.lines(from.row))
	}
	var all []sight
	for row := from.row; row < len(c.rows) && len(all) < c.high; row++ {
		for i, l := range c.lines(row) {
			if row == from.row && i < from.line {
				continue
			}
			if len(all) == c.high {
				break
			}
			all = append(all, sight{place{row, i}, l})
		}
	}
	return all
}

// needed returns rows that are to be read, and takes them as asked for: those on the
// screen or, if they are all there, those near it.
func (c *column) needed() []int {
	if c.high <= 0 || len(c.rows) == 0 {
		return nil
	}
	all, missing := c.gaps(c.at, c.high-c.at)
	if !missing {
		all, _ = c.gaps(c.at+c.high, 2*c.high-c.at)
	}
	for _, row := range all {
		c.asked[row] = true
	}
	return all
}

// gaps returns the rows up to so many lines above and below the cursor that are neither
// there nor asked for, the nearest first, and whether any is not there.
func (c *column) gaps(up, down int) (all []int, missing bool) {
	look := func(row, by, lines int) {
		for ; row >= 0 && row < len(c.rows) && lines > 0 && len(all) < mostAsked; row += by {
			if c.read(row) {
				lines -= len(c.lines(row))
				continue
			}
			lines -= guessed
			if missing = true; !c.asked[row] {
				all = append(all, row)
			}
		}
	}
	look(c.cur.row, 1, down+c.cur.line)
	look(c.cur.row-1, -1, up-c.cur.line)
	return all, missing
}

// next returns the next row of a sort below the cursor, or above it; -1 for none.
func (c *column) next(sort Sort, by int) int {
	for row := c.cur.row + by; row >= 0 && row < len(c.rows); row += by {
		if c.rows[row].Sort == sort {
			return row
		}
	}
	return -1
}

// toggle opens or folds the thing at the cursor; on a head, all of the row.
func (c *column) toggle() {
	have, thing := c.passage(), c.thing()
	if have == nil || c.rows[c.cur.row].Sort == Fork {
		return
	}
	entry := c.rows[c.cur.row].Entry
	if thing != None {
		c.folds.set(entry, thing, !c.folds.open(entry, thing))
	} else {
		open := false
		for i := range have.All() {
			open = open || !c.folds.open(entry, i)
		}
		for i := range have.All() {
			c.folds.set(entry, i, open)
		}
		if have.Hidden && !open {
			c.folds.set(entry, Cover, false)
		}
	}
	c.cells[c.cur.row].form = nil
	c.keep(c.cur.row, thing)
}

// toggleAll opens everything, or folds it.
func (c *column) toggleAll() {
	c.folds = folds{!c.folds.all, map[[2]int]bool{}}
	c.reform(func(*Form) {})
}

// plainLine is the line at the cursor without how it looks.
func (c *column) plainLine() string {
	if len(c.rows) == 0 {
		return ""
	}
	lines := c.lines(c.cur.row)
	return strings.TrimSpace(bare(lines[min(c.cur.line, len(lines)-1)].Text))
}
