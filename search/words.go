package search

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/source"
)

// KeepWords has what will be searched again be found sooner, after a search: o.Store,
// if it keeps words, is told those that it does not know, and the index keeps the
// texts of the sessions that Options.Read was told of; else the index keeps all
// texts, as of [Update], which it is but for that.
func KeepWords(ctx context.Context, o catalog.Options, read map[string]bool) error {
	if o.Store != nil {
		err := powers.Index(ctx, o.Store, "/")
		switch {
		case err == nil && len(read) == 0:
			return nil
		case err == nil:
			return updateSome(ctx, o, read)
		case !errors.Is(err, errors.ErrUnsupported):
			return err
		}
	}
	return Update(ctx, o)
}

// WordsOf returns the words by which a search finds a stored line, each once, with
// spaces between them, and how much text it says, in bytes: what a store with a
// text search of its own is to be told of its lines. What is no entry has none;
// names of sessions count for no text. It is safe for concurrent use.
func WordsOf(line []byte) (words string, size int) {
	text := jsonl.Trim(line, 0).In(line)
	var e entry.Envelope
	if len(text) == 0 || e.Scan(text) != nil || e.Kind == entry.Session || e.Kind == entry.Title {
		return "", 0
	}
	var s speech
	s.read(text, e.Kind)
	if len(s.text) == 0 {
		return "", 0
	}
	plain := s.text[:len(s.text)-1]
	if s.role != titleRole {
		size = len(plain)
	}
	var f foldedText
	f.set(plain)
	all := string(f.text) // words are parts of it: none is copied to be looked up
	seen := make(map[string]struct{}, len(all)/64)
	var b strings.Builder
	eachWord(f.text, func(word []byte) bool {
		at := cap(f.text) - cap(word)
		one := all[at : at+len(word)]
		if _, again := seen[one]; !again {
			seen[one] = struct{}{}
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(one)
		}
		return true
	})
	return b.String(), size
}

// measure is how much text a chunk counts for where documents are compared by
// their lengths: names of sessions, which stand in several places, do not count.
func (c *chunk) measure() int {
	n := len(c.text)
	for i := range c.passages {
		if p := &c.passages[i]; p.role == titleRole {
			n -= p.end - p.start
		}
	}
	return n
}

// terms are the words that whatever the query finds has in one entry: first the
// keywords.
func (s *inquiry) terms() (all []powers.Term) {
	add := func(k keyword) {
		if t := (powers.Term{Word: k.text, Prefix: k.prefix}); !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	for _, k := range s.keywords {
		add(k)
	}
	for _, m := range s.q.find {
		if p, ok := m.(*pattern); ok {
			for _, k := range p.words() {
				add(k)
			}
		}
	}
	return all
}

// ask has the store say of which sessions nothing can be found in what was said, if
// it knows: those need not be read.
func (s *inquiry) ask(ctx context.Context) error {
	terms := s.terms()
	if s.o.Store == nil || s.q.title || len(terms) == 0 || len(terms) > powers.MaxTerms {
		return nil
	}
	byPath := map[string]*candidate{}
	for _, c := range s.unknown() {
		// Of a damaged one a store does not know the lines that are made of it.
		if !c.info.Damaged && !c.file.linked {
			byPath[c.info.Path] = c
		}
	}
	if len(byPath) == 0 {
		return nil
	}
	type answer struct {
		c *candidate
		w powers.Worded
	}
	var all []answer
	var err error
	for w, failed := range powers.Find(ctx, s.o.Store, "/", terms) {
		if err = failed; err != nil {
			break
		}
		if c := byPath[w.Info.Name]; c != nil && source.StateOf(w.Info).Stamp == c.file.stamp {
			all = append(all, answer{c, w})
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case err != nil:
		s.trouble(ctx, err) // they are read, then
		return nil
	}
	title := newSearcher(s.q, 1, s.keywords)
	for _, a := range all {
		a.c.told(title, a.w)
	}
	return nil
}

// told notes what the store knows of a session: with that it is done, unless
// there may be a hit. title searches its name.
func (c *candidate) told(title *searcher, w powers.Worded) {
	var name chunk
	title.reset()
	name.addTitle(&c.info)
	title.look(&name)
	if c.hinted = w.All || title.count > 0; c.hinted {
		return
	}
	c.size, c.done = w.Said, true
	for k, n := range title.counters {
		c.counts[k] = n.in(&name, &title.folded)
		if w.Has[k] {
			c.counts[k] = max(c.counts[k], 1)
		}
	}
}
