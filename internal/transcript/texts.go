package transcript

import (
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// gistBytes is how much of a text is looked at for one line of it.
const gistBytes = 600

// OneLine returns the beginning of a text with each run of blanks as one. It does not end in
// the middle of what may be a key: a part of one is not known for what it is.
func OneLine(s string) string {
	head := FirstLines(s, 8, gistBytes)
	if len(head) < len(s) && inToken(s[len(head)]) {
		head = strings.TrimRightFunc(head, func(r rune) bool { return r < 0x80 && inToken(byte(r)) }) + "…"
	}
	return strings.Join(strings.Fields(head), " ")
}

// inToken reports whether a byte may be part of a key or a token.
func inToken(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte("_=~.+/-", c) >= 0
}

// FirstLines returns the first n lines of s, at most limit bytes of it, ending
// where a character does.
func FirstLines(s string, n, limit int) string {
	end := 0
	for range n {
		at := strings.IndexByte(s[end:], '\n')
		if at < 0 {
			end = len(s) + 1
			break
		}
		end += at + 1
	}
	end = min(end-1, len(s))
	if end > limit {
		for end = limit; end > 0 && s[end]&0xC0 == 0x80; {
			end--
		}
	}
	return s[:end]
}

// Join returns the parts that are not empty, with commas.
func Join(parts ...string) string {
	var out []string
	for _, s := range parts {
		if s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, ", ")
}

// Count returns a number as people read it: 950, 1.2k, 34k.
func Count(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 9950:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	case n < 999_500:
		return fmt.Sprintf("%dk", (n+500)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// ContentText returns the text of content that is a string or blocks.
func ContentText(content entry.JSON) string {
	if s, ok := jsonedit.String(content); ok {
		return s
	}
	var parts []string
	for block := range jsonedit.Elements(content) {
		if s, ok := jsonedit.Text(block, "text"); ok {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

// member returns a member of an entry, nil for none.
func member(line entry.JSON, key string) entry.JSON {
	v, _ := jsonedit.Get(line, key)
	return v
}

// textOf returns a text of an entry, "" for none.
func textOf(line entry.JSON, key string) string {
	text, _ := jsonedit.Text(line, key)
	return text
}
