package redact

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Kinds of what is taken out besides secrets, as they are counted.
const (
	Home = "home directory"
	User = "user name"
)

// A Redactor redacts texts and counts what it took out. It is for one goroutine.
type Redactor struct {
	names *names
	found map[string]int
}

// Options say whose directories and names are shortened.
type Options struct {
	// Home is a home directory, "" for none.
	Home string
	// User is the name of its user, "" for the last element of Home.
	User string
	// Dirs are directories in which a session worked: those in the homes of others
	// tell their names.
	Dirs []string
}

// New returns a Redactor.
func New(o Options) *Redactor {
	return &Redactor{names: namesOf(o), found: map[string]int{}}
}

// A span is a part of a text that is replaced.
type span struct {
	from, to int
	kind     string
}

// Text returns a text in which each secret is [redacted: KIND], a home directory ~,
// and the name of a user [user].
func (r *Redactor) Text(s string) string {
	if s = r.replaced(s, secrets(s)); r.names == nil {
		return s
	}
	return r.replaced(s, r.names.spans(s))
}

// replaced returns a text with others in the place of spans.
func (r *Redactor) replaced(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to), cmp.Compare(a.kind, b.kind))
	})
	var b strings.Builder
	done, until := 0, 0 // written, and replaced
	for _, at := range spans {
		if at.from < until { // part of what is gone already, but for its end
			if until = max(until, at.to); done < until {
				done = until
			}
			continue
		}
		b.WriteString(s[done:at.from])
		b.WriteString(instead(at.kind))
		r.found[at.kind]++
		done, until = at.to, at.to
	}
	b.WriteString(s[done:])
	return b.String()
}

// instead is what stands in the place of something.
func instead(kind string) string {
	switch kind {
	case Home:
		return "~"
	case User:
		return "[user]"
	}
	return "[redacted: " + kind + "]"
}

// Found yields how much was taken out of each kind, in the order of the kinds.
func (r *Redactor) Found() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for _, kind := range slices.Sorted(maps.Keys(r.found)) {
			if !yield(kind, r.found[kind]) {
				return
			}
		}
	}
}
