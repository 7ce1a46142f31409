package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/work"
)

// shortID is how much of an id is shown at least, in characters.
const shortID = 8

// A column of the table of sessions.
type column struct {
	title string
	cells int
	right bool
	cell  func(catalog.Info) string
	style func(term.Palette, string, catalog.Info) string
}

// showTable prints sessions as a table that fits the terminal: the narrower it is,
// the fewer columns.
// What is shown is all, with more about each; it is asked for once.
func showTable(ctx context.Context, a *app, all, shown iter.Seq[catalog.Info]) error {
	columns := tableColumns(a, all)
	return a.page(ctx, func(w io.Writer) error {
		if err := tableLine(a, w, columns, nil); err != nil {
			return err
		}
		var signs []string
		for info := range shown {
			if err := tableLine(a, w, columns, &info); err != nil {
				return err
			}
			signs = tableSigns(a, signs, info)
		}
		return tableLegend(a, w, signs)
	})
}

// tableSigns adds to parts what the signs mean that are in the row of a session.
func tableSigns(a *app, parts []string, info catalog.Info) []string {
	say := func(text string) {
		if !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if sign := statusSign(info); sign != "" && a.cols < 100 {
		say(sign + " " + rowStatus(info))
	}
	if len(info.Tips) > 0 {
		say("[+1] another branch is live")
	}
	return parts
}

// tableLegend says on a terminal what the signs mean that are in a narrow table.
func tableLegend(a *app, w io.Writer, parts []string) error {
	if !a.tty || a.cols < 72 || len(parts) == 0 {
		return nil
	}
	_, err := fmt.Fprintln(w, a.palette.Dim(term.Cut(strings.Join(parts, "   "), a.cols)))
	return err
}

// tableLine prints the row of a session, the titles for nil.
func tableLine(a *app, w io.Writer, columns []column, info *catalog.Info) error {
	var b strings.Builder
	for i, c := range columns {
		text := c.title
		if info != nil {
			text = term.Line(c.cell(*info))
		}
		switch {
		case c.right:
			text = term.PadLeft(term.Cut(text, c.cells), c.cells)
		case i == len(columns)-1:
			text = term.Cut(text, c.cells)
		default:
			text = term.Fit(text, c.cells)
		}
		switch {
		case info == nil:
			text = a.palette.Dim(text)
		case c.style != nil:
			text = c.style(a.palette, text, *info)
		}
		if i > 0 {
			b.WriteString(columnGap(a))
		}
		b.WriteString(text)
	}
	_, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	return err
}

func dim(p term.Palette, s string, _ catalog.Info) string { return p.Dim(s) }

// tableColumns chooses what there is room for; the name takes the rest. From 72 cells
// on all of it is there, in short.
func tableColumns(a *app, all iter.Seq[catalog.Info]) []column {
	ids, wide := idCells(all), a.cols >= 100
	age := column{title: "CHANGED", cells: 10, style: dim, cell: func(i catalog.Info) string { return ago(i.Modified, a.Now()) }}
	if !wide {
		age = column{title: "AGE", cells: 3, right: true, style: dim, cell: func(i catalog.Info) string { return theme.Age(i.Modified, a.Now()) }}
	}
	columns := []column{
		age,
		{title: "ID", cells: ids, cell: func(i catalog.Info) string { return clip(i.ID, ids) }},
	}
	count := column{title: "MSGS", cells: 4, right: true, cell: func(i catalog.Info) string { return theme.Number(float64(i.Messages)) }}
	if a.cols < 72 {
		return nameColumns(a, append(columns, count))
	}
	columns = append(columns,
		column{title: "AGENT", cells: 7, style: dim, cell: func(i catalog.Info) string { return string(i.Agent) }},
		count,
		column{title: "SIZE", cells: 4, right: true, style: dim, cell: func(i catalog.Info) string { return theme.Size(i.Size) }},
		column{title: "COST", cells: 6, right: true, style: dim, cell: func(i catalog.Info) string { return theme.Cost(i.Usage.Cost) }})
	if wide {
		columns = append(columns, column{title: "STATUS", cells: 11, cell: rowStatus, style: statusStyle})
	} else {
		columns = append(columns, column{title: " ", cells: 1, cell: statusSign, style: statusStyle})
	}
	cells := max(8, min(32, a.cols/5-4))
	columns = append(columns, column{title: "PROJECT", cells: cells, style: dim, cell: func(i catalog.Info) string {
		return projectCell(a, i.CWD, cells)
	}})
	return nameColumns(a, columns)
}

// columnGap is what stands between two columns.
func columnGap(a *app) string {
	if a.cols < 100 {
		return " "
	}
	return "  "
}

// nameColumns adds the column of names, which takes the cells that are left.
func nameColumns(a *app, columns []column) []column {
	rest := a.cols
	for _, c := range columns {
		rest -= c.cells + len(columnGap(a))
	}
	return append(columns, column{title: "NAME", cells: max(rest, 10), cell: rowName, style: nameStyle})
}

// projectCell is a directory in few cells: where it does not fit, its end.
func projectCell(a *app, cwd string, cells int) string {
	whole := term.Line(a.tilde(cwd))
	if name := whole[strings.LastIndexByte(whole, '/')+1:]; cells < 16 && name != "" && term.Width(whole) > cells {
		return term.Cut(name, cells)
	}
	return term.CutLeft(whole, cells)
}

// rowStatus is how a conversation stands; a finished one needs no word.
func rowStatus(i catalog.Info) string {
	switch {
	case i.Damaged:
		return "damaged"
	case i.Status == catalog.Complete, i.Status == catalog.UnknownEnd:
		return ""
	}
	return string(i.Status)
}

// statusSign is rowStatus in one cell.
func statusSign(i catalog.Info) string {
	if i.Damaged {
		return "!"
	}
	return theme.StatusSign(string(i.Status))
}

func statusStyle(p term.Palette, s string, i catalog.Info) string {
	if i.Damaged || i.Status == catalog.Failed {
		return p.Red(s)
	}
	return p.Yellow(s)
}

// rowName is what a session is called, else what was asked first.
func rowName(i catalog.Info) string {
	name := i.Title
	if name == "" {
		name = i.FirstMessage
	}
	if i.Damaged && i.Messages == 0 {
		name = "(" + i.Detail + ")"
	}
	name = term.Line(strings.TrimSpace(name))
	if n := len(i.Tips); n > 0 {
		name = fmt.Sprintf("[+%d] %s", n, name) // live branches beside the leaf's
	}
	if i.Forked {
		name = "[fork] " + name
	}
	switch {
	case len(i.Busy) == 0:
		return name
	case i.Busy[0].Leased:
		return "[open on " + term.Line(i.Busy[0].Host) + "] " + name
	case i.Busy[0].Sure:
		return "[open] " + name
	}
	return "[open?] " + name
}

func nameStyle(p term.Palette, s string, i catalog.Info) string {
	switch {
	case i.Damaged:
		return p.Red(s)
	case i.Title != "":
		return p.Bold(s)
	}
	return s
}

// idCells returns how many characters of the ids tell them apart.
func idCells(all iter.Seq[catalog.Info]) int {
	type start struct {
		bytes uint64 // the first ones, of which all are shown
		id    string
	}
	var ids []start
	for info := range all {
		s := start{id: info.ID}
		for i := range min(shortID, len(s.id)) {
			s.bytes |= uint64(s.id[i]) << (56 - 8*i)
		}
		ids = append(ids, s)
	}
	slices.SortFunc(ids, func(a, b start) int { return cmp.Compare(a.bytes, b.bytes) })
	cells := shortID
	for n := 0; n < len(ids); {
		alike := ids[n:]
		for i := range alike {
			if alike[i].bytes != ids[n].bytes {
				alike = alike[:i]
				break
			}
		}
		if n += len(alike); len(alike) < 2 {
			continue
		}
		slices.SortFunc(alike, func(a, b start) int { return strings.Compare(a.id, b.id) })
		for i := 1; i < len(alike); i++ {
			if a, b := alike[i-1].id, alike[i].id; a != b {
				same := 0
				for same < len(a) && a[same] == b[same] {
					same++
				}
				cells = max(cells, same+1)
			}
		}
	}
	return cells
}

// clip returns the first n bytes of an id.
func clip(id string, n int) string { return id[:min(n, len(id))] }

// tilde writes the home directory as "~".
func (t *terminal) tilde(p string) string { return work.Tilde(t.env.Home, p) }

// ago returns how long ago t was, in the published words; after a week the date,
// in the clock's time zone.
func ago(t, now time.Time) string { return catalog.TimeAgo(t, now) }
