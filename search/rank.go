package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// The order of sessions. A session's score is the sum of
//
//   - BM25 (k1 = 1.2, b = 0.75) over the words of the query, with all its text but
//     for the length of its names as the document and the sessions that are searched as the collection. How
//     often a word stands in a session is counted by the chunk and in steps: 1,
//     2, 4 and 8 or more count as 1, 2, 4 and 8. A word* counts as the most
//     frequent of the words that begin so. Words of more than 60 bytes and
//     regular expressions count nothing here;
//   - up to 4 for what is found in its title;
//   - 2 for a session that changed just now, half of it for each 30 days since.
//
// Of equal ones the one that changed last comes first. The score depends on the
// sessions and the query only, never on what an index knows of them.
const (
	bm25K         = 1.2
	bm25B         = 0.75
	titleBoost    = 4.0
	recencyBoost  = 2.0
	recencyHalved = 30 * 24 * time.Hour
)

// scores gives every candidate its score and orders them.
func (s *inquiry) scores() []*candidate {
	total, sessions := int64(0), 0
	docs := make([]int, len(s.keywords))
	for _, c := range s.all {
		if c.size == 0 {
			continue
		}
		sessions++
		total += c.size
		for k, n := range c.counts {
			if n > 0 {
				docs[k]++
			}
		}
	}
	mean := max(float64(total)/float64(max(sessions, 1)), 1)
	idf := make([]float64, len(docs))
	for k, n := range docs {
		idf[k] = math.Log(1 + (float64(sessions-n)+0.5)/(float64(n)+0.5))
	}
	var hopeful []*candidate
	for _, c := range s.all {
		if !c.hopeful() {
			continue
		}
		length := bm25K * (1 - bm25B + bm25B*float64(c.size)/mean)
		for k, n := range c.counts {
			if n > 0 && !s.keywords[k].cut() {
				c.score += idf[k] * float64(n) * (bm25K + 1) / (float64(n) + length)
			}
		}
		c.score += titleBoost*s.inTitle(c.info.Title) + recencyBoost*recency(c.info.Modified, s.q.now)
		hopeful = append(hopeful, c)
	}
	slices.SortFunc(hopeful, compareCandidates)
	return hopeful
}

func compareCandidates(a, b *candidate) int {
	if by := cmp.Compare(b.score, a.score); by != 0 {
		return by
	}
	if by := b.info.Modified.Compare(a.info.Modified); by != 0 {
		return by
	}
	return strings.Compare(a.info.Path, b.info.Path)
}

// inTitle returns how much of what is looked for is in a title, from 0 to 1.
func (s *inquiry) inTitle(title string) float64 {
	if title == "" || len(s.q.find) == 0 {
		return 0
	}
	c := chunk{}
	c.add(passage{}, []byte(title))
	s.titles.set(c.text)
	t := textOf(&c, &s.titles, &c.passages[0])
	n := 0
	for _, m := range s.q.find {
		if m.may(t.folded) && len(m.spans(&t, 1)) > 0 {
			n++
		}
	}
	return float64(n) / float64(len(s.q.find))
}

// recency returns 1 for now, and half of it for each half-life since.
func recency(t, now time.Time) float64 {
	age := max(now.Sub(t), 0)
	return math.Exp2(-float64(age) / float64(recencyHalved))
}
