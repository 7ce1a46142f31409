package print

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
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

// Table prints sessions as a table that fits the terminal: the narrower it is,
// the fewer columns; names are those that are wanted instead. What is shown is all,
// with more about each; it is asked for once.
func Table(ctx context.Context, c *console.Console, all, shown iter.Seq[catalog.Info], names ...string) error {
	line := tableLine
	var columns []column
	if len(names) == 0 {
		columns = tableColumns(c, all)
	} else if columns = namedColumns(c, idCells(all), names); whole(c) {
		line = tabbedLine
	}
	return c.Page(ctx, func(w io.Writer) error {
		if err := line(c, w, columns, nil); err != nil {
			return err
		}
		var signs []string
		for info := range shown {
			if err := line(c, w, columns, &info); err != nil {
				return err
			}
			signs = tableSigns(c, signs, info)
		}
		if len(names) > 0 {
			return nil
		}
		return tableLegend(c, w, signs)
	})
}

// tabbedLine prints the row of a session for a program: whole, a tab between two cells.
func tabbedLine(_ *console.Console, w io.Writer, columns []column, info *catalog.Info) error {
	var cells []string
	for _, col := range columns {
		text := col.title
		if info != nil {
			text = term.Line(col.cell(*info))
		}
		cells = append(cells, text)
	}
	_, err := fmt.Fprintln(w, strings.Join(cells, "\t"))
	return err
}

// tableSigns adds to parts what the signs mean that are in the row of a session.
func tableSigns(c *console.Console, parts []string, info catalog.Info) []string {
	say := func(text string) {
		if !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if sign := statusSign(info); sign != "" && width(c) < 100 {
		say(sign + " " + rowStatus(info))
	}
	if len(info.Tips) > 0 {
		say("[+1] another branch is live")
	}
	return parts
}

// tableLegend says on a terminal what the signs mean that are in a narrow table.
func tableLegend(c *console.Console, w io.Writer, parts []string) error {
	if !c.TTY || c.Cols < 72 || len(parts) == 0 {
		return nil
	}
	_, err := fmt.Fprintln(w, c.Palette.Dim(term.Cut(strings.Join(parts, "   "), c.Cols)))
	return err
}

// tableLine prints the row of a session, the titles for nil.
func tableLine(c *console.Console, w io.Writer, columns []column, info *catalog.Info) error {
	var b strings.Builder
	for i, col := range columns {
		text := col.title
		if info != nil {
			text = term.Line(col.cell(*info))
		}
		switch {
		case col.right:
			text = term.PadLeft(cut(c, text, col.cells), col.cells)
		case i == len(columns)-1:
			text = cut(c, text, col.cells)
		default:
			text = fit(c, text, col.cells)
		}
		switch {
		case info == nil:
			text = c.Palette.Dim(text)
		case col.style != nil:
			text = col.style(c.Palette, text, *info)
		}
		if i > 0 {
			b.WriteString(columnGap(c))
		}
		b.WriteString(text)
	}
	_, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	return err
}

func dim(p term.Palette, s string, _ catalog.Info) string { return p.Dim(s) }

// tableColumns chooses what there is room for; the name takes the rest. From 72 cells
// on all of it is there, in short.
func tableColumns(c *console.Console, all iter.Seq[catalog.Info]) []column {
	ids, wide := idCells(all), width(c) >= 100
	age := column{title: "CHANGED", cells: 10, style: dim, cell: func(i catalog.Info) string { return ago(i.Modified, c.Now()) }}
	if !wide {
		age = column{title: "AGE", cells: 3, right: true, style: dim, cell: func(i catalog.Info) string { return theme.Age(i.Modified, c.Now()) }}
	}
	columns := []column{
		age,
		{title: "ID", cells: ids, cell: func(i catalog.Info) string { return clip(i.ID, ids) }},
	}
	count := column{title: "MSGS", cells: 4, right: true, cell: func(i catalog.Info) string { return theme.Number(float64(i.Messages)) }}
	if width(c) < 72 {
		return nameColumns(c, append(columns, count))
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
	cells := max(8, min(32, width(c)/5-4))
	columns = append(columns, column{title: "PROJECT", cells: cells, style: dim, cell: func(i catalog.Info) string {
		if whole(c) {
			return projectCell(c, i.CWD, anyCols)
		}
		return projectCell(c, i.CWD, cells)
	}})
	return nameColumns(c, columns)
}

// columnGap is what stands between two columns.
func columnGap(c *console.Console) string {
	if width(c) < 100 {
		return " "
	}
	return "  "
}

// nameColumns adds the column of names, which takes the cells that are left.
func nameColumns(c *console.Console, columns []column) []column {
	rest := width(c)
	for _, col := range columns {
		rest -= col.cells + len(columnGap(c))
	}
	return append(columns, column{title: "NAME", cells: max(rest, 10), cell: rowName, style: nameStyle})
}
