package print

import (
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
	case b.Kind == transcript.Call && !v.o.Full:
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
	if v.o.Full {
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
	if v.o.Full && v.blobs != nil && data != nil {
		file := filepath.Join(v.blobs.Path(), blob.RefOf(data).Hash())
		if v.o.Exists(file) {
			text += " " + file
		}
	}
	v.text(text, v.palette.Dim)
}

// both applies two styles.
func both(a, b func(string) string) func(string) string {
	return func(s string) string { return a(b(s)) }
}
