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
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/search"
	"github.com/cambium-dev/cambium/session"
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
	Before    []said   `json:"before,omitempty"`
	After     []said   `json:"after,omitempty"`
}

// said is an entry around a hit, in short.
type said struct {
	EntryID string `json:"entryId,omitzero"`
	Who     string `json:"who"`
	Text    string `json:"text"`
}

// Surroundings are what was said around hits.
type Surroundings struct {
	// Each is how many entries before and behind a hit are told, 0 for none.
	Each int
	// Open opens the session at a path to read.
	Open func(ctx context.Context, path string) (*session.Session, error)
	last *session.Session
	path string
}

// of returns what was said before and behind a hit: nothing of a session that is no longer
// what was searched.
func (r *Surroundings) of(ctx context.Context, h *search.Hit) (before, after []said, err error) {
	if r.Each == 0 || h.Entry < 0 {
		return nil, nil, nil
	}
	if r.path != h.Info.Path {
		r.close()
		s, err := r.Open(ctx, h.Info.Path)
		if err != nil {
			return nil, nil, err
		}
		r.last, r.path = s, h.Info.Path
	}
	list := r.last.List()
	if h.Entry >= list.Len() {
		return nil, nil, nil
	}
	if id, _ := list.ID(h.Entry); id != h.EntryID {
		return nil, nil, nil
	}
	tell := func(entries []int) (all []said) {
		for _, i := range entries {
			id, _ := list.ID(i)
			who, text, _ := transcript.GistAt(list, i).Row()
			all = append(all, said{id, who, text})
		}
		return all
	}
	b, a := transcript.Around(r.last, h.Entry, r.Each)
	return tell(b), tell(a), nil
}

func (r *Surroundings) close() {
	if r.last != nil {
		_ = r.last.Close() // it was only read
	}
	r.last, r.path = nil, ""
}

// Hits prints what is found, and what was said around it.
func Hits(ctx context.Context, c *console.Console, hits iter.Seq2[search.Hit, error], around Surroundings) (err error) {
	defer around.close()
	if c.JSON {
		err = hitLines(ctx, c, hits, &around)
	} else {
		err = c.Page(ctx, func(w io.Writer) error { return hitRows(ctx, c, w, hits, &around) })
	}
	if err == nil {
		err = c.Out.Flush()
	}
	return err
}

// hitLines prints hits as JSON, those of each session as soon as they are known.
func hitLines(ctx context.Context, c *console.Console, hits iter.Seq2[search.Hit, error], around *Surroundings) error {
	for h, err := range hits {
		if err != nil {
			return err
		}
		ranges := h.Ranges
		if ranges == nil {
			ranges = [][2]int{}
		}
		before, after, err := around.of(ctx, &h)
		if err != nil {
			return err
		}
		err = c.Emit(jsonHit{
			Path: h.Info.Path, SessionID: h.Info.ID, EntryID: h.EntryID, Agent: string(h.Info.Agent), CWD: h.Info.CWD,
			Title: h.Info.Title, Role: h.Role, Tool: h.Tool, Model: h.Model, Timestamp: Time(h.Time),
			Snippet: h.Snippet, Ranges: ranges, OnBranch: h.Branch.String(), Score: h.Score, More: h.More,
			Before: before, After: after,
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
// each hit, between what was said around it.
func hitRows(ctx context.Context, c *console.Console, w io.Writer, hits iter.Seq2[search.Hit, error], around *Surroundings) error {
	last := ""
	for h, err := range hits {
		if err != nil {
			return err
		}
		before, after, err := around.of(ctx, &h)
		if err != nil {
			return err
		}
		text := hitRow(c, &h)
		if around.Each > 0 {
			hit := c.Palette.Dim(">") + strings.TrimPrefix(text, " ") // what stands around it looks alike without colours
			text = strings.Join(slices.Concat(saidRows(c, before), []string{hit}, saidRows(c, after)), "\n")
			if h.Info.Path == last {
				text = c.Palette.Dim("  --") + "\n" + text
			}
		}
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
	return "  " + c.Palette.Dim(hitHead(h.EntryID, who)) + highlight(c, h.Snippet, h.Ranges, max(20, c.Cols-32))
}

func hitHead(id, who string) string {
	return term.Fit(term.Line(id), 8) + "  " + term.Fit(term.Line(who), 19) + " "
}

// saidRows are the lines of entries around a hit.
func saidRows(c *console.Console, all []said) (rows []string) {
	for _, s := range all {
		rows = append(rows, c.Palette.Dim("  "+hitHead(s.EntryID, s.Who)+term.Cut(term.Line(s.Text), max(20, c.Cols-32))))
	}
	return rows
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
