package export

import (
	"fmt"
	"iter"
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
)

// How much of an output is shown before and behind what is folded.
const (
	mostLines = 24
	headLines = 10
	tailLines = 6
)

// said writes a message.
func (p *page) said(s transcript.Step) {
	m := s.Part.Message
	p.report.Messages++
	p.article(s, classOf(m.Who))
	p.mark("<header>")
	p.in("<b>", "</b>", titleOf(m))
	note := transcript.Join(s.Part.Note, m.Note())
	if m.Who == transcript.Assistant {
		note = transcript.Join(m.Name, note)
	}
	if note != "" {
		p.mark(" ")
		p.in("<i>", "</i>", term.Line(note))
	}
	p.meta(s)
	p.mark("</header>\n")
	for _, b := range m.Blocks {
		p.block(m, b)
	}
	if m.Diff != "" && m.Who == transcript.Tool {
		p.diff(m.Diff)
	}
	p.mark("</article>\n")
}

// titleOf says who speaks.
func titleOf(m transcript.Message) string {
	switch m.Who {
	case transcript.User:
		return "You"
	case transcript.Assistant:
		return "Agent"
	}
	return term.Line(m.Title())
}

// classOf is how a message looks.
func classOf(who transcript.Speaker) markup {
	switch who {
	case transcript.User:
		return "user"
	case transcript.Assistant:
		return "agent"
	case transcript.Tool, transcript.Shell, transcript.Python:
		return "tool"
	case transcript.Damaged:
		return "damaged"
	}
	return "other"
}

// block writes a part of a message.
func (p *page) block(m transcript.Message, b transcript.Block) {
	switch b.Kind {
	case transcript.Text, transcript.Instruction:
		if m.Who == transcript.User || b.Kind == transcript.Instruction {
			p.in(`<div class="typed">`, "</div>\n", b.Text)
			return
		}
		p.markdown(b.Text)
	case transcript.Thinking:
		p.mark(`<details class="thinking"><summary>Thinking</summary>`)
		p.markdown(b.Text)
		p.mark("</details>\n")
	case transcript.Call:
		p.call(b)
	case transcript.Result, transcript.Output:
		p.output(b.Text)
	case transcript.Command:
		p.in(`<pre class="command"><code>`, "</code></pre>\n", b.Said())
	case transcript.Picture:
		p.picture(b.Image)
	case transcript.Mention:
		p.mark(`<details class="file"><summary>`)
		p.line(b.Said())
		p.mark("</summary>")
		p.in("<pre>", "</pre>", b.File.Content)
		if b.File.Image != nil {
			p.picture(b.File.Image)
		}
		p.mark("</details>\n")
	case transcript.Failure, transcript.Stop:
		p.in(`<p class="failure">`, "</p>\n", b.Said())
	case transcript.Withheld, transcript.Encrypted, transcript.Fallback:
		p.in(`<p class="aside">`, "</p>\n", b.Said())
	default:
		p.output(b.Text)
	}
}

// call writes the call of a tool: on one line what it is about, below it the rest.
func (p *page) call(b transcript.Block) {
	change := transcript.ChangeIn(b.Arguments)
	p.mark(`<details class="call"`)
	if change != "" && strings.Count(change, "\n") <= mostLines {
		p.mark(" open")
	}
	p.mark("><summary>")
	p.in("<b>", "</b> ", term.Line(b.Name))
	p.in("<code>", "</code>", transcript.OneLine(b.Matter()))
	if change != "" {
		p.in(" <i>", "</i>", transcript.Counted(change))
	}
	p.mark("</summary>\n")
	if change != "" {
		p.diff(change)
	}
	for name, text := range restOf(b, change) {
		p.in(`<div class="argument"><b>`, "</b>", term.Line(name))
		p.in("<pre>", "</pre></div>\n", text)
	}
	p.mark("</details>\n")
}

// restOf yields the arguments of a call that its line and its diff do not say.
func restOf(b transcript.Block, change string) iter.Seq2[string, string] {
	matter := b.Matter()
	return func(yield func(string, string) bool) {
		for name, text := range b.Args() {
			said := change != "" && transcript.OfChange(name) || text == matter && text == transcript.OneLine(text)
			if !said && !yield(name, text) {
				return
			}
		}
	}
}

// output writes what a tool or a command put out: its head and tail, the rest folded.
func (p *page) output(text string) {
	text = strings.TrimRight(text, "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	lines := strings.Count(text, "\n") + 1
	if lines <= mostLines {
		p.in("<pre>", "</pre>\n", text)
		return
	}
	head := cutLines(text, headLines)
	tail := len(text)
	for range tailLines {
		tail = strings.LastIndexByte(text[:tail], '\n')
	}
	p.in("<pre>", "</pre>\n", text[:head])
	p.mark(`<details class="more"><summary>`)
	p.line(fmt.Sprintf("%d more lines", lines-headLines-tailLines))
	p.mark("</summary>")
	p.in("<pre>", "</pre></details>\n", text[head+1:tail])
	p.in("<pre>", "</pre>\n", text[tail+1:])
}

// cutLines is where the n-th line of a text ends.
func cutLines(text string, n int) int {
	at := -1
	for range n {
		at += 1 + strings.IndexByte(text[at+1:], '\n')
	}
	return at
}

// diff writes what a call changes, line by line.
func (p *page) diff(diff string) {
	p.mark(`<pre class="diff">`)
	for line := range strings.Lines(strings.TrimRight(diff, "\n")) {
		switch {
		case strings.HasPrefix(line, "+"):
			p.in("<ins>", "</ins>", line)
		case strings.HasPrefix(line, "-"):
			p.in("<del>", "</del>", line)
		default:
			p.text(line)
		}
	}
	p.mark("</pre>\n")
}
