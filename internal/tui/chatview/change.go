package chatview

import "strings"

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
