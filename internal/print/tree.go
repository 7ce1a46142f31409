package print

import (
	"context"
	"io"
	"strings"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/session"
)

// Tree draws the tree of a session. As JSON it is what the published getTree returns, or
// a flat list of its nodes.
func Tree(ctx context.Context, c *console.Console, s *session.Session, flat bool, o ShowOptions) error {
	if !c.JSON {
		return c.Page(ctx, func(w io.Writer) error { return treeText(ctx, c, w, s, o) })
	}
	if err := tree.Of(s.Tree()).WriteForm(c.Out, tree.Strict, tree.Form{Flat: flat}); err != nil {
		return err
	}
	return c.Out.WriteByte('\n')
}

// treeText draws the tree.
func treeText(ctx context.Context, c *console.Console, w io.Writer, s *session.Session, o ShowOptions) error {
	v, err := newView(c, w, s, o)
	if err != nil {
		return err
	}
	links := tree.Healed
	if o.Strict {
		links = tree.Strict
	}
	v.title()
	v.println("")
	d := transcript.Draw(s, transcript.DrawOptions{Links: links, Full: o.Full, Labels: v.labels})
	if err := v.drawing(ctx, d); err != nil {
		return err
	}
	v.println("")
	v.wrapDim(d.Counts())
	return v.err
}

// drawing writes the tree of the session.
func (v *view) drawing(ctx context.Context, d *transcript.Drawing) error {
	for row, err := range d.Rows(ctx) {
		if err != nil {
			return err
		}
		if v.println(v.palette.Dim(row.Prefix) + v.row(row)); v.err != nil {
			return v.err
		}
	}
	return nil
}

// row is one line of a tree, behind its prefix.
func (v *view) row(r transcript.Row) string {
	p, prefix := v.palette, len([]rune(r.Prefix))
	if r.Entry < 0 {
		return p.Dim(term.Cut("⋮ "+r.Run, v.cols-prefix))
	}
	mark, style := "○ ", func(s string) string { return s }
	if r.Active {
		mark, style = "● ", p.Bold
	}
	side := ""
	if id, ok := v.list.ID(r.Entry); ok {
		side = term.Cut(term.Line(id), 12)
	}
	tail := ""
	if label := v.label(r.Entry); label != "" {
		tail += " [" + label + "]"
	}
	if r.Leaf {
		tail += " ← leaf"
	}
	room := max(v.cols-prefix-2-term.Width(side)-2, 6)
	tail = term.Cut(tail, max(room-6, 0))
	text := term.Cut(term.Line(transcript.GistAt(v.list, r.Entry).String()), room-term.Width(tail))
	gap := strings.Repeat(" ", max(room-term.Width(text)-term.Width(tail), 0)+2)
	if prefix+2+6 > v.cols {
		return mark + text
	}
	return p.Green(mark) + style(text) + p.Yellow(tail) + gap + p.Dim(side)
}
