package sessiongen

import "math/rand/v2"

// vocabularySize is how many words a store has.
const vocabularySize = 60_000

// The frequency of the word of rank n (from 0) is about 1/(zipfV+n)^zipfS, as in
// what people write.
const (
	zipfS = 1.07
	zipfV = 2.7
)

// onsets and rimes are what the rarer words are made of.
var (
	onsets = [...]string{"b", "br", "c", "ch", "d", "f", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "pl", "qu", "r", "s", "st", "t", "tr", "v", "w", "z"}
	rimes  = [...]string{"a", "e", "i", "o", "u", "an", "el", "in", "or", "us", "ack", "end", "ing", "ope", "ule"}
)

// A vocabulary are words of which some are common and most are rare.
type vocabulary struct {
	words []string
	rank  *rand.Zipf
}

// newVocabulary returns the vocabulary of a store, the words being drawn by rng.
// The most common are those of prose, then come shorter before longer ones.
func newVocabulary(rng *rand.Rand) *vocabulary {
	v := &vocabulary{words: append(make([]string, 0, vocabularySize), words[:]...), rank: rand.NewZipf(rng, zipfS, zipfV, vocabularySize-1)}
	seen := make(map[string]bool, vocabularySize)
	for _, w := range v.words {
		seen[w] = true
	}
	for n := 0; len(v.words) < vocabularySize; n++ {
		if w := spell(n); !seen[w] {
			seen[w] = true
			v.words = append(v.words, w)
		}
	}
	return v
}

// spell returns the n-th word: two syllables or more.
func spell(n int) string {
	const syllables = len(onsets) * len(rimes)
	w := ""
	for n += syllables; n > 0; n /= syllables {
		s := n % syllables
		w += onsets[s%len(onsets)] + rimes[s/len(onsets)]
	}
	return w
}

// word returns a word, the common ones often.
func (v *vocabulary) word(*rand.Rand) string { return v.words[v.rank.Uint64()] }

// plain returns one of the 27 words, each as often.
func plain(rng *rand.Rand) string { return words[rng.Uint32N(uint32(len(words)))] }
