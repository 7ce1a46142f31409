package term

import "unicode/utf8"

// sequence returns the length of the escape sequence that s begins with, 0 when
// it begins with none that is complete on its line. s begins with ESC or with a
// C1 control character. The grammar is that of ECMA-48 with xterm's BEL as the
// end of an operating system command.
func sequence(s string) int {
	kind, body := introducer(s)
	n := 0
	switch kind {
	case '[':
		n = controlBody(s[body:])
	case ']':
		n = stringBody(s[body:], true)
	case 'P', 'X', '^', '_':
		n = stringBody(s[body:], false)
	case ' ':
		n = escapeBody(s[body:])
	}
	if n == 0 {
		return 0
	}
	return body + n
}

// introducer returns the kind of a sequence, as the byte that follows ESC in its
// seven-bit form, and where its body begins; ' ' stands for a plain escape whose
// body is everything behind ESC, 0 for none.
func introducer(s string) (kind byte, body int) {
	if s[0] != 0x1b {
		r, size := utf8.DecodeRuneInString(s)
		switch kind := byte(r - 0x40); kind {
		case '[', ']', 'P', 'X', '^', '_':
			return kind, size
		}
		return 0, 0
	}
	if len(s) < 2 {
		return 0, 0
	}
	switch s[1] {
	case '[', ']', 'P', 'X', '^', '_':
		return s[1], 2
	}
	return ' ', 1
}

// controlBody measures parameters, intermediates and the final byte of a CSI.
func controlBody(s string) int {
	i := 0
	for i < len(s) && 0x30 <= s[i] && s[i] <= 0x3f {
		i++
	}
	for i < len(s) && 0x20 <= s[i] && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && 0x40 <= s[i] && s[i] <= 0x7e {
		return i + 1
	}
	return 0
}

// escapeBody measures the intermediates and the final byte behind ESC.
func escapeBody(s string) int {
	i := 0
	for i < len(s) && 0x20 <= s[i] && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && 0x30 <= s[i] && s[i] <= 0x7e {
		return i + 1
	}
	return 0
}

// stringBody measures a control string with its terminator: ST, or BEL where
// that ends it too. Any other control character ends the search: without that a
// forgotten terminator could hide the rest of a text.
func stringBody(s string, bel bool) int {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1 && s[i] == 0x9c, r == 0x9c:
			return i + size
		case r == 0x1b && i+1 < len(s) && s[i+1] == '\\':
			return i + 2
		case r == 0x07 && bel:
			return i + 1
		case r < ' ', r == 0x7f, 0x80 <= r && r <= 0x9f:
			return 0
		}
		i += size
	}
	return 0
}
