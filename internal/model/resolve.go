package model

import (
	"fmt"
	"slices"
	"strings"
)

// A ResolveError says that a text names no model, or several.
type ResolveError struct {
	// Text is what was looked for.
	Text string
	// Candidates are those it may mean, as "provider/id": all that match it, or
	// where nothing does all there are to choose from.
	Candidates []string
	// Ambiguous says that several match.
	Ambiguous bool
}

// shown is how many candidates an error lists.
const shown = 12

// Error lists the candidates, the first of them.
func (e *ResolveError) Error() string {
	list := e.Candidates
	more := ""
	if n := len(list) - shown; n > 0 {
		list, more = list[:shown], fmt.Sprintf(" and %d more", n)
	}
	names := strings.Join(list, ", ") + more
	switch {
	case e.Ambiguous:
		return fmt.Sprintf("resolve model %q: it may be %s", e.Text, names)
	case len(list) == 0:
		return fmt.Sprintf("resolve model %q: there are no models", e.Text)
	}
	return fmt.Sprintf("resolve model %q: no such model; there are %s", e.Text, names)
}

// Resolve returns the model that a text names, and the thinking level behind it,
// "" for none. A text is "provider/id", an id, or a part of an id, alone or after
// "provider/", that only one model has; capitals do not matter. Behind it may stand
// ":" and a level (pi 0.87.1). A level need not be one that the model has.
//
// An id that several providers have is that of the only one that can be used. A
// part that is found in a model and in the same model with a date means the one
// without. The error is a *[ResolveError].
func (r *Registry) Resolve(text string) (Model, string, error) {
	text = strings.TrimSpace(text)
	m, err := r.resolve(text)
	if err == nil {
		return m, "", nil
	}
	// Ids may have colons themselves, so the whole text goes first.
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		if level := strings.ToLower(text[i+1:]); isLevel(level) {
			m, err := r.resolve(text[:i])
			return m, level, err
		}
	}
	return Model{}, "", err
}

func (r *Registry) resolve(text string) (Model, error) {
	among, part := r.models, text
	if provider, rest, ok := strings.Cut(text, "/"); ok {
		if own := r.of(provider); len(own) > 0 {
			among, part = own, rest
		}
	}
	found := r.match(among, part)
	if len(found) == 0 && part != text {
		// An id that begins with a provider's name.
		found = r.match(r.models, text)
	}
	if len(found) == 1 {
		return found[0], nil
	}
	e := &ResolveError{Text: text, Ambiguous: len(found) > 1}
	if len(found) == 0 {
		if found = among; len(among) == len(r.models) {
			found = r.choice()
		}
	}
	for _, m := range found {
		e.Candidates = append(e.Candidates, m.Provider+"/"+m.ID)
	}
	return Model{}, e
}

// match returns the models that a text means: those of the id, else those with a
// part of it.
func (r *Registry) match(among []Model, text string) []Model {
	if text == "" {
		return nil
	}
	for _, test := range []func(id string) bool{
		func(id string) bool { return id == text },
		func(id string) bool { return strings.EqualFold(id, text) },
		func(id string) bool { return strings.Contains(strings.ToLower(id), strings.ToLower(text)) },
	} {
		var found []Model
		for _, m := range among {
			if test(m.ID) {
				found = append(found, m)
			}
		}
		if len(found) > 0 {
			return r.narrow(found)
		}
	}
	return nil
}

// narrow leaves out dated names of models that are there without, and of one id
// at several providers those that cannot be used.
func (r *Registry) narrow(found []Model) []Model {
	found = slices.DeleteFunc(slices.Clone(found), func(m Model) bool {
		return slices.ContainsFunc(found, func(x Model) bool { return x.Provider == m.Provider && dated(m.ID, x.ID) })
	})
	for _, m := range found {
		if m.ID != found[0].ID {
			return found
		}
	}
	var ready []Model
	for _, m := range found {
		if r.usable(m) {
			ready = append(ready, m)
		}
	}
	if len(ready) == 1 {
		return ready
	}
	return found
}

// dated reports whether an id is another one with a date behind it.
func dated(id, plain string) bool {
	date, ok := strings.CutPrefix(id, plain+"-")
	digits := strings.ReplaceAll(date, "-", "")
	return ok && len(digits) == 8 && strings.Trim(digits, "0123456789") == ""
}

func (r *Registry) of(provider string) []Model {
	var own []Model
	for _, m := range r.models {
		if strings.EqualFold(m.Provider, provider) {
			own = append(own, m)
		}
	}
	return own
}

// choice returns the models that can be used, all if none can.
func (r *Registry) choice() []Model {
	var ready []Model
	for _, m := range r.models {
		if r.usable(m) {
			ready = append(ready, m)
		}
	}
	if ready == nil {
		return r.models
	}
	return ready
}
