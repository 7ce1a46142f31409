package export

import (
	"bufio"
	"io"
	"time"

	"github.com/cambium-dev/cambium/internal/syntax"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
)

// A page is one file of HTML that is being written.
type page struct {
	sink
	o       Options
	report  *Report
	painter *syntax.Painter
	prompts []prompt
	depth   int
	bytes   *counter
}

// A prompt is a row of the contents.
type prompt struct{ id, text, time string }

// mostPrompt is how much of a prompt stands in the contents, in cells.
const mostPrompt = 80

// newPage begins a page.
func newPage(w io.Writer, o Options, report *Report, painter *syntax.Painter) *page {
	n := &counter{w: w}
	report.Pages++
	return &page{sink: sink{bufio.NewWriterSize(n, 64<<10)}, o: o, report: report, painter: painter, bytes: n}
}

// newPainter returns what colours code, for all pages of an export.
func newPainter() *syntax.Painter { return &syntax.Painter{Now: time.Now} }

// A counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// step writes one step, and returns the first error of writing.
func (p *page) step(s transcript.Step) error {
	switch s.Turn {
	case transcript.Enter:
		p.report.Sides++
		p.depth++
		p.mark(`<details class="side"><summary>`)
		p.line(sideOf(s))
		p.mark("</summary>\n")
	case transcript.Leave:
		p.depth--
		p.mark("</details>\n")
	case transcript.Elsewhere:
		p.report.Sides++
		p.in(`<p class="aside">`, "</p>\n", term.Line(sideOf(s)))
	default:
		p.part(s)
	}
	if p.w.Buffered() > 32<<10 {
		return p.w.Flush()
	}
	_, err := p.w.Write(nil)
	return err
}

// sideOf says what a side branch is.
func sideOf(s transcript.Step) string {
	return "another branch, " + term.Plural(s.Entries, "entry") + ": " + s.Part.Text
}

// part writes a part of a branch.
func (p *page) part(s transcript.Step) {
	switch s.Part.Sort {
	case transcript.Rule:
		p.in(`<div class="rule">`, "</div>\n", s.Part.Text)
	case transcript.Aside:
		p.mark(`<p class="aside"`)
		p.at(s)
		p.mark(">")
		p.line(s.Part.Text)
		p.meta(s)
		p.mark("</p>\n")
	default:
		if s.Part.Message.Who == transcript.User && p.depth == 0 && s.ID != "" {
			p.prompts = append(p.prompts, prompt{s.ID, promptOf(s.Part.Message), p.o.when(s.Time)})
		}
		p.said(s)
	}
}

// promptOf is a prompt in short.
func promptOf(m transcript.Message) string {
	for _, b := range m.Blocks {
		if text := term.Line(transcript.OneLine(b.Said())); text != "" {
			return term.Cut(text, mostPrompt)
		}
	}
	return "(nothing said)"
}

// article begins a message.
func (p *page) article(s transcript.Step, class markup) {
	p.mark(`<article class="`, class, `"`)
	p.at(s)
	p.mark(">")
}

// at writes the anchor of a step, if it has one.
func (p *page) at(s transcript.Step) {
	if s.ID != "" {
		p.anchor(` id="`, s.ID)
	}
}

// meta writes the time of a step, its label, and the link to itself.
func (p *page) meta(s transcript.Step) {
	if s.Label != "" {
		p.in(` <mark>`, "</mark>", term.Line(s.Label))
	}
	if s.ID == "" {
		return
	}
	p.mark(` <a class="at"`)
	p.anchor(` href="#`, s.ID)
	p.mark(">")
	if when := p.o.when(s.Time); when != "" {
		p.text(when)
	} else {
		p.mark("#")
	}
	p.mark("</a>")
}
