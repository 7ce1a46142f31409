package search

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/cambium-dev/cambium/internal/texts"
)

// A mark stands for two words that follow each other in a passage, or for three
// bytes that follow each other in a folded text. What an index keeps of the marks
// of a chunk tells what the chunk surely does not have, without its being read.
// Single words have an index of their own: marks serve phrases of common words,
// what is written with other characters in it, and expressions.

// mark returns the mark of a hash: its bits are spread.
func mark(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x7FEB352D
	h ^= h >> 15
	h *= 0x846CA68B
	h ^= h >> 16
	return h >> (32 - texts.MarkBits)
}

// hashWord is FNV-1a.
func hashWord(word []byte) uint32 {
	h := uint32(2166136261)
	for _, b := range word {
		h = (h ^ uint32(b)) * 16777619
	}
	return h
}

// pairMark is the mark of two words of which the hashes are given.
func pairMark(first, second uint32) uint32 { return mark(first*0x9E3779B1 + second) }

// bytesMark is the mark of three bytes.
func bytesMark(a, b, c byte) uint32 { return mark(uint32(a) | uint32(b)<<8 | uint32(c)<<16) }

// A marker collects the marks of a chunk, each once. The zero marker is ready
// after reset; it is reused.
type marker struct {
	seen  []uint64 // a bit for each mark
	marks []uint32
}

func (m *marker) reset() {
	if m.seen == nil {
		m.seen = make([]uint64, 1<<(texts.MarkBits-6))
	}
	clear(m.seen)
	m.marks = m.marks[:0]
}

func (m *marker) add(mark uint32) {
	if bit := uint64(1) << (mark & 63); m.seen[mark>>6]&bit == 0 {
		m.seen[mark>>6] |= bit
		m.marks = append(m.marks, mark)
	}
}

// bytes adds the marks of all bytes of a folded text.
func (m *marker) bytes(text []byte) {
	for i := 2; i < len(text); i++ {
		m.add(bytesMark(text[i-2], text[i-1], text[i]))
	}
}

// maxMarks is how many marks of one part of a query are asked for: each narrows
// only what the others left.
const maxMarks = 6

// marks returns marks that whatever has the literal has: of words beside each
// other, and of what is between them.
func (l *literal) marks() (all []uint32) {
	words := l.words
	if len(words) > 0 && words[len(words)-1].prefix {
		words = words[:len(words)-1] // its end is not known
	}
	for i := 1; i < len(words) && len(all) < maxMarks; i++ {
		all = append(all, pairMark(hashWord([]byte(words[i-1].text)), hashWord([]byte(words[i].text))))
	}
	for i := 2; i < len(l.needle) && len(all) < maxMarks; i++ {
		three := l.needle[i-2 : i+1]
		if !slices.Contains(three, ' ') && slices.ContainsFunc(three, func(b byte) bool { return rarity(b) == oddity }) {
			all = append(all, bytesMark(three[0], three[1], three[2]))
		}
	}
	return all
}

// marks returns marks of the needles, those of the rarest bytes first.
func (p *pattern) marks() (all []uint32) {
	var rare [][]byte
	for _, needle := range p.needles {
		for i := 3; i <= len(needle); i++ {
			rare = append(rare, needle[i-3:i])
		}
	}
	sum := func(b []byte) int {
		n := rarity(b[0]) + rarity(b[1]) + rarity(b[2])
		if bytes.Contains(b, []byte("qu")) {
			n -= rarity('q') // one hardly ever comes without the other
		}
		return n
	}
	slices.SortStableFunc(rare, func(a, b []byte) int { return cmp.Compare(sum(b), sum(a)) })
	for _, b := range rare[:min(len(rare), maxMarks)] {
		all = append(all, bytesMark(b[0], b[1], b[2]))
	}
	return all
}

// oddity is the rarity of what is neither blank nor a letter nor a digit.
const oddity = 3

// rarity guesses how rare a byte is in folded text.
func rarity(b byte) int {
	switch {
	case b == ' ', b == '\n', b == '\t':
		return 0
	case 'a' <= b && b <= 'z':
		switch b {
		case 'e', 't', 'a', 'o', 'i', 'n', 's', 'r':
			return 0
		case 'j', 'q', 'x', 'z', 'k', 'v', 'w':
			return 2
		}
		return 1
	case '0' <= b && b <= '9':
		return 2
	}
	return oddity
}

// few is how many chunks are rather read than sifted.
const few = 4

// sift drops chunks that surely do not have what the query looks for.
func (s *inquiry) sift(ctx context.Context, byText map[int64]*candidate) error {
	for _, m := range s.q.find {
		idle := 0
		for _, mark := range m.marks() {
			left, open := 0, []int64(nil)
			for id, c := range byText {
				c.at, c.kept = 0, 0
				if left += len(c.chunks); len(c.chunks) > 0 {
					open = append(open, id)
				}
			}
			if left <= few {
				return nil
			}
			if len(open) > len(byText)/some {
				open = nil
			}
			slices.Sort(open)
			dropped, err := s.siftFor(ctx, mark, open, byText)
			if err != nil {
				return err
			}
			if dropped < left/4 {
				if idle++; idle == maxIdle {
					break
				}
			}
		}
	}
	return nil
}

// some is the share of all texts of which many are asked one by one.
const some = 4

// maxIdle is how many marks of one part may have dropped hardly anything.
const maxIdle = 2

// siftFor drops the chunks that do not have a mark, and counts them.
func (s *inquiry) siftFor(ctx context.Context, mark uint32, open []int64, byText map[int64]*candidate) (dropped int, err error) {
	for p, err := range s.texts.Lacking(ctx, mark, open) {
		if err != nil {
			return 0, err
		}
		if c := byText[p.Text]; c != nil {
			c.drop(p.Chunk)
		}
	}
	for _, c := range byText {
		c.keep(len(c.chunks))
		dropped += len(c.chunks) - c.kept
		c.chunks = c.chunks[:c.kept]
	}
	return dropped, nil
}

// drop drops a chunk, one after those that were dropped before.
func (c *candidate) drop(chunk int) {
	end := c.at
	for end < len(c.chunks) && c.chunks[end] < chunk {
		end++
	}
	c.keep(end)
	if end < len(c.chunks) && c.chunks[end] == chunk {
		c.at++
	}
}

// keep keeps the chunks from where it is to end.
func (c *candidate) keep(end int) {
	c.kept += copy(c.chunks[c.kept:], c.chunks[c.at:end])
	c.at = end
}
