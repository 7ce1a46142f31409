package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/term"
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

// table prints sessions as a table that fits the terminal: the narrower it is,
// the fewer columns.
func (a *app) table(ctx context.Context, all []catalog.Info) error {
	columns := a.columns(all)
	return a.page(ctx, func(w io.Writer) error {
		if err := a.tableLine(w, columns, nil); err != nil {
			return err
		}
		for i := range all {
			if err := a.tableLine(w, columns, &all[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// tableLine prints the row of a session, the titles for nil.
func (a *app) tableLine(w io.Writer, columns []column, info *catalog.Info) error {
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
			b.WriteString("  ")
		}
		b.WriteString(text)
	}
	_, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	return err
}

func dim(p term.Palette, s string, _ catalog.Info) string { return p.Dim(s) }

// columns chooses what there is room for; the name takes the rest.
func (a *app) columns(all []catalog.Info) []column {
	ids := idCells(all)
	columns := []column{
		{title: "CHANGED", cells: 10, style: dim, cell: func(i catalog.Info) string { return ago(i.Modified, a.Now()) }},
		{title: "ID", cells: ids, cell: func(i catalog.Info) string { return clip(i.ID, ids) }},
	}
	if a.cols >= 72 {
		columns = append(columns, column{title: "AGENT", cells: 7, style: dim, cell: func(i catalog.Info) string { return string(i.Agent) }})
	}
	columns = append(columns, column{title: "MSGS", cells: 5, right: true, cell: func(i catalog.Info) string { return strconv.Itoa(i.Messages) }})
	if a.cols >= 100 {
		columns = append(columns,
			column{title: "SIZE", cells: 7, right: true, style: dim, cell: func(i catalog.Info) string { return term.Bytes(i.Size) }},
			column{title: "STATUS", cells: 11, cell: rowStatus, style: statusStyle})
	}
	if a.cols >= 72 {
		cells := min(32, a.cols/5)
		columns = append(columns, column{title: "PROJECT", cells: cells, style: dim, cell: func(i catalog.Info) string {
			return term.CutLeft(term.Line(a.tilde(i.CWD)), cells)
		}})
	}
	rest := a.cols
	for _, c := range columns {
		rest -= c.cells + 2
	}
	return append(columns, column{title: "NAME", cells: max(rest, 10), cell: rowName, style: nameStyle})
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
	switch {
	case len(i.Busy) == 0:
		return name
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
func idCells(all []catalog.Info) int {
	longest := shortID
	for _, info := range all {
		longest = max(longest, len(info.ID))
	}
	for cells := shortID; cells < longest; cells++ {
		whole, clash := map[string]string{}, false
		for _, info := range all {
			short := clip(info.ID, cells)
			if id, ok := whole[short]; ok && id != info.ID {
				clash = true
				break
			}
			whole[short] = info.ID
		}
		if !clash {
			return cells
		}
	}
	return longest
}

// clip returns the first n bytes of an id.
func clip(id string, n int) string { return id[:min(n, len(id))] }

// tilde writes the home directory as "~".
func (a *app) tilde(p string) string {
	if rest, ok := strings.CutPrefix(p, a.env.Home); ok && a.env.Home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return p
}

// ago returns how long ago t was, in the published words; after a week the date,
// in the clock's time zone.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	switch d := now.Sub(t); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	case d < 7*24*time.Hour:
		return fmt.Sprintf("%dd ago", int(d.Hours()/24))
	}
	return t.In(now.Location()).Format("2006-01-02")
}
