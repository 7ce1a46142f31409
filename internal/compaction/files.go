package compaction

import (
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
)

// Files are the paths that tools were given, each once, in order.
type Files struct {
	// Read were read, Written written whole, Edited changed; a path may be in
	// all of them. What an earlier summary says was modified counts as edited.
	Read, Written, Edited []string
}

// Lists returns the files that were only read, and those that were modified.
func (f Files) Lists() (read, modified []string) {
	modified = union(f.Edited, f.Written)
	for _, path := range f.Read {
		if !slices.Contains(modified, path) {
			read = append(read, path)
		}
	}
	return union(read), modified
}

// Details returns what a summary's entry says of the files, as the programs and
// published P5 have it: readFiles and modifiedFiles.
func (f Files) Details() entry.JSON {
	read, modified := f.Lists()
	var o jsonedit.Object
	return o.Add("readFiles", jsonedit.Strings(read...)).Add("modifiedFiles", jsonedit.Strings(modified...)).Value()
}

// Tags around the paths at the end of a summary.
const (
	readTag     = "read-files"
	modifiedTag = "modified-files"
	bothTag     = "files" // omp 18.2.3
)

// Append returns a summary with the files at its end, in place of any that it
// has there already.
func (f Files) Append(summary string) string {
	for _, tag := range []string{readTag, modifiedTag, bothTag} {
		summary = withoutTag(summary, tag)
	}
	summary = strings.TrimRight(summary, " \t\r\n")
	read, modified := f.Lists()
	for _, list := range []struct {
		tag   string
		paths []string
	}{{readTag, read}, {modifiedTag, modified}} {
		if len(list.paths) > 0 {
			summary += "\n\n<" + list.tag + ">\n" + strings.Join(list.paths, "\n") + "\n</" + list.tag + ">"
		}
	}
	return strings.TrimLeft(summary, "\n")
}

// withoutTag removes every whole element of that name that begins a line.
func withoutTag(text, tag string) string {
	opening, closing := "<"+tag+">\n", "</"+tag+">"
	for from := 0; ; {
		start := strings.Index(text[from:], opening)
		if start < 0 {
			return text
		}
		start += from
		end := strings.Index(text[start:], closing)
		if end < 0 {
			return text
		}
		if from = start; start > 0 && text[start-1] != '\n' {
			from += len(opening)
			continue
		}
		text = strings.TrimRight(text[:start], "\n") + text[start+end+len(closing):]
		from = min(from, len(text))
	}
}

// collector gathers files.
type collector struct {
	rules fileRules
	files Files
}

// calls takes in the calls of an answer.
func (c *collector) calls(msg entry.JSON) {
	if role, _ := jsonedit.Text(msg, "role"); role != message.RoleAssistant {
		return
	}
	content, _ := jsonedit.Get(msg, "content")
	if jsonedit.Kind(content) != '[' {
		return
	}
	for block := range jsonedit.Elements(content) {
		if kind, _ := jsonedit.Text(block, "type"); kind != message.TypeToolCall {
			continue
		}
		raw, _ := jsonedit.Path(block, "arguments", "path")
		path, _ := jsonedit.String(raw)
		if path == "" || c.rules.plain && isURL(path) {
			continue
		}
		switch name, _ := jsonedit.Text(block, "name"); name {
		case "read":
			c.files.Read = append(c.files.Read, c.plain(path))
		case "write":
			c.files.Written = append(c.files.Written, path)
		case "edit":
			c.files.Edited = append(c.files.Edited, path)
		}
	}
}

// details takes in what a summary's entry says, unless an extension made it.
func (c *collector) details(line entry.JSON) {
	for _, key := range []string{"fromHook", "fromExtension"} {
		v, _ := jsonedit.Get(line, key)
		if by, _ := jsonedit.Bool(v); by {
			return
		}
	}
	for path := range texts(line, "readFiles") {
		if !c.rules.plain || !isURL(path) {
			c.files.Read = append(c.files.Read, c.plain(path))
		}
	}
	for path := range texts(line, "modifiedFiles") {
		if !c.rules.plain || !isURL(path) {
			c.files.Edited = append(c.files.Edited, path)
		}
	}
}

// texts yields the strings of an array in the details of an entry.
func texts(line entry.JSON, key string) func(func(string) bool) {
	return func(yield func(string) bool) {
		list, _ := jsonedit.Path(line, "details", key)
		if jsonedit.Kind(list) != '[' {
			return
		}
		for v := range jsonedit.Elements(list) {
			if s, ok := jsonedit.String(v); ok && !yield(s) {
				return
			}
		}
	}
}

// done returns the files, sorted as the programs sort.
func (c *collector) done() Files {
	return Files{Read: union(c.files.Read), Written: union(c.files.Written), Edited: union(c.files.Edited)}
}

func (c *collector) plain(path string) string {
	if c.rules.plain {
		path, _ = splitSelector(path)
	}
	return path
}

// union returns all paths once, in the order of JavaScript: by UTF-16 units.
func union(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.SortFunc(all, func(a, b string) int {
		if isASCII(a) && isASCII(b) {
			return strings.Compare(a, b)
		}
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	})
	return slices.Compact(all)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// isURL reports whether a path has a scheme somewhere (omp 18.2.3).
func isURL(path string) bool {
	for at := 0; ; {
		i := strings.Index(path[at:], "://")
		if i < 0 {
			return false
		}
		at += i
		for k := at - 1; k >= 0; k-- {
			switch c := path[k] | 0x20; {
			case c >= 'a' && c <= 'z':
				return true
			case path[k] >= '0' && path[k] <= '9', path[k] == '+', path[k] == '.', path[k] == '-':
				continue
			}
			break
		}
		at += len("://")
	}
}

// splitSelector splits off the lines that a read names after its path, as in
// "a.go:5-20" and "a.go:1-50:raw" (omp 18.2.3).
func splitSelector(path string) (base, selector string) {
	colon := strings.LastIndexByte(path, ':')
	if colon <= 0 {
		return path, ""
	}
	last := path[colon+1:]
	raw := strings.EqualFold(last, "raw")
	lines := isLines(last)
	if !raw && !lines && !strings.EqualFold(last, "conflicts") {
		return path, ""
	}
	base, selector = path[:colon], last
	if inner := strings.LastIndexByte(base, ':'); inner > 0 {
		before := base[inner+1:]
		if lines && strings.EqualFold(before, "raw") || raw && isLines(before) {
			return base[:inner], before + ":" + last
		}
	}
	return base, selector
}

// isLines reports whether s is a list of line ranges: 5, 5-20, 5+10, 5.., L5-.
func isLines(s string) bool {
	for part := range strings.SplitSeq(s, ",") {
		rest, ok := lineNumber(part)
		if !ok {
			return false
		}
		switch {
		case rest == "" || rest == "-" || rest == "..":
			continue
		case strings.HasPrefix(rest, ".."):
			rest = rest[2:]
		case rest[0] == '-' || rest[0] == '+':
			rest = rest[1:]
		default:
			return false
		}
		if rest, ok = lineNumber(rest); !ok || rest != "" {
			return false
		}
	}
	return true
}

// lineNumber cuts a number, perhaps after an L, from the beginning of s.
func lineNumber(s string) (rest string, ok bool) {
	if s != "" && s[0]|0x20 == 'l' {
		s = s[1:]
	}
	rest = strings.TrimLeft(s, "0123456789")
	return rest, len(rest) < len(s)
}
