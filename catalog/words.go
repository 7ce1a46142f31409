package catalog

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// A WordFinder is the power of Options.FS to tell in which files words stand
// without their being read: those that [WordsOf] returned of their lines.
type WordFinder interface {
	// FindWords calls tell with every file of all of whose lines the words are
	// known: its path, what it is now, and which of the terms it has. The error
	// is errors.ErrUnsupported where that cannot be known.
	FindWords(ctx context.Context, terms []storage.Term, tell func(path string, file vfs.Info, w storage.Worded)) error
	// LearnWords has the words taken out of the lines of which they are not
	// known. The error is errors.ErrUnsupported where none are kept.
	LearnWords(ctx context.Context) error
}

// KeepWords has what will be searched again be found sooner, after a search: o.FS, if
// it is a [WordFinder] that keeps words, is told those that it does not know, and
// the index keeps the texts of the sessions that SearchOptions.Read was told of;
// else the index keeps all texts, as of [UpdateTexts], which it is but for that.
func KeepWords(ctx context.Context, o Options, read map[string]bool) error {
	if finder, ok := o.fsys().(WordFinder); ok {
		err := finder.LearnWords(ctx)
		switch {
		case err == nil && len(read) == 0:
			return nil
		case err == nil:
			return updateTexts(ctx, o, read)
		case !errors.Is(err, errors.ErrUnsupported):
			return err
		}
	}
	return UpdateTexts(ctx, o)
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
	var s said
	s.read(text, e.Kind)
	if len(s.text) == 0 {
		return "", 0
	}
	plain := s.text[:len(s.text)-1]
	if s.role != titleRole {
		size = len(plain)
	}
	var f folded
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
func (s *inquiry) terms() (all []storage.Term) {
	add := func(k keyword) {
		if t := (storage.Term{Word: k.text, Prefix: k.prefix}); !slices.Contains(all, t) {
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

// ask has the file system say of which sessions nothing can be found in what was
// said, if it knows: those need not be read.
func (s *inquiry) ask(ctx context.Context) error {
	finder, ok := s.o.fsys().(WordFinder)
	terms := s.terms()
	if !ok || s.q.title || len(terms) == 0 || len(terms) > storage.MaxTerms {
		return nil
	}
	byPath := map[string]*candidate{}
	for _, c := range s.unknown() {
		// Of a damaged one a store does not know the lines that are made of it.
		if !c.info.Damaged && c.file.target == "" {
			byPath[c.info.Path] = c
		}
	}
	if len(byPath) == 0 {
		return nil
	}
	type answer struct {
		c *candidate
		w storage.Worded
	}
	var all []answer
	err := finder.FindWords(ctx, terms, func(path string, file vfs.Info, w storage.Worded) {
		if c := byPath[path]; c != nil && stampOf(file) == c.file.stamp {
			all = append(all, answer{c, w})
		}
	})
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

// told notes what the file system knows of a session: with that it is done, unless
// there may be a hit. title searches its name.
func (c *candidate) told(title *searcher, w storage.Worded) {
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
