//go:build unix

package tuitest

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A Cell is one place of the screen.
type Cell struct {
	// Text is what stands in it, " " for nothing and "" for the second half of
	// a wide character.
	Text string
	// Fg and Bg are its colours: "" for the terminal's own, "1" or "208" for
	// one of a palette, "#1a2b3c" for any other.
	Fg, Bg                                 string
	Bold, Faint, Italic, Underline, Struck bool
	Reverse                                bool
}

// Screen returns the rows of the screen without blanks at their ends, each with
// a newline.
func (m *Terminal) Screen() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text()
}

// Flow returns the whole screen as one line, blanks at the ends of rows included:
// what a program printed that the terminal broke into rows.
func (m *Terminal) Flow() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	for y := range m.screen.Height() {
		for x := range m.screen.Width() {
			b.WriteString(m.content(x, y))
		}
	}
	return b.String()
}

// Row returns one row of the screen, from 0.
func (m *Terminal) Row(y int) string {
	m.t.Helper()
	rows := strings.Split(m.Screen(), "\n")
	if y < 0 || y >= len(rows)-1 {
		m.t.Fatalf("row %d of a screen of %d rows", y, len(rows)-1)
	}
	return rows[y]
}

// Cell returns one cell of the screen, column and row from 0.
func (m *Terminal) Cell(x, y int) Cell {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cell(x, y)
}

// Cursor returns where the cursor is and whether it is shown.
func (m *Terminal) Cursor() (x, y int, shown bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.screen.CursorPosition()
	return at.X, at.Y, m.cursorShown()
}

// Styled returns the screen as text with marks where the style changes:
// "‹1;bold›red‹›". It is for golden files.
func (m *Terminal) Styled() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	for y := range m.screen.Height() {
		var row strings.Builder
		style := ""
		for x := range m.screen.Width() {
			c := m.cell(x, y)
			if s := c.style(); s != style {
				row.WriteString("‹" + s + "›")
				style = s
			}
			row.WriteString(c.Text)
		}
		if style != "" {
			row.WriteString("‹›")
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	return b.String()
}

// text returns the rows of the screen. The caller holds mu.
func (m *Terminal) text() string {
	var b strings.Builder
	for y := range m.screen.Height() {
		var row strings.Builder
		for x := range m.screen.Width() {
			row.WriteString(m.content(x, y))
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	return b.String()
}

// content is the text of a cell, " " for nothing and "" for the second half of a wide
// character.
func (m *Terminal) content(x, y int) string {
	c := m.screen.CellAt(x, y)
	if c == nil || c.Width > 0 && c.Content == "" {
		return " "
	}
	return c.Content
}

// cell returns one cell. The caller holds mu.
func (m *Terminal) cell(x, y int) Cell {
	c := m.screen.CellAt(x, y)
	if c == nil {
		return Cell{Text: " "}
	}
	cell := Cell{Text: m.content(x, y), Fg: colorName(c.Style.Fg), Bg: colorName(c.Style.Bg), Underline: c.Style.Underline != 0}
	// The bits are those of the emulator's cells, in the order of SGR 1 to 9.
	for bit, to := range []*bool{&cell.Bold, &cell.Faint, &cell.Italic, nil, nil, &cell.Reverse, nil, &cell.Struck} {
		if to != nil {
			*to = c.Style.Attrs&(1<<bit) != 0
		}
	}
	return cell
}

// style says in words how a cell is drawn, "" for plainly.
func (c Cell) style() string {
	var parts []string
	add := func(on bool, word string) {
		if on {
			parts = append(parts, word)
		}
	}
	add(c.Fg != "", c.Fg)
	add(c.Bg != "", "on "+c.Bg)
	add(c.Bold, "bold")
	add(c.Faint, "faint")
	add(c.Italic, "italic")
	add(c.Underline, "underline")
	add(c.Reverse, "reverse")
	add(c.Struck, "struck")
	return strings.Join(parts, ";")
}

// colorName returns how a program called a colour.
func colorName(c color.Color) string {
	switch c := c.(type) {
	case nil:
		return ""
	case ansi.BasicColor:
		return fmt.Sprint(uint8(c))
	case ansi.IndexedColor:
		return fmt.Sprint(uint8(c))
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
