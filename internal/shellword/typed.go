package shellword

import "strings"

// Typed returns the words of the beginning of a command line, as bash would read
// them, without running or expanding anything: what would be expanded stays as it
// was typed. The last word is what the line ends within, "" behind a blank; quotes
// that are still open end with the line.
func Typed(line string) []string {
	words, word := []string{}, strings.Builder{}
	began := false // there is a word, though it may be empty
	for line != "" {
		c := line[0]
		line = line[1:]
		switch c {
		case ' ', '\t', '\n':
			if began {
				words = append(words, word.String())
				word.Reset()
				began = false
			}
			continue
		case '\\':
			line = escaped(&word, line)
		case '\'':
			text, rest, _ := strings.Cut(line, "'")
			word.WriteString(text)
			line = rest
		case '"':
			line = inQuotes(&word, line)
		default:
			word.WriteByte(c)
		}
		began = true
	}
	return append(words, word.String())
}

// escaped reads what stands behind a backslash, and returns the rest.
func escaped(word *strings.Builder, line string) string {
	if line == "" {
		return ""
	}
	if line[0] != '\n' { // else the line goes on
		word.WriteByte(line[0])
	}
	return line[1:]
}

// inQuotes reads what stands between double quotes, and returns the rest.
func inQuotes(word *strings.Builder, line string) string {
	for line != "" {
		c := line[0]
		line = line[1:]
		switch {
		case c == '"':
			return line
		case c == '\\' && line != "" && strings.IndexByte("\\\"$`\n", line[0]) >= 0:
			line = escaped(word, line)
		default:
			word.WriteByte(c)
		}
	}
	return ""
}
