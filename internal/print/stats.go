package print

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/usage"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Costs are sums of what sessions took, and how they were asked for.
type Costs struct {
	Book *usage.Book
	Rows []usage.Row
	// By are what the rows are grouped by.
	By []usage.Dimension
	// Zone is the time zone of their days.
	Zone *time.Location
	// Prices says of which date the table of prices is.
	Prices string
}

// sumForm is a sum as --json prints it. Money is in dollars, with all digits.
type sumForm struct {
	Total      bool           `json:"total,omitzero"`
	Calls      int64          `json:"calls"`
	Answers    int64          `json:"answers"`
	Input      int64          `json:"input"`
	Output     int64          `json:"output"`
	CacheRead  int64          `json:"cacheRead"`
	CacheWrite int64          `json:"cacheWrite"`
	CacheLong  int64          `json:"cacheWriteLong"`
	Reasoning  int64          `json:"reasoning"`
	Cost       jsontext.Value `json:"cost"`
	Stored     jsontext.Value `json:"stored"`
	Billed     jsontext.Value `json:"billed"`
	Priced     jsontext.Value `json:"priced"`
	Unknown    int64          `json:"unknownCalls"`
	Runs       int64          `json:"toolRuns"`
	Failures   int64          `json:"toolFailures"`
	Took       int64          `json:"toolMs"`
	Saved      jsontext.Value `json:"cacheSaved"`
}

func formOf(s *usage.Sum) sumForm {
	t := &s.Tokens
	return sumForm{
		Calls: s.Charges, Answers: s.Answers, Input: t.Input, Output: t.Output, CacheRead: t.CacheRead, CacheWrite: t.CacheWrite,
		CacheLong: t.CacheWriteLong, Reasoning: t.Reasoning, Cost: dollars(s.Cost), Stored: dollars(s.Costs[usage.Stored]),
		Billed: dollars(s.Costs[usage.Billed]), Priced: dollars(s.Costs[usage.Priced]), Unknown: s.Counts[usage.Unknown],
		Runs: s.Runs, Failures: s.Failures, Took: s.Took, Saved: dollars(s.Saved),
	}
}

func dollars(m usage.Micros) jsontext.Value { return jsontext.Value(m.Dollars()) }

// CostRows prints the rows as JSON, an object each, and their sum behind them.
func CostRows(c *console.Console, s Costs) error {
	for i := range s.Rows {
		row := jsonedit.Object{}
		for n, d := range s.By {
			row.String(d.Name, s.Rows[i].Keys[n])
		}
		sum, err := json.Marshal(formOf(&s.Rows[i].Sum))
		if err != nil {
			return err
		}
		for name, value := range jsonedit.Members(sum) {
			row.Add(name, value)
		}
		if err := c.Emit(jsontext.Value(row.Value())); err != nil {
			return err
		}
	}
	total := usage.Total(s.Rows)
	form := formOf(&total)
	form.Total = true
	return c.Emit(form)
}

// CostCSV prints the rows as CSV, without their sum. A text that a spreadsheet would take
// for a formula gets an apostrophe before it.
func CostCSV(c *console.Console, s Costs) error {
	w := csv.NewWriter(c.Out)
	var head []string
	for _, d := range s.By {
		head = append(head, d.Name)
	}
	if err := w.Write(append(head, "calls", "answers", "input", "output", "cache_read", "cache_write", "cache_write_long", "reasoning",
		"cost", "stored", "billed", "priced", "unknown_calls", "tool_runs", "tool_failures", "tool_ms", "cache_saved")); err != nil {
		return err
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		var cells []string
		for _, key := range r.Keys {
			cells = append(cells, plainCell(key))
		}
		t := &r.Tokens
		for _, n := range []int64{r.Charges, r.Answers, t.Input, t.Output, t.CacheRead, t.CacheWrite, t.CacheWriteLong, t.Reasoning} {
			cells = append(cells, strconv.FormatInt(n, 10))
		}
		for _, m := range []usage.Micros{r.Cost, r.Costs[usage.Stored], r.Costs[usage.Billed], r.Costs[usage.Priced]} {
			cells = append(cells, m.Dollars())
		}
		for _, n := range []int64{r.Counts[usage.Unknown], r.Runs, r.Failures, r.Took} {
			cells = append(cells, strconv.FormatInt(n, 10))
		}
		if err := w.Write(append(cells, r.Saved.Dollars())); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// plainCell is a stored text as a cell that no spreadsheet runs.
func plainCell(s string) string {
	s = term.Line(s)
	if s != "" && strings.ContainsRune("=+-@\t", rune(s[0])) {
		return "'" + s
	}
	return s
}

// A costColumn is a column of the table of sums.
type costColumn struct {
	title string
	cell  func(s *usage.Sum) string
	// gives says which columns give where there is no room for the groups: the one with
	// the greatest number first, that with 0 never.
	gives int
}

// costColumns are the columns behind the groups, those of tools among them if runs are
// what is asked for.
func costColumns(tools bool) []costColumn {
	count := func(of func(s *usage.Sum) int64) func(s *usage.Sum) string {
		return func(s *usage.Sum) string { return theme.Number(float64(of(s))) }
	}
	var all []costColumn
	if tools {
		all = append(all,
			costColumn{"RUNS", count(func(s *usage.Sum) int64 { return s.Runs }), 0},
			costColumn{"FAILED", count(func(s *usage.Sum) int64 { return s.Failures }), 0},
			costColumn{"TIME", func(s *usage.Sum) string { return spanOf(s.Took) }, 0})
	}
	return append(all,
		costColumn{"CALLS", count(func(s *usage.Sum) int64 { return s.Charges }), 1},
		costColumn{"INPUT", count(func(s *usage.Sum) int64 { return s.Prompt() }), 3},
		costColumn{"HIT", hitRatio, 4},
		costColumn{"OUTPUT", count(func(s *usage.Sum) int64 { return s.Tokens.Output }), 2},
		costColumn{"DOLLARS", func(s *usage.Sum) string { return s.Cost.Dollars() + originSigns(s) }, 0})
}

// spanOf writes milliseconds, "" for none.
func spanOf(ms int64) string {
	switch {
	case ms <= 0:
		return ""
	case ms < 1000:
		return fmt.Sprintf("%dms", ms)
	case ms < 60_000:
		return fmt.Sprintf("%d.%ds", ms/1000, ms%1000/100)
	case ms < 3_600_000:
		return fmt.Sprintf("%dm%02ds", ms/60_000, ms/1000%60)
	}
	return fmt.Sprintf("%dh%02dm", ms/3_600_000, ms/60_000%60)
}

// hitRatio is how much of the prompts was read from the cache, "" where there were none.
func hitRatio(s *usage.Sum) string {
	if s.Prompt() == 0 {
		return ""
	}
	return fmt.Sprintf("%d%%", int(math.Round(100*float64(s.Tokens.CacheRead)/float64(s.Prompt()))))
}

// originSigns says of a cost that a part of it was priced here ("~"), or is not known
// ("?").
func originSigns(s *usage.Sum) string {
	signs := " "
	if s.Counts[usage.Priced] > 0 {
		signs = "~"
	}
	if s.Counts[usage.Unknown] > 0 {
		return signs + "?"
	}
	return signs + " "
}

// CostTable prints the rows as a table, their sum, and what stands behind it.
func CostTable(ctx context.Context, c *console.Console, s Costs) error {
	return c.Page(ctx, func(w io.Writer) error {
		total := usage.Total(s.Rows)
		if err := costLines(c, w, s, &total); err != nil {
			return err
		}
		for _, line := range costWords(s, &total) {
			for _, part := range wrapped(c, line) {
				if _, err := fmt.Fprintln(w, part); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// wrapped is a line in as many as it needs.
func wrapped(c *console.Console, line string) []string {
	if whole(c) {
		return []string{line}
	}
	return term.Wrap(line, max(c.Cols, 40))
}

// costLines prints the rows and their sum in columns.
func costLines(c *console.Console, w io.Writer, s Costs, total *usage.Sum) error {
	tools := slices.ContainsFunc(s.By, func(d usage.Dimension) bool { return d.Name == "tool" })
	columns := costColumns(tools)
	columns = fitting(c, columns, s, total)
	rows := [][]string{{}}
	for _, d := range s.By {
		rows[0] = append(rows[0], strings.ToUpper(d.Name))
	}
	for _, col := range columns {
		rows[0] = append(rows[0], col.title)
	}
	titles := sessionTitles(s)
	add := func(keys []string, sum *usage.Sum) {
		row := slices.Clone(keys)
		for _, col := range columns {
			row = append(row, col.cell(sum))
		}
		rows = append(rows, row)
	}
	for i := range s.Rows {
		keys := make([]string, len(s.By))
		for n, d := range s.By {
			keys[n] = groupCell(c, titles, d.Name, s.Rows[i].Keys[n])
		}
		add(keys, &s.Rows[i].Sum)
	}
	last := make([]string, len(s.By))
	last[0] = "total"
	add(last, total)
	return printCosts(c, w, rows, len(s.By))
}

// groupCells is how many cells the text of a group has at least before columns give.
const groupCells = 10

// fitting are the columns that there is room for beside the groups.
func fitting(c *console.Console, columns []costColumn, s Costs, total *usage.Sum) []costColumn {
	for {
		rest, first := width(c)-len(s.By)*(groupCells+2), 0
		for i, col := range columns {
			cells := max(len(col.title), term.Width(col.cell(total)))
			for k := range s.Rows {
				cells = max(cells, term.Width(col.cell(&s.Rows[k].Sum)))
			}
			if rest -= cells + 2; col.gives > columns[first].gives {
				first = i
			}
		}
		if rest >= -2 || columns[first].gives == 0 {
			return columns
		}
		columns = slices.Delete(columns, first, first+1)
	}
}

// sessionTitles are what sessions are called, by id; nil where nobody asks.
func sessionTitles(s Costs) map[string]string {
	if !slices.ContainsFunc(s.By, func(d usage.Dimension) bool { return d.Name == "session" }) {
		return nil
	}
	titles := map[string]string{}
	for i := range s.Book.Ledgers {
		l := &s.Book.Ledgers[i]
		titles[cmp.Or(l.ID, l.Path)] = l.Title
	}
	return titles
}

// groupCell is what a group is called on the terminal.
func groupCell(c *console.Console, titles map[string]string, dimension, key string) string {
	switch dimension {
	case "project":
		return term.Line(tilde(c, key))
	case "session":
		if title := strings.TrimSpace(term.Line(titles[key])); title != "" {
			return term.Line(clip(key, shortID)) + " " + title
		}
	}
	return term.Line(key)
}

// printCosts prints rows, the first of which are titles and the last the sum. The first
// cells are texts, and give where there is no room.
func printCosts(c *console.Console, w io.Writer, rows [][]string, texts int) error {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], term.Width(cell))
		}
	}
	rest := width(c) - 2*(len(widths)-1)
	for _, n := range widths[texts:] {
		rest -= n
	}
	for i := range texts { // the widest gives
		share := max(rest/(texts-i), least)
		for _, n := range widths[i+1 : texts] {
			share = max(share, rest-n-(texts-i-2)*least)
		}
		widths[i] = min(widths[i], max(share, least))
		rest -= widths[i]
	}
	for n, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			if i < texts {
				b.WriteString(fit(c, cell, widths[i]))
			} else {
				b.WriteString(term.PadLeft(cell, widths[i]))
			}
		}
		line := cut(c, strings.TrimRight(b.String(), " "), width(c))
		switch n {
		case 0:
			line = c.Palette.Dim(line)
		case len(rows) - 1:
			line = c.Palette.Bold(line)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// costWords say where a sum comes from, and what the cache did.
func costWords(s Costs, total *usage.Sum) (lines []string) {
	var parts []string
	for _, origin := range []usage.Origin{usage.Stored, usage.Billed} {
		if total.Counts[origin] > 0 {
			parts = append(parts, fmt.Sprintf("%s $%s", origin, total.Costs[origin].Dollars()))
		}
	}
	if total.Counts[usage.Priced] > 0 {
		parts = append(parts, fmt.Sprintf("~ priced $%s (prices of %s)", total.Costs[usage.Priced].Dollars(), s.Prices))
	}
	if n := total.Counts[usage.Unknown]; n > 0 {
		parts = append(parts, "? "+term.Plural(int(n), "call")+" of unknown cost")
	}
	if len(parts) > 0 {
		lines = append(lines, "cost: "+strings.Join(parts, ", "))
	}
	if ratio := hitRatio(total); total.Tokens.CacheRead+total.Tokens.CacheWrite > 0 {
		line := "cache: " + ratio + " of the prompts read from it"
		switch {
		case total.Rated == 0:
		case total.Saved < 0:
			line += fmt.Sprintf(", $%s lost by the prices of %s", (-total.Saved).Dollars(), s.Prices)
		default:
			line += fmt.Sprintf(", $%s saved by the prices of %s", total.Saved.Dollars(), s.Prices)
		}
		lines = append(lines, line)
	}
	return lines
}

// mostWeeks is how many weeks a map of days has.
const mostWeeks = 53

// DayMap prints what each day cost as a map: a column a week, a row a day of the week,
// the darker the dearer. now is in the zone of the days.
func DayMap(c *console.Console, days []usage.Row, now time.Time) error {
	weeks := min(mostWeeks, max(min(c.Cols, 80)-5, 4))
	cost, dearest := map[string]usage.Micros{}, usage.Micros(0)
	for i := range days {
		cost[days[i].Keys[0]] = days[i].Cost
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 12, 0, 0, 0, time.UTC) // noon: no clock is changed then
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7-7*(weeks-1))
	for day := monday; !day.After(today); day = day.AddDate(0, 0, 1) {
		dearest = max(dearest, cost[day.Format("2006-01-02")])
	}
	if dearest == 0 {
		return nil
	}
	signs := []string{".", "-", "+", "x", "#"}
	if term.UTF8(c.Getenv) {
		signs = []string{"·", "░", "▒", "▓", "█"}
	}
	months := []byte(strings.Repeat(" ", weeks+4))
	for week := range weeks {
		first := monday.AddDate(0, 0, 7*week)
		if at := 4 + week; first.Day() <= 7 && at+3 <= len(months) && (at == 4 || months[at-1] == ' ') {
			copy(months[at:], first.Format("Jan"))
		}
	}
	if _, err := fmt.Fprintln(c.Out, c.Palette.Dim(strings.TrimRight(string(months), " "))); err != nil {
		return err
	}
	for row := range 7 {
		line := strings.Builder{}
		line.WriteString(c.Palette.Dim(monday.AddDate(0, 0, row).Format("Mon")) + " ")
		for week := range weeks {
			day := monday.AddDate(0, 0, 7*week+row)
			if day.After(today) {
				break
			}
			spent := cost[day.Format("2006-01-02")]
			sign := signs[heat(spent, dearest, len(signs))]
			if spent > 0 {
				sign = c.Palette.Green(sign)
			}
			line.WriteString(sign)
		}
		if _, err := fmt.Fprintln(c.Out, line.String()); err != nil {
			return err
		}
	}
	return nil
}

// heat is which of some steps a cost is on: the first for nothing, the last for the
// dearest.
func heat(cost, dearest usage.Micros, steps int) int {
	if cost <= 0 {
		return 0
	}
	return 1 + int(int64(cost-1)/(int64(dearest)/int64(steps-1)+1))
}

// PromptCost prints what a day cost for a shell's prompt, in cents, and beside it what it
// may cost, if that is not 0: in red where that is passed.
func PromptCost(c *console.Console, spent, budget usage.Micros) error {
	text := "$" + cents(spent)
	if budget > 0 {
		text += "/$" + cents(budget)
	}
	if budget > 0 && spent > budget {
		text = term.NewPalette(term.Color(c.Getenv, true, c.NoColor)).Red(text) // a shell reads it for a terminal
	}
	_, err := fmt.Fprintln(c.Out, text)
	return err
}

// cents is an amount in dollars and cents, half a cent to the even one.
func cents(m usage.Micros) string {
	n := m / 10_000
	if rest := m % 10_000; rest > 5_000 || rest == 5_000 && n%2 == 1 {
		n++
	}
	return fmt.Sprintf("%d.%02d", n/100, n%100)
}
