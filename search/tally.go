package search

import (
	"slices"

	"github.com/cambium-dev/cambium/internal/texts"
)

// A tally counts the words of a chunk and collects its marks. The zero tally is ready; it is reused.
type tally struct {
	folded foldedText
	counts map[string]*int32
	spare  []int32
	marker marker
}

// pack returns the chunk with its words.
func (t *tally) pack(c *chunk) texts.Chunk {
	t.count(c)
	var words [levels][]byte
	for word, n := range t.counts {
		level := levelOf(int(*n))
		words[level] = append(append(words[level], word...), ' ')
	}
	return texts.Chunk{Data: c.pack(make([]byte, 0, len(c.text)+len(c.text)/8+256)), Size: c.measure(), Words: words, Marks: slices.Clone(t.marker.marks)}
}

// count counts the words of every passage and collects the marks.
func (t *tally) count(c *chunk) {
	if t.counts == nil {
		t.counts = map[string]*int32{}
	}
	clear(t.counts)
	t.spare = t.spare[:0]
	t.marker.reset()
	t.folded.set(c.text)
	for i := range c.passages {
		text := textOf(c, &t.folded, &c.passages[i])
		t.marker.bytes(text.folded)
		before, some := uint32(0), false
		eachWord(text.folded, func(word []byte) bool {
			hash := hashWord(word)
			if some {
				t.marker.add(pairMark(before, hash))
			}
			before, some = hash, true
			if n := t.counts[string(word)]; n != nil {
				*n++
				return true
			}
			if len(t.spare) == cap(t.spare) {
				t.spare = make([]int32, 0, 4096)
			}
			t.spare = append(t.spare, 1)
			t.counts[string(word)] = &t.spare[len(t.spare)-1]
			return true
		})
	}
}
