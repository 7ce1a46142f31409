package export

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
)

// Markdown writes a session as Markdown, as GitHub shows it. What people and models wrote
// stays as it is but for HTML, pictures from elsewhere and fences that are not closed.
func Markdown(ctx context.Context, w io.Writer, s Session, o Options) (Report, error) {
	var report Report
	s, steps := o.About(s), o.steps(ctx, s)
	t := &text{w: bufio.NewWriterSize(w, 64<<10), o: o, report: &report}
	t.put("# " + plain(s.Title) + "\n\n")
	for _, fact := range o.facts(s) {
		t.put("- " + plain(fact) + "\n")
	}
	for step, err := range steps {
		if err != nil {
			return report, err
		}
		t.step(step)
		if t.w.Buffered() > 32<<10 {
			if err := t.w.Flush(); err != nil {
				return report, err
			}
		}
	}
	return report, t.w.Flush()
}

// A text is Markdown that is being written.
type text struct {
	w      *bufio.Writer
	o      Options
	report *Report
}

// put writes Markdown.
func (t *text) put(s string) { _, _ = t.w.WriteString(s) } // a bufio.Writer keeps its error

// step writes one step.
func (t *text) step(s transcript.Step) {
	switch s.Turn {
	case transcript.Enter:
		t.report.Sides++
		t.put("\n<details><summary>" + inTag(sideOf(s)) + "</summary>\n")
	case transcript.Leave:
		t.put("\n</details>\n")
	case transcript.Elsewhere:
		t.report.Sides++
		t.put("\n*" + plain(sideOf(s)) + "*\n")
	default:
		t.part(s)
	}
}

func (t *text) part(s transcript.Step) {
	switch s.Part.Sort {
	case transcript.Rule:
		t.put("\n---\n\n*" + plain(s.Part.Text) + "*\n")
	case transcript.Aside:
		t.put("\n*" + plain(s.Part.Text) + "*\n")
	default:
		t.said(s)
	}
}

// said writes a message.
func (t *text) said(s transcript.Step) {
	m := s.Part.Message
	t.report.Messages++
	note := transcript.Join(s.Part.Note, m.Note(), s.Label)
	if m.Who == transcript.Assistant {
		note = transcript.Join(m.Name, note)
	}
	if m.Who == transcript.Tool {
		t.result(m, note)
		return
	}
	t.put("\n## " + titleOf(m))
	if rest := transcript.Join(note, t.o.when(s.Time)); rest != "" {
		t.put(" · " + plain(rest))
	}
	t.put("\n")
	for _, b := range m.Blocks {
		t.block(b)
	}
}

// result writes what a tool answered, folded.
func (t *text) result(m transcript.Message, note string) {
	lines := 0
	for _, b := range m.Blocks {
		lines += strings.Count(strings.TrimRight(b.Text, "\n"), "\n") + 1
	}
	t.put("\n<details><summary>" + inTag(transcript.Join(m.Title(), note, term.Plural(lines, "line"))) + "</summary>\n")
	for _, b := range m.Blocks {
		t.block(b)
	}
	if m.Diff != "" {
		t.fence("diff", m.Diff)
	}
	t.put("\n</details>\n")
}

// block writes a part of a message.
func (t *text) block(b transcript.Block) {
	switch b.Kind {
	case transcript.Text, transcript.Instruction:
		t.put("\n" + harmless(b.Text) + "\n")
	case transcript.Thinking:
		t.put("\n<details><summary>Thinking</summary>\n\n" + harmless(b.Text) + "\n\n</details>\n")
	case transcript.Call:
		t.call(b)
	case transcript.Picture:
		what, _ := transcript.PictureOf(b.Image)
		t.put("\n*" + plain(what) + "*\n")
	case transcript.Mention:
		t.put("\n*" + plain(b.Said()) + "*\n")
		t.fence("", b.File.Content)
	case transcript.Failure, transcript.Stop:
		t.put("\n**" + plain(b.Said()) + "**\n")
	case transcript.Withheld, transcript.Encrypted, transcript.Fallback:
		t.put("\n*" + plain(b.Said()) + "*\n")
	case transcript.Command:
		t.fence("console", b.Said())
	default:
		t.fence("", b.Text)
	}
}

// call writes the call of a tool, folded.
func (t *text) call(b transcript.Block) {
	change := transcript.ChangeIn(b.Arguments)
	head := "<b>" + inTag(b.Name) + "</b> <code>" + inTag(transcript.OneLine(b.Matter())) + "</code>"
	t.put("\n<details><summary>" + head + "</summary>\n")
	if change != "" {
		t.fence("diff", change)
	}
	for name, text := range restOf(b, change) {
		t.put("\n" + plain(name) + ":\n")
		t.fence("", text)
	}
	t.put("\n</details>\n")
}

// fence writes text between fences that are longer than any in it.
func (t *text) fence(language, s string) {
	s = strings.TrimRight(term.Safe(s), "\n")
	if strings.TrimSpace(s) == "" {
		return
	}
	ticks := strings.Repeat("`", max(3, longestRun(s)+1))
	t.put(fmt.Sprintf("\n%s%s\n%s\n%s\n", ticks, language, s, ticks))
}

// longestRun is how many backquotes stand in a row at most.
func longestRun(s string) (most int) {
	run := 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		most = max(most, run)
	}
	return most
}

// plain is text on one line in which no sign of Markdown means anything.
func plain(s string) string {
	var b strings.Builder
	for _, r := range term.Line(s) {
		if strings.ContainsRune("\\`*_{}[]()<>#+!|~&@$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

// inTag is text on one line within a tag of HTML.
func inTag(s string) string { return escapes.Replace(term.Line(s)) }
