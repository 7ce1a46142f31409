package chatview

import (
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A question is one that waits for an answer, as it is laid out.
type question struct {
	Ask
	top int // first line in sight
}

// lines lays a question out: the tool, its directory and all that it is given; a
// change of a file as a diff.
func (q *question) lines(th theme.Theme, cols int) []string {
	all := []string{th.Paint(theme.Warn, term.Cut("Run "+term.Line(q.Tool)+"?", cols)) + th.Paint(theme.Faint, term.Cut("  in "+term.Line(q.Dir), max(cols-8-term.Width(q.Tool), 4)))}
	from, replaced := "", false
	for key, value := range splice.Members(q.Arguments) {
		text, ok := splice.String(value)
		if !ok {
			text = string(value)
		}
		switch key {
		case "command":
			all = append(all, painted(th, theme.Strong, text, "  $ ", cols)...)
		case "oldText", "old_string", "oldString":
			from, replaced = text, true
		case "newText", "new_string", "newString":
			all = append(all, diffLines(th, diffOf(from, text), "  ", cols)...)
			replaced = false
		case "content":
			all = append(all, diffLines(th, diffOf("", text), "  ", cols)...)
		case "edits":
			all = append(all, editLines(th, value, cols)...)
		default:
			all = append(all, painted(th, theme.Text, key+": "+text, "  ", cols)...)
		}
	}
	if replaced {
		all = append(all, diffLines(th, diffOf(from, ""), "  ", cols)...)
	}
	return all
}

// editLines are several replacements of one file.
func editLines(th theme.Theme, edits []byte, cols int) []string {
	var all []string
	for value := range splice.Elements(edits) {
		from, to := "", ""
		for key, v := range splice.Members(value) {
			text, _ := splice.String(v)
			switch key {
			case "oldText", "old_string", "oldString":
				from = text
			case "newText", "new_string", "newString":
				to = text
			}
		}
		all = append(all, diffLines(th, diffOf(from, to), "  ", cols)...)
	}
	return all
}

// diffOf is what is taken away, then what comes in its place, without the lines
// that both begin and end with.
func diffOf(from, to string) string {
	a, b := linesOf(from), linesOf(to)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	end := 0
	for end < len(a)-head && end < len(b)-head && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	var out strings.Builder
	put := func(sign string, lines []string) {
		for _, line := range lines {
			out.WriteString(sign + line + "\n")
		}
	}
	put("  ", a[max(0, head-2):head])
	put("- ", a[head:len(a)-end])
	put("+ ", b[head:len(b)-end])
	put("  ", a[len(a)-end:min(len(a), len(a)-end+2)])
	return out.String()
}

func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// view draws as much of a question as fits, with what the keys do below it.
func (q *question) view(th theme.Theme, keys KeyMap, cols, high int) []string {
	lines := q.lines(th, cols)
	room := max(high-1, 1)
	q.top = max(0, min(q.top, len(lines)-room))
	all := lines[q.top:min(q.top+room, len(lines))]
	var bar []string
	for _, b := range []struct{ k, does string }{{keys.Yes.Help().Key, keys.Yes.Help().Desc}, {keys.No.Help().Key, keys.No.Help().Desc}, {keys.Always.Help().Key, keys.Always.Help().Desc}} {
		bar = append(bar, th.Paint(theme.Key, b.k)+" "+b.does)
	}
	if more := len(lines) - q.top - room; more > 0 {
		bar = append(bar, th.Paint(theme.Faint, fmt.Sprintf("pgdn for %s more", theme.Plural(more, "line"))))
	}
	return append(all[:len(all):len(all)], term.Cut(strings.Join(bar, "   "), cols))
}
