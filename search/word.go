package search

import (
	"encoding/binary"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Words are what a search finds text by. A word is a run of letters, numbers,
// marks and private characters, as FTS5's tokenizer unicode61 has it (general
// categories L*, N*, Co; here M* too, and no mark is taken off a letter).
// Scripts that are written without blanks between words (Han, kana, Thai …)
// make a word of every character. Upper and lower case are alike by Unicode's
// simple folding, one character for one.

// maxWord is how much of a word an index keeps, in bytes; of a longer one it
// keeps what fits.
const maxWord = 64

// fold returns the one rune that stands for all that differ from r by case
// only. Of ASCII letters it is the small one.
func fold(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	case 0x2E80 <= r && r < 0xA640, 0xAC00 <= r && r < 0xE000:
		return r // Han, kana, Hangul: no case
	}
	least := r
	for n := unicode.SimpleFold(r); n != r; n = unicode.SimpleFold(n) {
		least = min(least, n)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A' // the Kelvin sign and the long s
	}
	return least
}

// A class says what a rune does to words.
type class uint8

const (
	between class = iota // stands between words
	inWord               // is part of a word
	alone                // is a word by itself
)

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return inWord
		}
		return between
	case r < 0x0E00:
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
			return alone
		}
		return between
	}
	if unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Co) {
		return inWord
	}
	return between
}

// edge reports whether a word may begin or end between two runes that stand
// next to each other.
func edge(before, after class) bool { return before != inWord || after != inWord }

// eachWord calls yield with every word of a folded text, cut to maxWord, until
// it returns false.
func eachWord(folded []byte, yield func(word []byte) bool) {
	start := -1
	for i := 0; i < len(folded); {
		c, size := between, 1
		if b := folded[i]; b < utf8.RuneSelf {
			if asciiWord[b] {
				if start < 0 {
					start = i
				}
				i++
				continue
			}
		} else {
			var r rune
			r, size = utf8.DecodeRune(folded[i:])
			c = classOf(r)
		}
		if c == inWord {
			if start < 0 {
				start = i
			}
			i += size
			continue
		}
		if start >= 0 && !yield(cutWord(folded[start:i])) {
			return
		}
		start = -1
		if c == alone && !yield(folded[i:i+size]) {
			return
		}
		i += size
	}
	if start >= 0 {
		yield(cutWord(folded[start:]))
	}
}

// cutWord returns what an index keeps of a word.
func cutWord(word []byte) []byte {
	if len(word) <= maxWord {
		return word
	}
	end := maxWord
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}

// asciiWord says of a folded ASCII character whether it is part of words.
var asciiWord = func() (table [utf8.RuneSelf]bool) {
	for r := range rune(utf8.RuneSelf) {
		table[r] = classOf(r) == inWord && fold(r) == r
	}
	return table
}()

// A foldedText is a text in which case does not count, with the way back.
type foldedText struct {
	text []byte
	// shifts are the places after which offsets differ from the text's, in
	// ascending order; hardly any text has one.
	shifts []shift
}

// A shift says that from offset at of the folded text on, by is to be added to
// get an offset of the text.
type shift struct{ at, by int }

// set makes f the folded form of text, in the memory that f has.
func (f *foldedText) set(text []byte) {
	f.text, f.shifts = slices.Grow(f.text[:0], len(text)), f.shifts[:0]
	for i := 0; i < len(text); {
		n := len(f.text)
		f.text = slices.Grow(f.text, len(text)-i) // folding may have lengthened it
		n += lower(f.text[n:n+len(text)-i], text[i:])
		i += n - len(f.text)
		f.text = f.text[:n]
		for i < len(text) && text[i] >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError && size == 1 {
				f.text = append(f.text, text[i]) // stays invalid: it equals itself only
				i++
				continue
			}
			f.text = utf8.AppendRune(f.text, fold(r))
			i += size
			if by := i - len(f.text); by != f.shift() {
				f.shifts = append(f.shifts, shift{at: len(f.text), by: by})
			}
		}
	}
}

// Eight bytes at a time: the highest bit of each; and what lifts to it the bytes
// from 'A' on, and those behind 'Z'.
const (
	tops    = 0x8080808080808080
	fromA   = 0x3f3f3f3f3f3f3f3f
	behindZ = 0x2525252525252525
)

// lower writes text to dst, which is as long, with its letters made small, as far
// as it is ASCII, and returns how far that is.
func lower(dst, text []byte) int {
	i := 0
	for ; i+8 <= len(text) && i+8 <= len(dst); i += 8 {
		w := binary.LittleEndian.Uint64(text[i:])
		if w&tops != 0 {
			break
		}
		capital := (w + fromA) &^ (w + behindZ) & tops
		binary.LittleEndian.PutUint64(dst[i:], w|capital>>2) // 'a' is 'A' with the sixth bit
	}
	for ; i < len(text) && text[i] < utf8.RuneSelf; i++ {
		if dst[i] = text[i]; text[i]-'A' < 26 {
			dst[i] += 'a' - 'A'
		}
	}
	return i
}

func (f *foldedText) shift() int {
	if n := len(f.shifts); n > 0 {
		return f.shifts[n-1].by
	}
	return 0
}

// origin returns the offset in the text of offset i of the folded text.
func (f *foldedText) origin(i int) int {
	for n := len(f.shifts) - 1; n >= 0; n-- {
		if f.shifts[n].at <= i {
			return i + f.shifts[n].by
		}
	}
	return i
}

// place is the opposite of origin: the offset in the folded text of offset i
// of the text.
func (f *foldedText) place(i int) int {
	for n := len(f.shifts) - 1; n >= 0; n-- {
		if p := i - f.shifts[n].by; p >= f.shifts[n].at {
			return p
		}
	}
	return i
}

// before returns the class of the rune that ends at i, between at the start.
func before(text []byte, i int) class {
	if i == 0 {
		return between
	}
	if b := text[i-1]; b < utf8.RuneSelf {
		return classOf(rune(b))
	}
	r, _ := utf8.DecodeLastRune(text[:i])
	return classOf(r)
}

// after returns the class of the rune that begins at i, between at the end.
func after(text []byte, i int) class {
	if i == len(text) {
		return between
	}
	if b := text[i]; b < utf8.RuneSelf {
		return classOf(rune(b))
	}
	r, _ := utf8.DecodeRune(text[i:])
	return classOf(r)
}
