package chatview

import (
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
)

// ofChange reports whether an argument of a call says how a file is changed.
func ofChange(name string) bool {
	switch name {
	case "oldText", "old_string", "oldString", "newText", "new_string", "newString", "content", "edits":
		return true
	}
	return false
}

// changeIn is what a call changes in a file, as a diff: one replacement, several
// of them, or all that it holds; "" where its arguments say nothing of that, or
// not in a known way.
func changeIn(arguments message.JSON) string {
	var old, now []string
	several, content, path := "", false, false
	for name, value := range jsonedit.Members(arguments) {
		switch name {
		case "path", "file_path", "filePath":
			path = true
		case "content":
			content = true
		}
		if !ofChange(name) {
			continue
		}
		if name == "edits" {
			if several != "" || jsonedit.Kind(value) != '[' {
				return ""
			}
			for one := range jsonedit.Elements(value) {
				diff := ""
				if jsonedit.Kind(one) == '{' {
					diff = changeIn(one)
				}
				if diff == "" {
					return ""
				}
				several += diff
			}
			continue
		}
		text, ok := jsonedit.String(value)
		if !ok {
			return ""
		}
		if strings.HasPrefix(name, "old") {
			old = append(old, text)
		} else {
			now = append(now, text)
		}
	}
	switch {
	case len(old) > 1 || len(now) > 1 || content && !path: // nothing is left out
		return ""
	case len(old)+len(now) == 0:
		return several
	}
	return diffOf(strings.Join(old, ""), strings.Join(now, "")) + several
}

// counted says how many lines a diff adds and takes away.
func counted(diff string) string {
	added, removed := 0, 0
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return fmt.Sprintf("+%d -%d", added, removed)
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

// summaryParts is a summary, with the files that stand at its end between tags (as
// in published P5) in lines of their own.
func summaryParts(head, summary string) []Part {
	all := []Part{{Style: Note, Text: head}, {}}
	for _, list := range []struct{ tag, says string }{{"read-files", "read: "}, {"modified-files", "modified: "}} {
		before, rest, ok := strings.Cut(summary, "<"+list.tag+">\n")
		files, after, closed := strings.Cut(rest, "</"+list.tag+">")
		if !ok || !closed || before != "" && !strings.HasSuffix(before, "\n") {
			continue
		}
		summary = strings.TrimRight(before, "\n") + "\n" + after
		if names := strings.FieldsFunc(files, func(r rune) bool { return r == '\n' }); len(names) > 0 {
			all = append(all, Part{Style: Note, Text: list.says + strings.Join(names, ", ")})
		}
	}
	all[1] = Part{Style: Markdown, Text: strings.TrimRight(summary, "\n")}
	return all
}
