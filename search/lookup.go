package search

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/cambium-dev/cambium/internal/texts"
)

// A shelf is what an index says of the texts that it keeps.
type shelf struct {
	texts texts.View
	known []texts.Record
	err   error
}

// open begins to ask the index for the texts that it keeps; what it returns waits
// for the answer.
func (s *inquiry) open(ctx context.Context) func() shelf {
	index, ok := s.o.Index.(texts.Index)
	if !ok || s.q.title {
		return func() shelf { return shelf{} }
	}
	answer := make(chan shelf, 1)
	go func() {
		var k shelf
		if k.texts, k.err = index.Texts(ctx); k.err == nil {
			for r, err := range k.texts.Known(ctx) {
				if k.err = err; err != nil {
					break
				}
				k.known = append(k.known, r)
			}
		}
		answer <- k
	}()
	return func() shelf { return <-answer }
}

// take goes on with what the index keeps, or without it: when asking failed, or
// there was trouble with it meanwhile, which was told.
func (s *inquiry) take(ctx context.Context, k shelf) {
	if s.texts, s.known = k.texts, k.known; k.err != nil && s.o.Index != nil {
		s.trouble(ctx, k.err)
	}
	if k.err != nil || s.o.Index == nil {
		s.close()
	}
}

// close lets go of the texts.
func (s *inquiry) close() {
	if s.texts != nil {
		_ = s.texts.Close() // nothing was written
	}
	s.texts, s.known = nil, nil
}

func (s *inquiry) trouble(ctx context.Context, err error) {
	if s.o.Trouble != nil && ctx.Err() == nil {
		s.o.Trouble(err)
	}
}

// abandon goes on without the index.
func (s *inquiry) abandon(ctx context.Context, err error) {
	s.trouble(ctx, err)
	for _, c := range s.all {
		c.text, c.size, c.chunks = texts.Record{}, 0, nil
		clear(c.counts)
	}
}

// lookUp finds which sessions are known as they are now, and where in them the
// words of the query stand.
func (s *inquiry) lookUp(ctx context.Context) error {
	byPath := make(map[string]*candidate, len(s.all))
	for _, c := range s.all {
		byPath[c.info.Path] = c
	}
	byText := make(map[int64]*candidate, len(s.all))
	for _, r := range s.known {
		c := byPath[r.Path]
		if c == nil || r.Stamp != c.file.stamp {
			continue
		}
		c.text, c.size = r, r.Size
		byText[r.Text] = c
	}
	for _, c := range byText {
		for n := range c.text.Chunks {
			c.chunks = append(c.chunks, n)
		}
	}
	for k, word := range s.keywords {
		if err := s.lookUpWord(ctx, word, byText, func(c *candidate) *int { return &c.counts[k] }); err != nil {
			return err
		}
	}
	for _, m := range s.q.find {
		p, ok := m.(*pattern)
		if !ok {
			continue
		}
		for _, word := range p.words() {
			var uncounted int
			if err := s.lookUpWord(ctx, word, byText, func(*candidate) *int { return &uncounted }); err != nil {
				return err
			}
		}
	}
	return s.sift(ctx, byText)
}

// lookUpWord finds where a word stands, keeps the chunks that have it, and adds
// what it weighs in a candidate to count.
func (s *inquiry) lookUpWord(ctx context.Context, word keyword, byText map[int64]*candidate, count func(*candidate) *int) error {
	at := make(map[*candidate][]texts.Posting)
	var last *candidate
	var run []texts.Posting
	for p, err := range s.texts.Postings(ctx, word.text, word.prefix) {
		if err != nil {
			return err
		}
		c := byText[p.Text]
		if c == nil || p.Chunk >= c.text.Chunks {
			continue
		}
		if c != last {
			if last != nil {
				at[last] = run
			}
			last, run = c, at[c]
		}
		run = append(run, p)
	}
	if last != nil {
		at[last] = run
	}
	for _, c := range byText {
		*count(c) += c.take(word, at[c])
	}
	return nil
}

// take keeps the chunks of postings of a word and returns what they weigh.
func (c *candidate) take(word keyword, postings []texts.Posting) (weight int) {
	slices.SortFunc(postings, func(a, b texts.Posting) int {
		return cmp.Or(a.Chunk-b.Chunk, int(b.Level)-int(a.Level))
	})
	postings = slices.CompactFunc(postings, func(a, b texts.Posting) bool { return a.Chunk == b.Chunk })
	kept, from := c.chunks[:0], c.chunks
	for _, p := range postings {
		if !word.cut() {
			weight += weigh(min(p.Level, levels-1))
		}
		for len(from) > 0 && from[0] < p.Chunk {
			from = from[1:]
		}
		if len(from) > 0 && from[0] == p.Chunk {
			kept = append(kept, p.Chunk)
		}
	}
	c.chunks = kept
	return weight
}

// A lookahead searches the texts of candidates before they are asked for, on all
// cores, some ahead of who asks.
type lookahead struct {
	ready []chan struct{} // by candidate, nil for those that need nothing
	slots chan struct{}
	group sync.WaitGroup
}

// lookAhead is how many candidates each worker may be ahead.
const lookAhead = 8

// ahead begins to search the candidates.
func (s *inquiry) ahead(ctx context.Context, all []*candidate) *lookahead {
	a := &lookahead{ready: make([]chan struct{}, len(all))}
	left := 0
	for n, c := range all {
		if !c.done {
			a.ready[n] = make(chan struct{})
			left++
		}
	}
	workers := min(runtime.GOMAXPROCS(0), left)
	a.slots = make(chan struct{}, lookAhead*max(workers, 1))
	work := make(chan int)
	a.group.Go(func() {
		defer close(work)
		for n := range all {
			if a.ready[n] == nil {
				continue
			}
			select {
			case a.slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			select {
			case work <- n:
			case <-ctx.Done():
				return
			}
		}
	})
	for range workers {
		a.group.Go(func() {
			w := newSearcher(s.q, s.o.PerSession, s.keywords)
			for n := range work {
				s.verify(ctx, w, all[n])
				close(a.ready[n])
			}
		})
	}
	return a
}

// until waits until candidate n has been searched.
func (a *lookahead) until(ctx context.Context, n int) {
	if a.ready[n] == nil {
		return
	}
	select {
	case <-a.ready[n]:
		<-a.slots
	case <-ctx.Done():
	}
}

// wait ends the search and waits for all that was begun.
func (a *lookahead) wait(stop context.CancelFunc) {
	stop()
	a.group.Wait()
}

// verify searches the kept text of a session, or its file if the text cannot be
// had.
func (s *inquiry) verify(ctx context.Context, w *searcher, c *candidate) {
	w.reset()
	for _, n := range c.chunks {
		packed, err := s.texts.Chunk(ctx, c.text.Text, n, w.packed[:0])
		if w.packed = packed; err == nil && ctx.Err() == nil {
			err = w.chunk.unpack(w.packed)
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.once.Do(func() { s.trouble(ctx, err) })
			s.read(ctx, w, c)
			return
		}
		w.look(&w.chunk)
	}
	c.hits, c.found, c.done = w.hits, w.count, true
}
