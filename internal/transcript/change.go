package transcript

import (
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// OfChange reports whether an argument of a call says how a file is changed.
func OfChange(name string) bool {
	switch name {
	case "oldText", "old_string", "oldString", "newText", "new_string", "newString", "content", "edits":
		return true
	}
	return false
}

// ChangeIn is what a call changes in a file, as a diff: one replacement, several
// of them, or all that it holds; "" where its arguments say nothing of that, or
// not in a known way.
func ChangeIn(arguments entry.JSON) string {
	var old, now []string
	several, content, path := "", false, false
	for name, value := range jsonedit.Members(arguments) {
		switch name {
		case "path", "file_path", "filePath":
			path = true
		case "content":
			content = true
		}
		if !OfChange(name) {
			continue
		}
		if name == "edits" {
			if several != "" || jsonedit.Kind(value) != '[' {
				return ""
			}
			for one := range jsonedit.Elements(value) {
				diff := ""
				if jsonedit.Kind(one) == '{' {
					diff = ChangeIn(one)
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

// Counted says how many lines a diff adds and takes away.
func Counted(diff string) string {
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

// Matter returns what matters most of a call: the command, the path or the like that
// it names, "" for nothing. It may have any number of lines.
func (b Block) Matter() string {
	first := ""
	for _, key := range []string{"command", "cmd", "path", "file_path", "filePath", "pattern", "query", "url", "prompt"} {
		if v, ok := jsonedit.Get(b.Arguments, key); ok {
			if text, ok := jsonedit.String(v); ok && text != "" {
				return text
			}
		}
	}
	for _, value := range jsonedit.Members(b.Arguments) {
		if text, ok := jsonedit.String(value); ok && text != "" && first == "" {
			first = text
		}
	}
	return first
}
