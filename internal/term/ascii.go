package term

import "strings"

// UTF8 says whether a terminal takes UTF-8, from its environment: the first of
// LC_ALL, LC_CTYPE and LANG that is set names a locale of UTF-8 (POSIX locale
// names, "en_US.UTF-8"). Where none is set nobody has said that it does not.
func UTF8(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(getenv(name)); locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return true
}

// ASCII returns a screen for a terminal that does not take UTF-8: lines, arrows
// and signs that programs draw become what looks like them, any other character
// that is not ASCII a "?" for each of its cells, so that everything stays where it
// was. A palette's sequences stay.
func ASCII(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < 0x80
	}
	if plain {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	column := 0
	for s != "" {
		piece, width := next(s, column)
		column += width
		s = s[len(piece):]
		switch r := []rune(piece); {
		case piece == "\n":
			column = 0
			b.WriteString(piece)
		case piece[0] < 0x80 && len(r) == 1 || piece[0] == 0x1b:
			b.WriteString(piece)
		case len(r) == 1 && width == 1 && alike(r[0]) != 0:
			b.WriteByte(alike(r[0]))
		case piece[0] < 0x80 && width <= 1:
			b.WriteByte(piece[0]) // what combines with it goes
		default:
			b.WriteString(strings.Repeat("?", width))
		}
	}
	return b.String()
}

// alike is the character of ASCII that looks like one that screens draw, 0 for any
// other.
func alike(r rune) byte {
	const drawn = "─━│┃┊▌├└┼┌┐┘┤┬┴…·‹›→←↑↓⎿✗✓●○★•☐☑▶▸▾▼↳✻⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏“”‘’–—\u00a0"
	const looks = "--||||+++++++++~-<>><^v`x+*o**.x>>vv>*|/-\\|/-\\|/\"\"''-- "
	at := 0
	for _, known := range drawn {
		if known == r {
			return looks[at]
		}
		at++
	}
	return 0
}
