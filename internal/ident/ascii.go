package ident

// The paths of another machine are handled here too (a vector's /home/alice, a
// Windows path in a header), so path/filepath, which knows only the system it
// runs on, would be wrong.

// IsLetter reports whether b is a letter of ASCII.
func IsLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// IsDigit reports whether b is a decimal digit.
func IsDigit(b byte) bool { return '0' <= b && b <= '9' }

// IsAlnum reports whether b is a letter or a digit of ASCII.
func IsAlnum(b byte) bool { return IsLetter(b) || IsDigit(b) }
