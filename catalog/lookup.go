package catalog

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
)

// open asks the index for the texts that it keeps.
func (s *inquiry) open(ctx context.Context) {
	index, ok := s.o.Index.(TextIndex)
	if !ok {
		return
	}
	texts, err := index.Texts(ctx)
	if err != nil {
		s.trouble(ctx, err)
		return
	}
	s.texts = texts
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
		c.text, c.size, c.chunks = TextRecord{}, 0, nil
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
	for r, err := range s.texts.Known(ctx) {
		if err != nil {
			return err
		}
		c := byPath[r.Path]
		if c == nil || r.Stamp != c.file.stamp() {
			continue
		}
		c.text, c.size = r, r.Size
		byText[r.Text] = c
	}
	if len(s.keywords) == 0 {
		for _, c := range byText {
			for n := range c.text.Chunks {
				c.chunks = append(c.chunks, n)
			}
		}
		return nil
	}
	for k := range s.keywords {
		if err := s.lookUpWord(ctx, k, byText); err != nil {
			return err
		}
	}
	return nil
}

// lookUpWord finds where a keyword stands: a chunk may have a hit if it has all
// keywords.
func (s *inquiry) lookUpWord(ctx context.Context, k int, byText map[int64]*candidate) error {
	word := s.keywords[k]
	at := make(map[*candidate][]Posting)
	var last *candidate
	var run []Posting
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
		c.take(k, word, at[c])
	}
	return nil
}

// take counts the postings of keyword k and keeps the chunks that have it too.
func (c *candidate) take(k int, word keyword, postings []Posting) {
	slices.SortFunc(postings, func(a, b Posting) int {
		return cmp.Or(a.Chunk-b.Chunk, int(b.Level)-int(a.Level))
	})
	postings = slices.CompactFunc(postings, func(a, b Posting) bool { return a.Chunk == b.Chunk })
	var both []int
	for _, p := range postings {
		if !word.cut() {
			c.counts[k] += weigh(min(p.Level, levels-1))
		}
		if k == 0 {
			both = append(both, p.Chunk)
		} else if _, ok := slices.BinarySearch(c.chunks, p.Chunk); ok {
			both = append(both, p.Chunk)
		}
	}
	c.chunks = both
}

// An ahead searches the texts of candidates before they are asked for, on all
// cores, some ahead of who asks.
type ahead struct {
	ready []chan struct{} // by candidate, nil for those that need nothing
	slots chan struct{}
	group sync.WaitGroup
}

// lookAhead is how many candidates each worker may be ahead.
const lookAhead = 8

// ahead begins to search the candidates.
func (s *inquiry) ahead(ctx context.Context, all []*candidate) *ahead {
	a := &ahead{ready: make([]chan struct{}, len(all))}
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
func (a *ahead) until(ctx context.Context, n int) {
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
func (a *ahead) wait(stop context.CancelFunc) {
	stop()
	a.group.Wait()
}

// verify searches the kept text of a session, or its file if the text cannot be
// had.
func (s *inquiry) verify(ctx context.Context, w *searcher, c *candidate) {
	w.reset()
	for _, n := range c.chunks {
		err := s.chunk(ctx, w, c.text.Text, n)
		if err == nil && ctx.Err() == nil {
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

// chunk fetches a packed chunk.
func (s *inquiry) chunk(ctx context.Context, w *searcher, text int64, n int) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.packed, err = s.texts.Chunk(ctx, text, n, w.packed[:0])
	return err
}
