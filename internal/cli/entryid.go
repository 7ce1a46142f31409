package cli

import (
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
)

// entryID returns the id of the entry that a person means by arg: an id, the
// beginning of one (at least 4 characters), or a label.
func entryID(s *session.Session, arg string) (entry.ID, error) {
	id, err := work.EntryID(s, arg)
	return id, told(err)
}

// manyEntries says which entries there are to choose from.
func manyEntries(e *work.ManyEntries) problem {
	p := problem{exit: exitAmbiguous, path: e.Path, text: e.Error(), err: e, todo: "give the whole id"}
	for _, c := range e.First {
		text := ""
		if c.Line != nil {
			text = shortGist(transcript.GistOf(c.Kind, c.Line))
		}
		p.candidates = append(p.candidates, c.ID)
		p.hints = append(p.hints, c.ID+"  "+text)
	}
	return p
}

// shortGist says in a few words what an entry says.
func shortGist(g transcript.Gist) string { return term.Cut(term.Line(g.String()), 60) }

// gistOf says in a few words what the entry with that id says, "" for one that cannot
// be read.
func gistOf(s *session.Session, id entry.ID) string {
	list := s.List()
	i := list.Find(id)
	if i < 0 {
		return ""
	}
	line, err := list.Load(i)
	if err != nil {
		return ""
	}
	return shortGist(transcript.GistOf(list.Kind(i), line))
}
