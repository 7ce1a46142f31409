//go:build peers

package tour_test

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// What a screenshot measures, in pixels.
const (
	cellWidth, cellHeight = 8.4, 18
	margin, barHeight     = 16, 36
)

// The colours of the terminal.
const background, foreground = "#1e1e2e", "#cdd6f4"

// svg draws the first rows of a screen, in a window with a title. A cell's
// background is a rectangle, what is alike in a row one span.
func svg(title string, m *tuitest.Terminal, cols, rows int) string {
	width, height := 2*margin+int(float64(cols)*cellWidth), barHeight+margin+rows*cellHeight
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">
<title>%s</title>
<rect width="%[1]d" height="%[2]d" rx="8" fill="%[4]s"/>
<circle cx="20" cy="18" r="5" fill="#f38ba8"/><circle cx="38" cy="18" r="5" fill="#f9e2af"/><circle cx="56" cy="18" r="5" fill="#a6e3a1"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="%[5]s">
`, width, height, html.EscapeString(title), background, foreground)
	for y := range rows {
		svgRow(&b, m, cols, y)
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// svgRow draws one row.
func svgRow(b *strings.Builder, m *tuitest.Terminal, cols, y int) {
	top := barHeight + y*cellHeight
	var texts strings.Builder
	for x := 0; x < cols; {
		first := m.Cell(x, y)
		style, run, end := first, first.Text, x+1
		for style.Text = ""; end < cols; end++ {
			next := m.Cell(end, y)
			text := next.Text
			if next.Text = ""; next != style {
				break
			}
			run += text
		}
		fg, bg := colour(first.Fg, foreground), colour(first.Bg, "")
		if first.Reverse {
			fg, bg = colour(first.Bg, background), colour(first.Fg, foreground)
		}
		at := margin + float64(x)*cellWidth
		if bg != "" {
			fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", at, top, float64(end-x)*cellWidth, cellHeight, bg)
		}
		if strings.TrimSpace(run) != "" {
			fmt.Fprintf(&texts, `<tspan x="%.1f"%s>%s</tspan>`, at, attributes(first, fg), html.EscapeString(strings.TrimRight(run, " ")))
		}
		x = end
	}
	if texts.Len() > 0 {
		fmt.Fprintf(b, `<text y="%d" xml:space="preserve">%s</text>`+"\n", top+14, texts.String())
	}
}

// attributes are those of a span.
func attributes(c tuitest.Cell, fg string) string {
	var all string
	for _, a := range []struct {
		on   bool
		text string
	}{
		{fg != foreground, ` fill="` + fg + `"`},
		{c.Bold, ` font-weight="bold"`},
		{c.Faint, ` opacity="0.6"`},
		{c.Italic, ` font-style="italic"`},
		{c.Underline, ` text-decoration="underline"`},
		{c.Struck, ` text-decoration="line-through"`},
	} {
		if a.on {
			all += a.text
		}
	}
	return all
}

// colour returns a colour of a cell as SVG has it: of the palette or as it is;
// plain for the terminal's own.
func colour(name, plain string) string {
	n, err := strconv.Atoi(name)
	if err != nil {
		if name == "" {
			return plain
		}
		return name
	}
	if n < 16 {
		return [16]string{
			"#45475a", "#f38ba8", "#a6e3a1", "#f9e2af", "#89b4fa", "#cba6f7", "#94e2d5", "#bac2de",
			"#6c7086", "#f38ba8", "#a6e3a1", "#f9e2af", "#89b4fa", "#cba6f7", "#94e2d5", "#cdd6f4",
		}[n]
	}
	if n >= 232 {
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
	level := func(v int) int {
		if v == 0 {
			return 0
		}
		return 55 + 40*v
	}
	n -= 16
	return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
}
