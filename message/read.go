package message

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// imageUnits is what a picture counts as (pi 0.87.1, core/compaction).
const imageUnits = 4800

// Text returns what m says as plain text for people: text blocks joined by line
// feeds, without reasoning, calls and pictures; of an execution the command and
// the output; of a file mention the paths; of a summary the summary.
func Text(m Message) string {
	switch m := m.(type) {
	case *User:
		return m.Content.plain()
	case *Assistant:
		return BlockContent(m.Content...).plain()
	case *ToolResult:
		return m.Content.plain()
	case *System:
		parts := []string{m.Content.plain()}
		for _, s := range m.Sections {
			parts = append(parts, s.Text)
		}
		return lines(parts)
	case *Developer:
		return m.Content.plain()
	case *BashExecution:
		return lines([]string{m.Command, m.Output})
	case *PythonExecution:
		return lines([]string{m.Code, m.Output})
	case *Custom:
		return m.Content.plain()
	case *Hook:
		return m.Content.plain()
	case *FileMention:
		var paths []string
		for _, f := range m.Files {
			paths = append(paths, f.Path)
		}
		return lines(paths)
	case *BranchSummary:
		return m.Summary
	case *CompactionSummary:
		return m.Summary
	}
	return ""
}

// ToolCalls returns the calls that m makes, in order; only an assistant makes
// any.
func ToolCalls(m Message) []*ToolCall {
	a, ok := m.(*Assistant)
	if !ok {
		return nil
	}
	var calls []*ToolCall
	for _, b := range a.Content {
		if c, ok := b.(*ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

// Estimate returns about how many tokens m takes: a quarter of its UTF-16 units,
// rounded up, an image counting 4800 units. The roles that pi has are counted as
// pi 0.87.1 counts them; the others by all they would show the model.
func Estimate(m Message) int {
	return (units(m) + 3) / 4
}

func units(m Message) int {
	switch m := m.(type) {
	case *User:
		return m.Content.units()
	case *Assistant:
		return assistantUnits(m)
	case *ToolResult:
		return m.Content.units()
	case *System:
		n := m.Content.units()
		for _, s := range m.Sections {
			n += jsonedit.Units(s.Text)
		}
		if m.ToolsAdded != nil {
			n += jsonedit.UnitsText(jsonedit.List(m.ToolsAdded))
		}
		return n
	case *Developer:
		return m.Content.units()
	case *BashExecution:
		return jsonedit.Units(m.Command) + jsonedit.Units(m.Output) + BlockContent(m.Images...).units()
	case *PythonExecution:
		return jsonedit.Units(m.Code) + jsonedit.Units(m.Output)
	case *Custom:
		return m.Content.units()
	case *Hook:
		return m.Content.units()
	case *FileMention:
		n := 0
		for _, f := range m.Files {
			n += jsonedit.Units(f.Path) + jsonedit.Units(f.Content)
			if f.Image != nil {
				n += imageUnits
			}
		}
		return n
	case *BranchSummary:
		return jsonedit.Units(m.Summary)
	case *CompactionSummary:
		return jsonedit.Units(m.Summary) + BlockContent(m.Blocks...).units()
	}
	return 0
}

func assistantUnits(m *Assistant) int {
	n := 0
	for _, b := range m.Content {
		switch b := b.(type) {
		case *TextBlock:
			n += jsonedit.Units(b.Text)
		case *Thinking:
			n += jsonedit.Units(b.Thinking)
		case *ToolCall:
			n += jsonedit.Units(b.Name) + jsonedit.UnitsText(b.Arguments)
		}
	}
	return n
}

// plain returns the text of the content.
func (c Content) plain() string {
	if c.IsText {
		return c.Text
	}
	var parts []string
	for _, b := range c.Blocks {
		if t, ok := b.(*TextBlock); ok {
			parts = append(parts, t.Text)
		}
	}
	return lines(parts)
}

// units counts text and pictures.
func (c Content) units() int {
	n := jsonedit.Units(c.Text)
	for _, b := range c.Blocks {
		switch b := b.(type) {
		case *TextBlock:
			n += jsonedit.Units(b.Text)
		case *Image:
			n += imageUnits
		}
	}
	return n
}

// lines joins the parts that are not empty.
func lines(parts []string) string {
	kept := parts[:0:0]
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n")
}
