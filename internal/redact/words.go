package redact

import "iter"

// words finds many words in a text at once, whatever their case: the machine of Aho
// and Corasick.
type words struct {
	class [256]uint8 // of bytes; 0 is in no word
	width int
	next  []uint16 // by state and class
	ends  [][]hit  // by state
}

// A hit is a word of a rule that ends.
type hit struct{ rule int }

// newWords returns the words of rules.
func newWords(rules []rule) *words {
	w := &words{width: 1, ends: make([][]hit, 1)}
	for _, r := range rules {
		for _, word := range r.keywords {
			for i := range len(word) {
				if c := word[i]; w.class[c] == 0 {
					w.class[c] = uint8(w.width)
					if c >= 'a' && c <= 'z' {
						w.class[c-'a'+'A'] = uint8(w.width)
					}
					w.width++
				}
			}
		}
	}
	w.next = make([]uint16, w.width)
	for n, r := range rules {
		for _, word := range r.keywords {
			w.add(word, n)
		}
	}
	w.link()
	return w
}

// add adds a word of rule n.
func (w *words) add(word string, n int) {
	at := 0
	for i := range len(word) {
		step := at*w.width + int(w.class[word[i]])
		if w.next[step] == 0 {
			w.next[step] = uint16(len(w.ends))
			w.ends = append(w.ends, nil)
			w.next = append(w.next, make([]uint16, w.width)...)
		}
		at = int(w.next[step])
	}
	w.ends[at] = append(w.ends[at], hit{n})
}

// link fills in where each state goes on when its word breaks off.
func (w *words) link() {
	fail := make([]uint16, len(w.ends))
	var queue []int
	for c := range w.width {
		if to := int(w.next[c]); to != 0 {
			queue = append(queue, to)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		w.ends[at] = append(w.ends[at], w.ends[fail[at]]...)
		for c := range w.width {
			step, instead := at*w.width+c, w.next[int(fail[at])*w.width+c]
			if to := int(w.next[step]); to != 0 {
				fail[to] = instead
				queue = append(queue, to)
			} else {
				w.next[step] = instead
			}
		}
	}
}

// all yields where words end.
func (w *words) all(s string) iter.Seq2[[]hit, int] {
	return func(yield func([]hit, int) bool) {
		at := 0
		for i := range len(s) {
			at = int(w.next[at*w.width+int(w.class[s[i]])])
			if len(w.ends[at]) > 0 && !yield(w.ends[at], i+1) {
				return
			}
		}
	}
}
