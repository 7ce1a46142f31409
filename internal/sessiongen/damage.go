package sessiongen

import (
	"bytes"
	"math/rand/v2"
	"slices"
)

// Wound says what was done to a file and where.
type Wound struct {
	// Kind is the name of the function that did it, in lower case.
	Kind string
	// Offset is the place in the original file, Length the number of its bytes
	// that are changed or gone.
	Offset, Length int
}

// Damage does one of the kinds of damage below, chosen by rng, to a copy of the
// file. Equal seeds and files give equal damage; data is never changed.
func Damage(rng *rand.Rand, data []byte) ([]byte, Wound) {
	kinds := []func(*rand.Rand, []byte) ([]byte, Wound){Flip, Cut, Nuls, Glue, Drop, Tear, Repeat}
	return kinds[rng.IntN(len(kinds))](rng, data)
}

// Flip inverts one bit of one byte, as bad memory and disks do.
func Flip(rng *rand.Rand, data []byte) ([]byte, Wound) {
	if len(data) == 0 {
		return nil, Wound{Kind: "flip"}
	}
	at := rng.IntN(len(data))
	out := slices.Clone(data)
	out[at] ^= 1 << rng.IntN(8)
	return out, Wound{"flip", at, 1}
}

// Cut ends the file at a random place, as a full disk or a crash does.
func Cut(rng *rand.Rand, data []byte) ([]byte, Wound) {
	if len(data) == 0 {
		return nil, Wound{Kind: "cut"}
	}
	at := rng.IntN(len(data))
	return slices.Clone(data[:at]), Wound{"cut", at, len(data) - at}
}

// Nuls overwrites up to 600 bytes with NUL, as a file system does whose size
// was saved before the data.
func Nuls(rng *rand.Rand, data []byte) ([]byte, Wound) {
	if len(data) == 0 {
		return nil, Wound{Kind: "nuls"}
	}
	at := rng.IntN(len(data))
	n := min(1+rng.IntN(600), len(data)-at)
	out := slices.Clone(data)
	clear(out[at : at+n])
	return out, Wound{"nuls", at, n}
}

// Glue takes one newline out, so that two lines become one.
func Glue(rng *rand.Rand, data []byte) ([]byte, Wound) {
	ends := newlines(data)
	if len(ends) == 0 {
		return slices.Clone(data), Wound{Kind: "glue"}
	}
	at := ends[rng.IntN(len(ends))]
	return slices.Delete(slices.Clone(data), at, at+1), Wound{"glue", at, 1}
}

// Drop takes one whole line out, the header and an unterminated tail excepted.
func Drop(rng *rand.Rand, data []byte) ([]byte, Wound) {
	ends := newlines(data)
	if len(ends) < 2 {
		return slices.Clone(data), Wound{Kind: "drop"}
	}
	i := 1 + rng.IntN(len(ends)-1)
	from, to := ends[i-1]+1, ends[i]+1
	return slices.Delete(slices.Clone(data), from, to), Wound{"drop", from, to - from}
}

// Tear takes the end of one line and its newline out, so that a torn prefix
// stands glued to the whole next line: what an appender leaves that starts
// after another was killed.
func Tear(rng *rand.Rand, data []byte) ([]byte, Wound) {
	ends := newlines(data)
	if len(ends) < 2 {
		return slices.Clone(data), Wound{Kind: "tear"}
	}
	i := 1 + rng.IntN(len(ends)-1)
	first, end := ends[i-1]+1, ends[i]+1
	from := first + rng.IntN(end-first)
	return slices.Delete(slices.Clone(data), from, end), Wound{"tear", from, end - from}
}

// Repeat writes one line a second time right after itself, as a retried append
// does. Nothing of the original is lost.
func Repeat(rng *rand.Rand, data []byte) ([]byte, Wound) {
	ends := newlines(data)
	if len(ends) < 2 {
		return slices.Clone(data), Wound{Kind: "repeat"}
	}
	i := 1 + rng.IntN(len(ends)-1)
	from, to := ends[i-1]+1, ends[i]+1
	return slices.Insert(slices.Clone(data), to, data[from:to]...), Wound{"repeat", to, 0}
}

// newlines returns the offsets of all LF bytes.
func newlines(data []byte) []int {
	var at []int
	for i := 0; ; i++ {
		n := bytes.IndexByte(data[i:], '\n')
		if n < 0 {
			return at
		}
		i += n
		at = append(at, i)
	}
}
