package print

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/search"
)

// jsonHit is a hit as --json prints it.
type jsonHit struct {
	Path      string   `json:"path"`
	SessionID string   `json:"sessionId"`
	EntryID   string   `json:"entryId,omitzero"`
	Agent     string   `json:"agent"`
	CWD       string   `json:"cwd"`
	Title     string   `json:"title,omitzero"`
	Role      string   `json:"role"`
	Tool      string   `json:"tool,omitzero"`
	Model     string   `json:"model,omitzero"`
	Timestamp string   `json:"timestamp,omitzero"`
	Snippet   string   `json:"snippet"`
	Ranges    [][2]int `json:"ranges"` // UTF-16 units
	OnBranch  string   `json:"onBranch"`
	Score     float64  `json:"score"`
	More      int      `json:"more,omitzero"`
}

// Hits prints what is found.
func Hits(ctx context.Context, c *console.Console, hits iter.Seq2[search.Hit, error]) (err error) {
	if c.JSON {
		err = hitLines(c, hits)
	} else {
		err = c.Page(ctx, func(w io.Writer) error { return hitRows(c, w, hits) })
	}
	if err == nil {
		err = c.Out.Flush()
	}
	return err
}

// hitLines prints hits as JSON, those of each session as soon as they are known.
func hitLines(c *console.Console, hits iter.Seq2[search.Hit, error]) error {
	for h, err := range hits {
		if err != nil {
			return err
		}
		ranges := h.Ranges
		if ranges == nil {
			ranges = [][2]int{}
		}
		err = c.Emit(jsonHit{
			Path: h.Info.Path, SessionID: h.Info.ID, EntryID: h.EntryID, Agent: string(h.Info.Agent), CWD: h.Info.CWD,
			Title: h.Info.Title, Role: h.Role, Tool: h.Tool, Model: h.Model, Timestamp: Time(h.Time),
			Snippet: h.Snippet, Ranges: ranges, OnBranch: h.Branch.String(), Score: h.Score, More: h.More,
		})
		if err == nil {
			err = c.Out.Flush()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hitRows prints hits for people: a line for each session, and one below it for
// each hit.
func hitRows(c *console.Console, w io.Writer, hits iter.Seq2[search.Hit, error]) error {
	last := ""
	for h, err := range hits {
		if err != nil {
			return err
		}
		text := hitRow(c, &h)
		if h.Info.Path != last {
			text = hitSession(c, &h.Info) + "\n" + text
			if last != "" {
				text = "\n" + text
			}
			last = h.Info.Path
		}
		if h.More > 0 {
			text += "\n" + c.Palette.Dim(fmt.Sprintf("  and %d more", h.More))
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}

// hitSession is the line of a session: name, agent, project, age and id.
func hitSession(c *console.Console, info *catalog.Info) string {
	facts := []string{
		string(info.Agent), projectCell(c, info.CWD, max(12, width(c)/4)), ago(info.Modified, c.Now()), clip(info.ID, 13),
	}
	rest := term.Line(strings.Join(facts, "  "))
	name := term.Cut(term.Line(rowName(*info)), max(16, width(c)-term.Width(rest)-2))
	return c.Palette.Bold(name) + "  " + c.Palette.Dim(rest)
}

// hitRow is the line of a hit: its entry, who said it and on which branch, and
// the snippet.
func hitRow(c *console.Console, h *search.Hit) string {
	who := h.Role
	if h.Tool != "" {
		who = h.Tool
	}
	if h.Branch != search.Active {
		who += " " + h.Branch.String()
	}
	head := term.Fit(term.Line(h.EntryID), 8) + "  " + term.Fit(term.Line(who), 19) + " "
	return "  " + c.Palette.Dim(head) + highlight(c, h.Snippet, h.Ranges, max(20, c.Cols-32))
}

// highlight makes a snippet safe, cuts it to so many cells and marks ranges of
// it.
func highlight(c *console.Console, snippet string, ranges [][2]int, cells int) string {
	var b strings.Builder
	put := func(piece string, marked bool) {
		text := term.Cut(term.Line(piece), cells)
		cells -= term.Width(text)
		if marked {
			text = c.Palette.Bold(c.Palette.Yellow(text))
		}
		b.WriteString(text)
	}
	units, start, in := 0, 0, false
	for at, r := range snippet {
		edge := len(ranges) > 0 && (units == ranges[0][0] && !in || units == ranges[0][1] && in)
		if edge {
			put(snippet[start:at], in)
			start = at
			if in {
				ranges = ranges[1:]
			}
			in = len(ranges) > 0 && units == ranges[0][0]
		}
		if cells <= 0 {
			return b.String()
		}
		if units++; r > 0xFFFF {
			units++
		}
	}
	put(snippet[start:], in)
	return b.String()
}
