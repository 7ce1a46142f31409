// Package search finds what was said in sessions: words, phrases and expressions, in
// every entry of every branch, the best session first.
//
// It has the sessions listed by package catalog, and reads the text of those that
// no index keeps. doc/search.md says what is searched, what a query is and in which
// order the answer comes.
package search

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/texts"
)

// Options say where to search and how much of what is found to tell.
type Options struct {
	// Options say which sessions are searched. Those of which the Index keeps
	// the text as it is now are not read again. Progress is told of the listing,
	// and then of those whose text must be read.
	catalog.Options
	// PerSession is how many hits of one session are told at most, the best of
	// them; 0 means all.
	PerSession int
	// Read, if not nil, is told the path of each session that is read because its
	// words, which the Store keeps, may be a hit.
	Read func(path string)
}

// A Hit is an entry that a query found.
type Hit struct {
	// Info is the session.
	Info catalog.Info
	// EntryID is the entry's id, "" for a session's title and for an entry
	// without one. Entry is its position in the session, -1 for the title.
	EntryID string
	Entry   int
	Kind    entry.Kind
	// Role is who said it, as files spell roles: of a summary that of the
	// message it makes, of what is never a message its kind, "title" for names.
	Role string
	// Time is the entry's timestamp; zero when it has none.
	Time time.Time
	// Tool is the tool that it calls or answers, the one asked for if one was;
	// Model the "provider/id" that answered.
	Tool, Model string
	// Snippet is text around what was found, on one line. Ranges are where in
	// it that stands: start and end in UTF-16 units, ascending.
	Snippet string
	Ranges  [][2]int
	// Branch says where in its session the entry stands.
	Branch Branch
	// Score is the session's: its hits follow each other, the best first.
	Score float64
	// More counts, at the last hit that is told of a session, those that are
	// not told.
	More int
}

// Run yields what q finds, the best session first, as soon as it is known;
// doc/search.md says what the order is. Sessions of which the Index keeps the text
// as it is now are not read; the answer is the same without one. It ends with an
// error when the sessions cannot be listed, or ctx ends.
func Run(ctx context.Context, q Query, o Options) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		s := &inquiry{q: &q, o: &o, from: catalogSource(o.Options), keywords: distinctWords(q.literals)}
		if err := s.run(ctx, yield); err != nil {
			yield(Hit{}, err)
		}
	}
}

// An inquiry is one run of a query.
type inquiry struct {
	q        *Query
	o        *Options
	keywords []keyword
	all      []*candidate
	titles   foldedText

	from  source.Source
	texts texts.View // nil without an index
	known []texts.Record
	once  sync.Once // of telling that a chunk is damaged
}

// A candidate is a session that is searched.
type candidate struct {
	info catalog.Info
	file file
	text texts.Record // Text is 0 when it is not known as it is now
	size int64        // of its text, in bytes
	// counts are how often each keyword stands in it.
	counts []int
	// chunks are those in which a hit may be, by number, ascending.
	chunks []int
	// at and kept are how far sifting them is, and how many are left so far.
	at, kept int

	hits  []find
	found int
	score float64
	done  bool // hits and found are what there is
	// hinted says that a hit may be in it, by words that are known elsewhere.
	hinted bool
}

// hopeful reports whether there may be a hit.
func (c *candidate) hopeful() bool { return c.found > 0 || !c.done && len(c.chunks) > 0 }

// run answers the query. The error is that of the listing or of ctx; yield is
// not called any more once it said no.
func (s *inquiry) run(ctx context.Context, yield func(Hit, error) bool) error {
	kept := s.open(ctx)
	err := s.list(ctx)
	if s.take(ctx, kept()); err != nil {
		s.close()
		return err
	}
	if s.texts != nil {
		defer s.close()
		if err := s.lookUp(ctx); err != nil {
			s.abandon(ctx, err)
		}
	}
	if err := s.ask(ctx); err != nil {
		return err
	}
	if err := s.scan(ctx, s.unknown()); err != nil {
		return err
	}
	return s.answer(ctx, s.scores(), yield)
}

// list finds the sessions.
func (s *inquiry) list(ctx context.Context) error {
	o := s.o.Options
	o.Text = false
	o.Progress = func(done, total int) {
		if s.o.Progress != nil && done < total {
			s.o.Progress(done, total)
		}
	}
	o.Trouble = func(err error) {
		s.o.Index = nil
		if s.o.Trouble != nil {
			s.o.Trouble(err)
		}
	}
	for f, err := range catalog.Files(ctx, o) {
		if err != nil {
			return err
		}
		if info := &f.Info; s.q.admits(info) && (info.ID != "" || !info.Damaged || info.Messages > 0) {
			s.all = append(s.all, &candidate{info: *info, file: fileOf(&f), counts: make([]int, len(s.keywords))})
		}
	}
	return ctx.Err()
}

// A file is where a session is read.
type file struct {
	name   string // not the session's path when that is a link
	stamp  source.Stamp
	linked bool
}

func fileOf(f *catalog.File) file {
	at := &f.State
	return file{
		name: f.Name, linked: f.Name != f.Info.Path,
		stamp: source.Stamp{Dev: at.Dev, Ino: at.Ino, Size: at.Size, ModTime: at.ModTime},
	}
}

// unknown are the candidates that must be read.
func (s *inquiry) unknown() (all []*candidate) {
	for _, c := range s.all {
		if c.text.Text == 0 && !c.done {
			all = append(all, c)
		}
	}
	return all
}

// scan searches the sessions directly, on all cores.
func (s *inquiry) scan(ctx context.Context, all []*candidate) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	work := make(chan *candidate)
	done := make(chan struct{}, 1)
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		group.Go(func() {
			w := newSearcher(s.q, s.o.PerSession, s.keywords)
			for c := range work {
				s.read(ctx, w, c)
				select {
				case done <- struct{}{}:
				case <-ctx.Done():
				}
			}
		})
	}
	if s.o.Read != nil {
		for _, c := range all {
			if c.hinted {
				s.o.Read(c.info.Path)
			}
		}
	}
	group.Go(func() {
		defer close(work)
		for _, c := range all {
			select {
			case work <- c:
			case <-ctx.Done():
				return
			}
		}
	})
	for n := range all {
		select {
		case <-done:
		case <-ctx.Done():
			group.Wait()
			return ctx.Err()
		}
		if s.o.Progress != nil {
			s.o.Progress(n+1, len(all))
		}
	}
	group.Wait()
	return ctx.Err()
}

// read searches one session in its file.
func (s *inquiry) read(ctx context.Context, w *searcher, c *candidate) {
	w.reset()
	c.size, c.found = 0, 0
	clear(c.counts)
	each := eachChunk
	if s.q.title {
		each = titleChunk
	}
	// What cannot be read of a session has nothing to be found in.
	_ = each(ctx, s.from.Store(), c.file.name, &c.info, func(k *chunk) bool {
		if c.size += int64(k.measure()); s.q.title {
			c.size += int64(len(k.text))
		}
		w.folded.set(k.text)
		for i, n := range w.counters {
			c.counts[i] += n.in(k, &w.folded)
		}
		w.find(k)
		return ctx.Err() == nil
	})
	c.hits, c.found, c.done = w.hits, w.count, true
}

// answer yields the hits of the candidates in their order.
func (s *inquiry) answer(ctx context.Context, all []*candidate, yield func(Hit, error) bool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ahead := s.ahead(ctx, all)
	defer ahead.wait(stop)
	for n, c := range all {
		ahead.until(ctx, n)
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range c.hits {
			if !yield(s.hit(c, i), nil) {
				return nil
			}
		}
		c.hits = nil
	}
	return nil
}

// hit tells of hit i of a session.
func (s *inquiry) hit(c *candidate, i int) Hit {
	f := &c.hits[i]
	p := &f.passage
	h := Hit{
		Info: c.info, EntryID: p.id, Entry: p.entry, Kind: p.kind, Role: p.role, Model: p.model,
		Snippet: f.snippet, Ranges: f.ranges, Branch: p.branch, Score: c.score,
	}
	if p.time != entry.NoTime {
		h.Time = time.UnixMilli(p.time).UTC()
	}
	if len(p.tools) > 0 {
		h.Tool = p.tools[0]
		asked := slices.IndexFunc(p.tools, s.q.asksFor)
		if asked >= 0 {
			h.Tool = p.tools[asked]
		}
	}
	if i == len(c.hits)-1 {
		h.More = c.found - len(c.hits)
	}
	return h
}

// asksFor reports whether a filter asks for a tool.
func (q *Query) asksFor(tool string) bool {
	name := foldString(tool)
	return slices.ContainsFunc(q.filters, func(f filter) bool { return f.key == byTool && !f.not && f.text == name })
}
