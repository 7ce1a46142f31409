package chatview

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A cell is what is known of a row.
type cell struct {
	key   string // of the row that comes in its place, "" for none yet
	parts []Part
	form  *Form // it was laid out in, nil for none
	lines []string
	label string // they were laid out with
}

// Bounds of what is kept and asked for.
const (
	mostCells = 800 // bodies that are kept
	ahead     = 60  // rows around the screen that are asked for
)

// A transcript is the part of the screen that scrolls. What it is given comes
// from Rows and Bodies; behind the rows stand the live ones.
type transcript struct {
	form *Form // of the rows
	high int

	rows  []Row
	named func(entry int) string
	at    map[string]int   // where the row of a key is; nil until somebody asks
	cells map[string]*cell // bodies
	asked map[string]bool

	live []*cell // what is being said, behind the rows

	// follow keeps the end in sight; else line of row is the first one.
	follow    bool
	row, line int
}

func newTranscript(th theme.Theme) *transcript {
	return &transcript{form: &Form{th: th}, follow: true, cells: map[string]*cell{}, asked: map[string]bool{}}
}

// setRows takes the rows. What stood at the top of the screen stays there.
func (t *transcript) setRows(m Rows) {
	top, live := "", -1
	switch {
	case t.follow:
	case t.row < len(t.rows):
		top = t.key(t.row)
	case t.row < t.count():
		live = t.row - len(t.rows)
	}
	if m.Reset {
		t.cells, t.follow, top, live = map[string]*cell{}, true, "", -1
	}
	t.asked = map[string]bool{}
	t.rows, t.named, t.at = m.Rows, m.Key, nil
	t.put(m.Bodies)
	if t.follow || t.row < len(t.rows) && t.key(t.row) == top {
		return
	}
	if i, ok := t.find(top); ok {
		t.row = i
		return
	}
	if live >= 0 {
		t.row = len(t.rows) + live
		return
	}
	t.follow = true
}

// setLive puts other cells behind the rows. What stood at the top of the screen
// stays there, as a row if it became one.
func (t *transcript) setLive(cells []*cell) {
	var top *cell
	if live := t.row - len(t.rows); !t.follow && live >= 0 && live < len(t.live) {
		top = t.live[live]
	}
	t.live = cells
	if top == nil {
		return
	}
	if i, ok := t.find(top.key); ok && top.key != "" {
		t.row = i
	} else if i := slices.Index(cells, top); i >= 0 {
		t.row = len(t.rows) + i
	} else {
		t.row = t.count() // it is gone
	}
}

// key names row i.
func (t *transcript) key(i int) string {
	r := &t.rows[i]
	if r.Key == "" && t.named != nil {
		r.Key = t.named(r.Entry)
	}
	return r.Key
}

// find returns where the row of a key is.
func (t *transcript) find(key string) (at int, ok bool) {
	if t.at == nil {
		t.at = make(map[string]int, len(t.rows))
		for i := range t.rows {
			t.at[t.key(i)] = i
		}
	}
	at, ok = t.at[key]
	return at, ok
}

// put takes bodies.
func (t *transcript) put(all []Body) {
	for _, b := range all {
		t.cells[b.Key] = &cell{parts: b.Parts, form: b.form, lines: b.lines}
	}
	if len(t.cells) <= mostCells {
		return
	}
	from, to := t.window()
	near := make(map[string]bool, to-from+2*ahead)
	for i := max(0, from-ahead); i <= min(to+ahead, len(t.rows)-1); i++ {
		near[t.key(i)] = true
	}
	for key := range t.cells {
		if !near[key] {
			delete(t.cells, key)
			delete(t.asked, key)
		}
	}
}

// count is how many rows there are, the live ones too.
func (t *transcript) count() int { return len(t.rows) + len(t.live) }

// lines are those of row i. A row whose body is not there has one.
func (t *transcript) lines(i int) []string {
	c := t.cell(i)
	if c == nil {
		return []string{t.form.th.Paint(theme.Faint, theme.Ellipsis)}
	}
	if label := t.label(i); c.form != t.form || c.label != label {
		foreign := i < len(t.rows) && t.rows[i].Foreign
		c.lines, c.form, c.label = t.form.lay(c.parts, foreign, label), t.form, label
	}
	return c.lines
}

// window returns the first and the last row that may be in sight.
func (t *transcript) window() (from, to int) {
	if !t.follow {
		return t.row, min(t.row+t.high, t.count()-1)
	}
	return max(0, t.count()-1-t.high), t.count() - 1
}

// needed returns the rows on the screen, and so many on both sides of it, whose
// bodies are not there and were not asked for, and takes them as asked for.
func (t *transcript) needed(ahead int) []Row {
	if t.high <= 0 {
		return nil
	}
	from, to := t.window()
	if ahead == 0 {
		from, _ = t.top()
	}
	var all []Row
	for i := max(0, from-ahead); i <= min(to+ahead, len(t.rows)-1); i++ {
		key := t.key(i)
		if t.cells[key] == nil && !t.asked[key] {
			t.asked[key] = true
			all = append(all, t.rows[i])
		}
	}
	return all
}

// resize takes the room that there is.
func (t *transcript) resize(cols, high int) {
	t.high = high
	if cols != t.form.cols {
		t.reform(func(f *Form) { f.cols = cols })
	}
}

// reform changes the form that rows are laid out in.
func (t *transcript) reform(change func(f *Form)) {
	f := *t.form
	change(&f)
	t.form = &f
}

// top returns the first line in sight.
func (t *transcript) top() (row, line int) {
	if !t.follow {
		return t.row, t.line
	}
	left := t.high
	for i := t.count() - 1; i >= 0; i-- {
		n := len(t.lines(i))
		if n >= left {
			return i, n - left
		}
		left -= n
	}
	return 0, 0
}

// scroll moves what is in sight down by so many lines, up by negative ones.
func (t *transcript) scroll(n int) {
	t.row, t.line = t.top()
	t.follow = false
	for ; n < 0; n++ {
		for t.line == 0 {
			if t.row == 0 {
				n = -1
				break
			}
			t.row--
			t.line = len(t.lines(t.row))
		}
		if t.line > 0 {
			t.line--
		}
	}
	for ; n > 0 && t.row < t.count(); n-- {
		t.line++
		for t.row < t.count() && t.line >= len(t.lines(t.row)) {
			t.row++
			t.line = 0
		}
	}
	t.settle()
}

// settle follows the end again where it is in sight.
func (t *transcript) settle() {
	left := t.high
	for i := t.row; i < t.count(); i++ {
		n := len(t.lines(i))
		if i == t.row {
			n -= t.line
		}
		if left -= n; left < 0 {
			return
		}
	}
	t.follow = true
}

// first goes to the first row, last to the end.
func (t *transcript) first() { t.follow, t.row, t.line = false, 0, 0; t.settle() }
func (t *transcript) last()  { t.follow = true }

// view returns exactly t.high lines.
func (t *transcript) view() []string {
	row, line := t.top()
	all := make([]string, 0, t.high)
	for i := row; i < t.count() && len(all) < t.high; i++ {
		lines := t.lines(i)
		if i == row {
			lines = lines[min(line, len(lines)):]
		}
		all = append(all, lines[:min(len(lines), t.high-len(all))]...)
	}
	for len(all) < t.high {
		all = append(all, "")
	}
	return all
}

// set is a live cell with other parts.
func (c *cell) set(parts []Part) { c.parts, c.form = parts, nil }

// tail is the last lines of a text.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
