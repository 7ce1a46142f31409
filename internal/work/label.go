package work

import (
	"context"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/session"
)

// A NoEntry error is for a name that no entry of a session has.
type NoEntry struct {
	Path string
	Err  error
}

// Error says what was looked for.
func (e *NoEntry) Error() string { return e.Err.Error() }

// Unwrap returns the session's error.
func (e *NoEntry) Unwrap() error { return e.Err }

// A ManyEntries error is for the beginning of an id that several entries have, or a
// label.
type ManyEntries struct {
	Path, Arg string
	Count     int
	First     []Candidate // the first of them
}

// Error says how many match.
func (e *ManyEntries) Error() string {
	return fmt.Sprintf("find entry %q: %d entries match", e.Arg, e.Count)
}

// A Candidate is an entry to choose.
type Candidate struct {
	ID   entry.ID
	Kind entry.Kind
	Line entry.JSON // nil when it cannot be read
}

// EntryID returns the id of the entry that a person means by arg: an id, the
// beginning of one (at least 4 characters), or a label. The error may be a
// [*NoEntry] or a [*ManyEntries].
func EntryID(s *session.Session, arg string) (entry.ID, error) {
	e, err := s.Entry(arg)
	if err == nil {
		return e.ID, nil
	}
	var found []string
	list := s.List()
	if len(arg) >= 4 {
		for i := range list.Len() {
			if id, ok := list.ID(i); ok && list.Twin(i) < 0 && strings.HasPrefix(strings.ToLower(id), strings.ToLower(arg)) {
				found = append(found, id)
			}
		}
	}
	if len(found) == 0 {
		labels, err := tree.Of(s.Tree()).Labels()
		if err != nil {
			return "", err
		}
		for _, l := range labels {
			if l.Text == arg {
				found = append(found, l.TargetID)
			}
		}
	}
	switch len(found) {
	case 0:
		return "", &NoEntry{s.Path(), err}
	case 1:
		return found[0], nil
	}
	many := &ManyEntries{Path: s.Path(), Arg: arg, Count: len(found)}
	for _, id := range found[:min(len(found), 20)] {
		many.First = append(many.First, candidate(list, id))
	}
	return "", many
}

// candidate describes the entry with an id.
func candidate(list *entry.List, id entry.ID) Candidate {
	c := Candidate{ID: id}
	if i := list.Find(id); i >= 0 {
		if line, err := list.Load(i); err == nil {
			c.Kind, c.Line = list.Kind(i), line
		}
	}
	return c
}

// A LabelError says why no entry of a session can be labelled.
type LabelError struct{ Path, Reason string }

// Error says why.
func (e *LabelError) Error() string { return "label session: " + e.Reason }

// Label gives an entry of the session that arg names a name, or takes it away with
// "". It returns the id of the label.
func (l *Library) Label(ctx context.Context, arg, at, text string) (id entry.ID, err error) {
	_, err = l.change(ctx, arg, func(s *session.Session) error {
		target, err := EntryID(s, at)
		if err == nil {
			id, err = s.Append(ctx, &entry.LabelBody{TargetID: target, Label: text})
		}
		return err
	})
	return id, err
}

// LabelLast labels the last entry of the conversation on the branch on which a
// session goes on. The error may be a [*LabelError].
func (l *Library) LabelLast(ctx context.Context, arg, text string) (id entry.ID, err error) {
	_, err = l.change(ctx, arg, func(s *session.Session) error {
		i, list := s.LeafPosition(), s.List()
		for i >= 0 && !tree.Conversation(list.Kind(i)) {
			i = tree.Of(s.Tree()).Parent(i, tree.Healed)
		}
		if i < 0 {
			return &LabelError{s.Path(), "nothing was said in it yet"}
		}
		target, ok := list.ID(i)
		if !ok {
			return &LabelError{s.Path(), "its last entry has no id"}
		}
		id, err = s.Append(ctx, &entry.LabelBody{TargetID: target, Label: text})
		return err
	})
	return id, err
}

// RenameOptions say how a session is named.
type RenameOptions struct {
	Name string
	// Auto says that a program chose the name: one that the user gave stays.
	Auto bool
}

// A Renamed is the name that a session has now, and who gave it.
type Renamed struct {
	Title, Source string
	// Undo takes it back.
	Undo []string
}

// A NameError says why a session keeps its name.
type NameError struct {
	Path  string
	Agent dialect.Name // of the session
	// Kept is the name that the user gave; "" when the new one is empty and the agent
	// keeps a name once it has one.
	Kept string
}

// Error says what is wrong with the new name.
func (e *NameError) Error() string {
	if e.Kept == "" {
		return fmt.Sprintf("rename session %q: the name is empty", e.Path)
	}
	return fmt.Sprintf("rename session %q: the user gave it the name %q", e.Path, e.Kept)
}

// Rename names the session that arg names, in the way of its agent. The error may be
// a [*NameError].
func (l *Library) Rename(ctx context.Context, arg string, o RenameOptions) (r Renamed, err error) {
	r.Undo, err = l.change(ctx, arg, func(s *session.Session) error {
		t := session.Title{Source: dialect.UserTitle}
		if o.Auto {
			t.Source = dialect.AutoTitle
		}
		was, _ := s.Title()
		ok, err := s.Rename(ctx, o.Name, t)
		if err != nil {
			return err
		}
		if !ok {
			e := &NameError{Path: s.Path(), Agent: s.Dialect()}
			if spelling.For(s.Dialect()).Sanitize(o.Name) != "" {
				e.Kept = was
			}
			return e
		}
		r.Title, r.Source = s.Title()
		return nil
	})
	return r, err
}
