package costview

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/usage"
)

// chrome is how many rows are not for text: head, status, help. chart is how many the bars
// have, and their dates.
const (
	chrome = 3
	chart  = 6
)

// eighths are the parts of a cell.
const eighths = " ▁▂▃▄▅▆▇█"

// high is how many rows of the table are on the screen.
func (m *Model) high() int { return max(m.rows-chrome-chart-1, 1) }

// View draws the screen: exactly as many rows and columns as the window has.
func (m Model) View() string {
	th, l := m.opt.Theme, m.now()
	if m.cols < minCols || m.rows < minRows {
		return th.TooSmall(m.cols, m.rows, theme.Least{Cols: minCols, Rows: minRows, Leave: "esc"})
	}
	lines := append(make([]string, 0, m.rows), m.head())
	switch {
	case m.help >= 0:
		all := th.HelpPage(m.keys.page(), m.cols)
		lines = append(lines, all[min(m.help, len(all)):]...)
	case !l.came:
		lines = append(lines, "", "  "+th.Paint(theme.Faint, "counting "+theme.Ellipsis))
	case l.sums.Err != nil:
		lines = append(append(lines, ""), th.Wrap(theme.Bad, l.sums.Err.Error(), "  ", m.cols-2)...)
	case len(l.sums.Rows) == 0:
		lines = append(lines, "", "  "+th.Paint(theme.Faint, "nothing was spent"))
	default:
		lines = append(append(lines, m.bars()...), m.table()...)
	}
	lines = lines[:min(len(lines), m.rows-2)]
	for len(lines) < m.rows-2 {
		lines = append(lines, "")
	}
	return theme.Frame(append(lines, th.Paint(theme.Warn, term.Cut(term.Line(m.told), m.cols)), m.bar()), m.cols, m.rows)
}

// bar is the bar of keys, for what they do just now.
func (m *Model) bar() string {
	k := m.keys
	if m.help >= 0 {
		k.Cancel.SetHelp("any other key", "back")
		return m.opt.Theme.HelpBar([]key.Binding{k.Up, k.Down, k.Cancel}, m.cols)
	}
	if m.now().ask.By == "" {
		k.Open.SetHelp("enter", "read")
		k.Read.SetEnabled(false)
	}
	k.Out.SetEnabled(len(m.levels) > 1)
	return m.opt.Theme.HelpBar(k.bar(), m.cols)
}

// head says what is shown, and what it cost in all.
func (m *Model) head() string {
	th, l := m.opt.Theme, m.now()
	const title = "Cost"
	side := ""
	if l.came && l.sums.Err == nil {
		side = theme.Number(float64(l.sums.Total.Tokens.All())) + " tokens · " + money(&l.sums.Total)
	}
	by := "each call"
	if l.ask.By != "" {
		by = "by " + l.ask.By
	}
	parts := []string{l.ask.Span.String(), by}
	for _, s := range l.ask.Within {
		parts = append(parts, s.Name)
	}
	room := max(m.cols-len(title)-4-term.Width(side), 4)
	what := term.Cut(term.Line(strings.Join(parts, " · ")), room)
	return th.Paint(theme.Title, title) + "  " + th.Paint(theme.Strong, what) + strings.Repeat(" ", max(room-term.Width(what)+2, 1)) + th.Paint(theme.Accent, side)
}

// money is what a sum cost: "~" where some of it is from a table of prices, "?" where the cost
// of some of it is not known.
func money(s *usage.Sum) string {
	mark := ""
	if s.Counts[usage.Priced] > 0 {
		mark += "~"
	}
	if s.Counts[usage.Unknown] > 0 {
		mark += "?"
	}
	return mark + "$" + cents(s.Cost)
}

// cents writes an amount to the cent, half a cent up; less than that with all digits.
func cents(m usage.Micros) string {
	if m > 0 && m < 5000 {
		return m.Dollars()
	}
	n := (m + 5000) / 10_000
	return fmt.Sprintf("%d.%02d", n/100, n%100)
}

// buckets are the costs of the days, of several together where there are more than columns,
// and the number of columns of each.
func (m *Model) buckets(days []Day) (all []usage.Micros, wide int) {
	room := m.cols - 2
	each := (len(days) + room - 1) / room
	for i := range days {
		if i%each == 0 {
			all = append(all, 0)
		}
		all[len(all)-1] += days[i].Cost
	}
	return all, min(max(room/max(len(all), 1), 1), 6)
}

// bars draws the days, and their first and last date below.
func (m *Model) bars() []string {
	th, days := m.opt.Theme, m.now().sums.Days
	lines := make([]string, 0, chart)
	if len(days) == 0 {
		return make([]string, chart)
	}
	all, wide := m.buckets(days)
	most := usage.Micros(1)
	for _, cost := range all {
		most = max(most, cost)
	}
	const high = chart - 1
	signs := []rune(eighths)
	for row := high - 1; row >= 0; row-- {
		var b strings.Builder
		for _, cost := range all {
			part := int((int64(cost)*high*8 + int64(most) - 1) / int64(most))
			sign := string(signs[max(min(part-row*8, 8), 0)])
			body := wide
			if wide > 1 {
				body = wide - 1
			}
			b.WriteString(strings.Repeat(sign, body) + strings.Repeat(" ", wide-body))
		}
		lines = append(lines, "  "+th.Paint(theme.Accent, strings.TrimRight(b.String(), " ")))
	}
	first, last := days[0].Date, days[len(days)-1].Date
	label := first
	if gap := len(all)*wide - len(first) - len(last); gap > 0 && first != last {
		label = first + strings.Repeat(" ", gap) + last
	}
	return append(lines, "  "+th.Paint(theme.Faint, label))
}

// table draws the rows that are on the screen.
func (m *Model) table() []string {
	th, l := m.opt.Theme, m.now()
	tool := l.ask.By == "tool"
	narrow := m.cols < 60
	what, count, more := "CHARGE", "CALLS", "TOKENS"
	if l.ask.By != "" {
		what = strings.ToUpper(l.ask.By)
	}
	if tool {
		count, more = "RUNS", "FAILED"
	}
	side := fmt.Sprintf("%10s %5s %6s %6s", "COST", "SHARE", more, count)
	if narrow {
		side = fmt.Sprintf("%10s", "COST")
	}
	room := m.cols - 2 - len(side) - 1
	lines := []string{"  " + th.Paint(theme.Faint, pad(what, room)+" "+side)}
	total := max(l.sums.Total.Cost, 1)
	for i := l.top; i < min(l.top+m.high(), len(l.sums.Rows)); i++ {
		r := &l.sums.Rows[i]
		n, k := r.Tokens.All(), r.Charges
		if tool {
			n, k = r.Failures, r.Runs
		}
		side := fmt.Sprintf("%10s %4d%% %6s %6s", money(&r.Sum), int64(r.Cost)*100/int64(total), theme.Number(float64(n)), theme.Number(float64(k)))
		if narrow {
			side = fmt.Sprintf("%10s", money(&r.Sum))
		}
		mark, name := "  ", pad(term.Cut(term.Line(r.Name), room), room)
		if i == l.at {
			mark, name = th.Paint(theme.Key, "▶")+" ", th.Paint(theme.Strong, name)
		}
		lines = append(lines, mark+name+" "+side)
	}
	return lines
}

// pad fills a text with blanks.
func pad(s string, cells int) string { return s + strings.Repeat(" ", max(cells-term.Width(s), 0)) }
