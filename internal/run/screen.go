// Package run shows a run of the built-in agent on a console, asks there what may be run,
// and reads what is to be said.
package run

import (
	"context"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/message"
)

// A Screen shows what happens in a run: with --json each event on a line; on a
// terminal the answer as it comes, and on a terminal's standard error what the
// tools do; else nothing before the last answer.
type Screen struct {
	c    *console.Console
	dim  func(string) string
	said string // what of the answer is shown already
	open bool   // the cursor stands behind the answer
}

// NewScreen returns a screen on a console.
func NewScreen(c *console.Console) *Screen {
	palette := term.NewPalette(term.Color(c.Getenv, c.ErrTTY, c.NoColor))
	return &Screen{c: c, dim: palette.Dim}
}

// Tell shows an event.
func (s *Screen) Tell(e coder.Event) {
	if s.c.JSON {
		_, _ = s.c.Out.Write(append(e.JSON(), '\n')) // kept by the writer, returned by its Flush
		_ = s.c.Out.Flush()
		return
	}
	switch e := e.(type) {
	case coder.MessageUpdate:
		if s.c.TTY && e.Kind == "text_delta" {
			s.stream(e.Delta)
		}
	case coder.MessageEnd:
		s.newline()
	case coder.ToolStart:
		s.line("→ " + s.c.Shown(e.Tool) + "  " + s.inOneLine(e.Arguments))
	case coder.ToolEnd:
		if e.IsError {
			s.line("  " + inOneLineOf(e.Content))
		}
	case coder.Retrying:
		s.said = ""
		s.newline()
		s.line(fmt.Sprintf("%s; try %d of %d in %s", e.Err, e.Try+1, e.Tries, e.After.Round(100e6)))
	case coder.CompactionStart:
		s.line("the conversation is summed up, for it has grown too long")
	case coder.CompactionProgress:
		s.line(fmt.Sprintf("compacting %d/%d", e.Part, e.Parts))
	case coder.CompactionEnd:
		if e.Err != "" {
			s.newline()
			s.c.Note("", "sum up the conversation: "+e.Err)
		}
	case coder.Cleaned:
		s.newline()
		s.c.Note("", e.String())
	case coder.UnseenTold:
		for _, text := range e.LeftOut() {
			s.c.Note("", text)
		}
		s.line(e.String())
	case coder.Notice:
		s.newline()
		s.c.Note("", e.Text)
	}
}

// stream shows a piece of the answer.
func (s *Screen) stream(text string) {
	if text == "" {
		return
	}
	s.said += text
	_, _ = s.c.Out.WriteString(term.Safe(text)) // kept by the writer, returned by its Flush
	_ = s.c.Out.Flush()
	s.open = !strings.HasSuffix(text, "\n")
}

// newline puts the cursor at the beginning of a line.
func (s *Screen) newline() {
	if s.open {
		_, _ = s.c.Out.WriteString("\n")
		_ = s.c.Out.Flush()
	}
	s.open = false
}

// line shows what is going on, to a person who looks.
func (s *Screen) line(text string) {
	if !s.c.ErrTTY || text == "" {
		return
	}
	s.newline()
	cols, _ := term.Size(s.c.Stderr, s.c.Getenv)
	fmt.Fprintln(s.c.Stderr, s.dim(term.Cut(term.Line(text), max(cols-1, 20))))
}

// End shows the last answer, if that was not shown as it came.
func (s *Screen) End(out coder.Outcome) {
	s.newline()
	if s.c.JSON || s.c.TTY || out.Text == "" {
		return
	}
	_, _ = s.c.Out.WriteString(wholeLines(out.Text))
}

// Output shows what a command of the person's own put out.
func (s *Screen) Output(text string) error {
	if s.c.TTY {
		text = term.Safe(text)
	}
	_, err := s.c.Out.WriteString(wholeLines(text))
	return err
}

// wholeLines is a text that ends a line, unless it is empty.
func wholeLines(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// Approve asks the person whether a call may be run, with all that it is given,
// however long that is: a terminal keeps what has scrolled.
func (s *Screen) Approve(ctx context.Context, ask coder.Ask) (coder.Answer, error) {
	s.newline()
	screen := s.c.Screen()
	if screen.Cols < consent.LeastCols {
		return coder.No, fmt.Errorf("the terminal has %d columns, and a question needs %d; make it wider", screen.Cols, consent.LeastCols)
	}
	rows, err := ask.Show(screen)
	if err != nil {
		return coder.No, err
	}
	for _, r := range rows {
		fmt.Fprintln(s.c.Stderr, r.Text)
	}
	question := "Run it?"
	if _, high := term.Size(s.c.Stderr, s.c.Getenv); len(rows) > high-3 {
		question = fmt.Sprintf("Run it, all of the %s above?", term.Plural(len(rows), "row"))
	}
	text, err := s.c.Ask(ctx, question, "y/N, a for always")
	if err != nil {
		return coder.No, err
	}
	switch strings.ToLower(text) {
	case "y", "yes":
		return coder.Yes, nil
	case "a", "always":
		return coder.Always, nil
	}
	return coder.No, nil
}

// inOneLine is what a call is given, in short.
func (s *Screen) inOneLine(args entry.JSON) string {
	var all []string
	for key, value := range jsonedit.Members(args) {
		text, ok := jsonedit.String(value)
		if !ok {
			text = string(value)
		}
		switch key {
		case "command", "path", "pattern":
			all = append(all, s.inShort(text, 200))
		default:
			all = append(all, s.inShort(key, 60)+"="+s.inShort(text, 60))
		}
	}
	return strings.Join(all, " ")
}

// inShort is the first line of a text with every character seen, cut at so many
// UTF-16 units.
func (s *Screen) inShort(text string, most int) string {
	line, _, more := strings.Cut(text, "\n")
	if cut := jsonedit.CutText(line, most); cut != line {
		line, more = cut, true
	}
	line = s.c.Shown(line)
	if more {
		line += "…"
	}
	return line
}

// inOneLineOf is the first line of a result.
func inOneLineOf(content []message.Block) string {
	for _, b := range content {
		if t, ok := b.(*message.TextBlock); ok {
			return transcript.FirstLines(t.Text, 1, 200)
		}
	}
	return ""
}
