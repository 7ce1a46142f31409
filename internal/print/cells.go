package print

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/work"
)

// anyCols is a width that nothing reaches.
const anyCols = 1 << 20

// whole reports whether what is printed in columns is not cut: it goes to a program or a
// file, and nobody said how wide that is.
func whole(c *console.Console) bool { return !c.TTY && c.Getenv("COLUMNS") == "" }

// width is how wide a line may be.
func width(c *console.Console) int {
	if whole(c) {
		return anyCols
	}
	return c.Cols
}

// fit makes a text as wide as a column, or at least so wide where nothing is cut.
func fit(c *console.Console, text string, cells int) string {
	if whole(c) {
		return term.Pad(text, cells)
	}
	return term.Fit(text, cells)
}

// cut cuts a text to a width where anything is cut.
func cut(c *console.Console, text string, cells int) string {
	if whole(c) {
		return text
	}
	return term.Cut(text, cells)
}

// projectCell is a directory in few cells: where it does not fit, its end.
func projectCell(c *console.Console, cwd string, cells int) string {
	whole := term.Line(tilde(c, cwd))
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
	const most = 200 // cells of what stands for a name
	name := i.Title
	if name == "" {
		name = term.Cut(term.Line(strings.TrimSpace(i.FirstMessage)), most)
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
func tilde(c *console.Console, p string) string { return work.Tilde(c.Home, p) }

// ago returns how long ago t was, in the published words; after a week the date,
// in the clock's time zone.
func ago(t, now time.Time) string { return catalog.TimeAgo(t, now) }

// when is ago for a time that may be unknown.
func when(t, now time.Time) string {
	if t.IsZero() {
		return "?"
	}
	return ago(t, now)
}
