package ignore

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A Glob is a pattern of file names as shells and git have them: "*" and "?" do
// not match "/", "**" as a whole part of a path matches any number of parts,
// "[a-z]" is one of several characters, "\" takes what follows as it is. What
// comes out is a regular expression, so matching takes linear time. It is safe for
// concurrent use; the zero Glob matches the empty path.
type Glob struct {
	// What matches, if re is nil: before alone, or with after behind what one "*"
	// matches.
	before, after string
	starred       bool
	re            *regexp.Regexp
}

// Match reports whether the pattern is the whole of a path with slashes.
func (g Glob) Match(path string) bool {
	switch {
	case g.re != nil:
		return g.re.MatchString(path)
	case g.starred:
		rest, begins := strings.CutPrefix(path, g.before)
		rest, ends := strings.CutSuffix(rest, g.after)
		return begins && ends && strings.IndexByte(rest, '/') < 0
	}
	return path == g.before
}

// NewGlob reads a pattern. With braces, "{a,b}" is one of several patterns. The
// error says what of the pattern is not valid.
func NewGlob(pattern string, braces bool) (Glob, error) {
	special := `*?[\`
	if braces {
		special += "{"
	}
	if !strings.ContainsAny(pattern, special) {
		return Glob{before: pattern}, nil
	}
	if !utf8.ValidString(pattern) {
		return Glob{}, errors.New("it is not UTF-8")
	}
	if before, after, _ := strings.Cut(pattern, "*"); !strings.ContainsAny(before+after, special) {
		return Glob{before: before, after: after, starred: true}, nil // most are so: "*.log"
	}
	c := &globber{in: pattern, braces: braces}
	if err := c.translate(); err != nil {
		return Glob{}, err
	}
	re, err := regexp.Compile(`(?s)\A(?:` + c.out.String() + `)\z`)
	if err != nil {
		return Glob{}, errors.New("it is too large")
	}
	return Glob{re: re}, nil
}

// A globber translates a glob into a regular expression.
type globber struct {
	in     string
	at     int
	braces bool
	depth  int // of braces
	out    strings.Builder
}

func (g *globber) translate() error {
	for g.at < len(g.in) {
		c := g.in[g.at]
		switch {
		case c == '*':
			g.stars()
		case c == '?':
			g.at++
			g.out.WriteString(`[^/]`)
		case c == '[':
			if err := g.class(); err != nil {
				return err
			}
		case c == '\\':
			if g.at+1 == len(g.in) {
				return errors.New(`it ends in "\"`)
			}
			g.at++
			g.rune()
		case g.braces && c == '{':
			g.at++
			g.depth++
			g.out.WriteString(`(?:`)
		case g.depth > 0 && c == ',':
			g.at++
			g.out.WriteString(`|`)
		case g.depth > 0 && c == '}':
			g.at++
			g.depth--
			g.out.WriteString(`)`)
		default:
			g.rune()
		}
	}
	if g.depth > 0 {
		return errors.New(`a "{" has no "}"`)
	}
	return nil
}

// rune writes one character as it is.
func (g *globber) rune() {
	_, n := utf8.DecodeRuneInString(g.in[g.at:])
	g.out.WriteString(regexp.QuoteMeta(g.in[g.at : g.at+n]))
	g.at += n
}

// stars translates a run of "*". It means any number of directories where it is
// "**" and a part of the path by itself, and a run of characters otherwise.
func (g *globber) stars() {
	from := g.at
	for g.at < len(g.in) && g.in[g.at] == '*' {
		g.at++
	}
	begins := from == 0 || g.in[from-1] == '/' || g.depth > 0 && (g.in[from-1] == '{' || g.in[from-1] == ',')
	if !g.braces {
		// git 2.39 takes away what is literal before the first "*" and then
		// looks whether it begins a part: "a**/z" ignores az and a/b/z.
		begins = begins || !strings.ContainsAny(g.in[:from], `*?[\`)
	}
	ends := g.at == len(g.in) || g.depth > 0 && (g.in[g.at] == '}' || g.in[g.at] == ',')
	switch {
	case g.at-from != 2 || !begins:
	case ends:
		g.out.WriteString(`.*`)
		return
	case g.in[g.at] == '/':
		g.at++
		g.out.WriteString(`(?:.*/)?`)
		return
	}
	g.out.WriteString(`[^/]*`)
}

// chars are the characters from one to another.
type chars struct{ low, high rune }

// class translates "[...]".
func (g *globber) class() error {
	at := g.at + 1
	not := at < len(g.in) && (g.in[at] == '!' || g.in[at] == '^')
	if not {
		at++
	}
	var spans []chars
	for first := true; ; first = false {
		if at >= len(g.in) {
			return errors.New(`a "[" has no "]"`)
		}
		if g.in[at] == ']' && !first {
			at++
			break
		}
		if name, ok := classNamed(g.in[at:]); ok {
			named := namedClass(name)
			if named == nil {
				return fmt.Errorf("%q is no class of characters", "[:"+name+":]")
			}
			spans = append(spans, named...)
			at += len("[:") + len(name) + len(":]")
			continue
		}
		low, next, err := g.member(at)
		if err != nil {
			return err
		}
		high := low
		if at = next; at+1 < len(g.in) && g.in[at] == '-' && g.in[at+1] != ']' {
			if high, at, err = g.member(at + 1); err != nil {
				return err
			}
		}
		if low <= high {
			spans = append(spans, chars{low, high})
		}
	}
	g.at = at
	g.write(spans, not)
	return nil
}

// member reads one character of a class.
func (g *globber) member(at int) (r rune, next int, err error) {
	if g.in[at] == '\\' {
		at++
	}
	if at >= len(g.in) {
		return 0, 0, errors.New(`a "[" has no "]"`)
	}
	r, n := utf8.DecodeRuneInString(g.in[at:])
	return r, at + n, nil
}

// write writes a class, which never has "/".
func (g *globber) write(spans []chars, not bool) {
	if not {
		spans = append(spans, chars{'/', '/'})
	} else {
		var without []chars
		for _, s := range spans {
			if s.low > '/' || s.high < '/' {
				without = append(without, s)
				continue
			}
			for _, part := range []chars{{s.low, '/' - 1}, {'/' + 1, s.high}} {
				if part.low <= part.high {
					without = append(without, part)
				}
			}
		}
		spans = without
	}
	if len(spans) == 0 {
		g.out.WriteString(`[^\x{0}-\x{10FFFF}]`) // nothing
		return
	}
	g.out.WriteByte('[')
	if not {
		g.out.WriteByte('^')
	}
	for _, s := range spans {
		fmt.Fprintf(&g.out, `\x{%X}-\x{%X}`, s.low, s.high)
	}
	g.out.WriteByte(']')
}

// classNamed returns the name in the "[:name:]" that a text begins with. As in git
// it ends at the first "]", and there is none where ":" does not stand before that.
func classNamed(text string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(text, "[:")
	if !ok {
		return "", false
	}
	rest, _, closed := strings.Cut(rest, "]")
	name, ok = strings.CutSuffix(rest, ":")
	return name, ok && closed
}

// namedClass returns the characters of "[:name:]", nil for a name that is none.
func namedClass(name string) []chars {
	digit, upper, lower := chars{'0', '9'}, chars{'A', 'Z'}, chars{'a', 'z'}
	switch name {
	case "alnum":
		return []chars{digit, upper, lower}
	case "alpha":
		return []chars{upper, lower}
	case "blank":
		return []chars{{' ', ' '}, {'\t', '\t'}}
	case "cntrl":
		return []chars{{0, 31}, {127, 127}}
	case "digit":
		return []chars{digit}
	case "graph":
		return []chars{{'!', '~'}}
	case "lower":
		return []chars{lower}
	case "print":
		return []chars{{' ', '~'}}
	case "punct":
		return []chars{{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}
	case "space":
		return []chars{{' ', ' '}, {'\t', '\r'}}
	case "upper":
		return []chars{upper}
	case "xdigit":
		return []chars{digit, {'A', 'F'}, {'a', 'f'}}
	}
	return nil
}
