package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// A runScreen shows what happens in a run: with --json each event on a line; on a
// terminal the answer as it comes, and on a terminal's standard error what the
// tools do; else nothing before the last answer.
type runScreen struct {
	a    *app
	dim  func(string) string
	said string // what of the answer is shown already
	open bool   // the cursor stands behind the answer
}

func newRunScreen(a *app) *runScreen {
	palette := term.NewPalette(term.Color(a.env.Getenv, a.errTTY, a.flags.noColor))
	return &runScreen{a: a, dim: palette.Dim}
}

// tell shows an event.
func (s *runScreen) tell(e coder.Event) {
	if s.a.flags.json {
		_, _ = s.a.out.Write(append(e.JSON(), '\n')) // kept by the writer, returned by its Flush
		_ = s.a.out.Flush()
		return
	}
	switch e := e.(type) {
	case coder.MessageUpdate:
		if s.a.tty && e.Kind == "text_delta" {
			s.stream(e.Delta)
		}
	case coder.MessageEnd:
		s.newline()
	case coder.ToolStart:
		s.line("→ " + e.Tool + "  " + inOneLine(e.Arguments))
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
			s.a.note("", "sum up the conversation: "+e.Err)
		}
	case coder.Cleaned:
		s.newline()
		s.a.note("", e.String())
	case coder.Notice:
		s.newline()
		s.a.note("", e.Text)
	}
}

// stream shows a piece of the answer.
func (s *runScreen) stream(text string) {
	if text == "" {
		return
	}
	s.said += text
	_, _ = s.a.out.WriteString(term.Safe(text)) // kept by the writer, returned by its Flush
	_ = s.a.out.Flush()
	s.open = !strings.HasSuffix(text, "\n")
}

// newline puts the cursor at the beginning of a line.
func (s *runScreen) newline() {
	if s.open {
		_, _ = s.a.out.WriteString("\n")
		_ = s.a.out.Flush()
	}
	s.open = false
}

// line shows what is going on, to a person who looks.
func (s *runScreen) line(text string) {
	if !s.a.errTTY {
		return
	}
	s.newline()
	cols, _ := term.Size(s.a.Stderr, s.a.env.Getenv)
	fmt.Fprintln(s.a.Stderr, s.dim(term.Cut(term.Line(text), max(cols-1, 20))))
}

// end shows the last answer, if that was not shown as it came.
func (s *runScreen) end(out coder.Outcome) {
	s.newline()
	if s.a.flags.json || s.a.tty || out.Text == "" {
		return
	}
	_, _ = s.a.out.WriteString(ending1(out.Text))
}

// safe is text for standard output.
func (s *runScreen) safe(text string) string {
	if s.a.tty {
		return term.Safe(text)
	}
	return text
}

// approve asks the person whether a call may be run.
func (s *runScreen) approve(ctx context.Context, ask coder.Ask) (coder.Answer, error) {
	s.newline()
	fmt.Fprintf(s.a.Stderr, "%s in %s\n", term.Line(ask.Tool), term.Line(ask.Dir))
	for key, value := range splice.Members(ask.Arguments) {
		if key == "edits" && s.edits(value) {
			continue
		}
		text, ok := splice.String(value)
		if !ok {
			text = string(value)
		}
		if lines := safeLines(text); len(lines) == 1 {
			fmt.Fprintf(s.a.Stderr, "  %s: %s\n", term.Line(key), lines[0])
			continue
		}
		fmt.Fprintf(s.a.Stderr, "  %s:\n", term.Line(key))
		s.quote("    ", text, key == "command")
	}
	text, err := s.a.ask(ctx, "Run it? [y/N, a for always]")
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

// edits shows replacements of texts, and reports whether they are such.
func (s *runScreen) edits(value jsontext.Value) bool {
	var all [][2]string
	for e := range splice.Elements(value) {
		from, ok := splice.Text(e, "oldText")
		to, also := splice.Text(e, "newText")
		if !ok || !also {
			return false
		}
		all = append(all, [2]string{from, to})
	}
	for _, e := range all {
		s.quote("  - ", e[0], false)
		s.quote("  + ", e[1], false)
	}
	return len(all) > 0
}

// quote shows a text line by line behind a prefix: the first lines of it, or whole.
func (s *runScreen) quote(prefix, text string, whole bool) {
	const most = 12
	lines := safeLines(text)
	for i, line := range lines {
		if i == most && !whole {
			fmt.Fprintf(s.a.Stderr, "    … and %s\n", plural(len(lines)-most, "more line"))
			return
		}
		fmt.Fprintf(s.a.Stderr, "%s%s\n", prefix, line)
	}
}

// safeLines are the lines of a text as a terminal may have them.
func safeLines(text string) []string {
	return strings.Split(strings.TrimRight(term.Safe(text), "\n"), "\n")
}

// inOneLine is what a call is given, in short.
func inOneLine(args jsontext.Value) string {
	var all []string
	for key, value := range splice.Members(args) {
		text, ok := splice.String(value)
		if !ok {
			text = string(value)
		}
		switch key {
		case "command", "path", "pattern":
			all = append(all, firstLines(text, 1, 200))
		default:
			all = append(all, key+"="+firstLines(text, 1, 60))
		}
	}
	return strings.Join(all, " ")
}

// inOneLineOf is the first line of a result.
func inOneLineOf(content []message.Block) string {
	for _, b := range content {
		if t, ok := b.(*message.TextBlock); ok {
			return firstLines(t.Text, 1, 200)
		}
	}
	return ""
}
