package cli

import (
	"context"
	"iter"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
)

// parts writes what a reader yields.
func (v *view) parts(all iter.Seq2[transcript.Part, error]) error {
	for p, err := range all {
		if err != nil {
			return err
		}
		if v.part(p); v.err != nil {
			return v.err
		}
	}
	return nil
}

// part writes one part.
func (v *view) part(p transcript.Part) {
	switch p.Sort {
	case transcript.Aside:
		v.aside(p.Text, p.Entry)
	case transcript.Rule:
		v.rule(p.Text, v.palette.Magenta)
	default:
		v.said(p.Message, p.Entry, p.Note)
	}
}

// said writes one message: of entry i, or of none when i is -1.
func (v *view) said(m transcript.Message, i int, note string) {
	if m.Who == transcript.Assistant && m.Name != v.model {
		v.model = m.Name
		note = transcript.Join(note, m.Name)
	}
	v.head(term.Line(m.Title()), v.speaker(m), transcript.Join(note, m.Note()), i, m.Tokens)
	for _, b := range m.Blocks {
		v.block(b)
	}
}

// speaker is how the name of who speaks looks.
func (v *view) speaker(m transcript.Message) func(string) string {
	p := v.palette
	switch m.Who {
	case transcript.User:
		return both(p.Bold, p.Cyan)
	case transcript.Assistant:
		return both(p.Bold, p.Green)
	case transcript.Tool:
		if m.Failed {
			return p.Red
		}
		return p.Yellow
	case transcript.Shell, transcript.Python, transcript.Files:
		return p.Blue
	case transcript.Damaged:
		return p.Red
	}
	return p.Magenta
}

// look is how a block looks and, where it is collapsed, of how many lines something
// is shown.
func (v *view) look(kind transcript.Kind) (style func(string) string, fold int) {
	p := v.palette
	switch kind {
	case transcript.Text, transcript.Mention:
		return nil, 0
	case transcript.Thinking:
		return both(p.Dim, p.Italic), 2
	case transcript.Instruction:
		return p.Dim, 3
	case transcript.Result, transcript.Output, transcript.Stored:
		return p.Dim, 5
	case transcript.Piece:
		return p.Dim, 1
	case transcript.Call:
		return p.Yellow, 0
	case transcript.Command:
		return p.Bold, 0
	case transcript.Failure, transcript.Stop:
		return p.Red, 0
	}
	return p.Dim, 0
}

// block writes a block of a message.
func (v *view) block(b transcript.Block) {
	style, fold := v.look(b.Kind)
	switch {
	case b.Kind == transcript.Call && !v.full:
		v.call(b)
		return
	case b.Kind == transcript.Output && strings.TrimSpace(b.Text) == "":
		return
	case b.Kind == transcript.Picture:
		v.picture(b)
		return
	case fold > 0:
		v.folded(b.Said(), fold, style)
	default:
		v.text(b.Said(), style)
	}
	if v.full {
		for text := range b.Rest() {
			v.text(text, v.palette.Dim)
		}
	}
}

// call writes the call of a tool on one line.
func (v *view) call(b transcript.Block) {
	var args []string
	for key, text := range b.Args() {
		args = append(args, key+"="+strconv.Quote(transcript.FirstLines(text, 1, 4*v.cols)))
	}
	room := v.cols - len(indent)
	left := term.Cut(b.Said(), room)
	rest := ""
	if free := room - term.Width(left) - 2; len(args) > 0 && free > 8 {
		rest = "  " + term.Cut(term.Line(strings.Join(args, " ")), free)
	}
	v.println(indent + v.palette.Yellow(left) + v.palette.Dim(rest))
}

// picture writes what an image is and, in full, where it is.
func (v *view) picture(b transcript.Block) {
	text, data := transcript.PictureOf(b.Image)
	if v.full && v.blobs != nil && data != nil {
		file := filepath.Join(v.blobs.Path(), blob.RefOf(data).Hash())
		if v.a.lib.Env.Exists(file) {
			text += " " + file
		}
	}
	v.text(text, v.palette.Dim)
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

// both applies two styles.
func both(a, b func(string) string) func(string) string {
	return func(s string) string { return a(b(s)) }
}
