package readview

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tui/markdown"
)

// Markdown returns all that a passage says as Markdown, made safe: what was said as it
// was written, calls and outputs in fences.
func (p *Passage) Markdown() string {
	var all []string
	add := func(text string) {
		if text = strings.Trim(term.Safe(text), "\n"); strings.TrimSpace(text) != "" {
			all = append(all, text)
		}
	}
	for _, part := range p.Parts {
		if part.Text != "" {
			add(part.Text)
		}
	}
	for _, b := range p.All() {
		switch b.Kind {
		case transcript.Text:
			add(b.Text)
		case transcript.Thinking:
			add("> " + strings.ReplaceAll(strings.TrimSpace(b.Text), "\n", "\n> "))
		case transcript.Call:
			add("`" + strings.ReplaceAll(term.Line(b.Name), "`", "'") + "`")
			language, code := codeOf(b)
			add(fenced(language, code))
		case transcript.Result, transcript.Output, transcript.Stored, transcript.Piece, transcript.Instruction:
			add(fenced("", b.Text))
		case transcript.Command:
			add(fenced("", b.Said()))
		default:
			add(b.Said())
		}
	}
	return strings.Join(all, "\n\n") + "\n"
}

// codeOf is what a call is about, and its language.
func codeOf(b transcript.Block) (language, code string) {
	if diff := transcript.ChangeIn(b.Arguments); diff != "" {
		return "diff", diff
	}
	return "", b.Matter()
}

// fenced puts text into a fence that is longer than any in it.
func fenced(language, text string) string {
	text = strings.TrimRight(term.Safe(text), "\n")
	if text == "" {
		return ""
	}
	longest, run := 2, 0
	for i := range len(text) {
		if run++; text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + text + "\n" + fence
}

// Code returns the code at a line of a thing, made safe: of a call what it is about, of
// an output all of it, of a text the block of code that has the line, or the only one.
// It returns "" where there is none.
func (p *Passage) Code(thing int, line string) string {
	for i, b := range p.All() {
		if i != thing {
			continue
		}
		switch b.Kind {
		case transcript.Text:
			return codeIn(b.Text, line)
		case transcript.Call:
			_, code := codeOf(b)
			return term.Safe(code)
		}
		return term.Safe(b.Text)
	}
	return ""
}

// codeIn is the block of code in a text that has a line, or the only one.
func codeIn(text, line string) string {
	all := markdown.Codes(text)
	if line = strings.TrimSpace(term.Line(line)); line != "" {
		for _, code := range all {
			if strings.Contains(code, line) {
				return code
			}
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return ""
}
