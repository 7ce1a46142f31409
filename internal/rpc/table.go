package rpc

import (
	"context"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// A method is one row of the table: what may be asked, with what, and what does
// it. One of the three functions is set.
type method struct {
	name   string
	params []param
	// writes says that it may change what is stored. What only opens, moves in
	// a session or reads is also for those who may not write.
	writes bool
	// open makes the session of a new handle.
	open func(ctx context.Context, c *call) (*session.Session, error)
	// inOrder says that calls of find run in the order in which they came.
	inOrder bool
	// find answers without a session.
	find func(ctx context.Context, c *call) (jsontext.Value, error)
	// on answers about the session of the handle, c.h. nil is null.
	on func(ctx context.Context, c *call) (jsontext.Value, error)
}

// methods returns the table.
func methods() []method {
	return slices.Concat(openMethods(), listMethods(), historyMethods(), writing(appendMethods()), readMethods(), branchMethods(), wholeMethods())
}

// writing marks methods that change what is stored.
func writing(all []method) []method {
	for i := range all {
		all[i].writes = true
	}
	return all
}

// Writes reports whether a method, by its name as [Methods] has it, may change
// what is stored: it is refused where Bounds.ReadOnly is set.
func Writes(name string) bool {
	m, ok := index()[name]
	return ok && m.writes
}

// Methods returns what can be called, each as its name and its parameters, the
// optional ones with a question mark: "open{path,readOnly?}". Methods on a
// handle have the further parameter handle, which is not listed.
func Methods() []string {
	var all []string
	for _, m := range methods() {
		text := m.name
		for i, p := range m.params {
			text += map[bool]string{true: "{", false: ","}[i == 0] + p.name
			if p.optional {
				text += "?"
			}
		}
		if len(m.params) > 0 {
			text += "}"
		}
		all = append(all, text)
	}
	return all
}

// prefix may stand before the name of any method.
const prefix = "session."

// index returns the table by name.
func index() map[string]*method {
	all := methods()
	byName := make(map[string]*method, len(all))
	for i := range all {
		byName[all[i].name] = &all[i]
	}
	return byName
}

// A kind is what a parameter may be.
type kind uint8

const (
	text       kind = iota // a string
	log                    // a string: a session, by its path, id or name
	dir                    // a string: the path of a directory
	textOrNull             // a string or null
	flag                   // true or false
	count                  // a whole number from 0
	number                 // any number
	object                 // an object
	objects                // an array of objects
	texts                  // an array of strings
	content                // a string or an array
	anything               // any value, null included
)

// want says in words what a kind is.
func (k kind) want() string {
	return [...]string{
		"a string", "a string", "a string", "a string or null", "true or false", "a whole number from 0", "a number", "an object",
		"an array of objects", "an array of strings", "a string or an array", "a value",
	}[k]
}

// has reports whether v is of the kind.
func (k kind) has(v jsontext.Value) bool {
	first := splice.Kind(v)
	switch k {
	case text, log, dir:
		return first == '"'
	case textOrNull:
		return first == '"' || first == 'n'
	case flag:
		return first == 't' || first == 'f'
	case count:
		f, ok := splice.Number(v)
		return ok && f >= 0 && f <= 1<<53 && f == float64(int64(f))
	case number:
		return first == '0'
	case object:
		return first == '{'
	case objects:
		return first == '[' && every(v, '{')
	case texts:
		return first == '[' && every(v, '"')
	case content:
		return first == '"' || first == '['
	}
	return true
}

func every(array jsontext.Value, first jsontext.Kind) bool {
	for v := range splice.Elements(array) {
		if splice.Kind(v) != first {
			return false
		}
	}
	return true
}

// A param is one parameter of a method.
type param struct {
	name     string
	kind     kind
	optional bool
	oneOf    []string // the strings that are allowed; nil for any
}

func need(name string, k kind) param { return param{name: name, kind: k} }

func may(name string, k kind) param { return param{name: name, kind: k, optional: true} }

func (p param) of(values ...string) param {
	p.oneOf = values
	return p
}

// args are the parameters of one call, checked against its method. Optional
// ones that are null are not among them, unless null is a value of their kind.
type args map[string]jsontext.Value

// check takes the parameters of a call.
func (m *method) check(params jsontext.Value) (args, error) {
	given := args{}
	for name, v := range splice.Members(params) {
		given[name] = v
	}
	want := m.params
	if m.on != nil {
		want = append(slices.Clip(want), need("handle", text))
	}
	for name := range splice.Members(params) {
		if !slices.ContainsFunc(want, func(p param) bool { return p.name == name }) {
			return nil, badParam(name, "%s does not take it", m.name)
		}
	}
	for _, p := range want {
		v, ok := given[p.name]
		if ok && p.optional && splice.IsNull(v) && !p.kind.has(v) {
			delete(given, p.name)
			continue
		}
		switch {
		case !ok && !p.optional:
			return nil, badParam(p.name, "missing")
		case !ok:
		case !p.kind.has(v):
			return nil, badParam(p.name, "want %s", p.kind.want())
		case p.oneOf != nil && !slices.Contains(p.oneOf, given.text(p.name)):
			return nil, badParam(p.name, "want one of %s", strings.Join(p.oneOf, ", "))
		}
	}
	return given, nil
}

// has reports whether a parameter was given.
func (a args) has(name string) bool {
	_, ok := a[name]
	return ok
}

// text returns a string, "" when it was not given or is null.
func (a args) text(name string) string {
	s, _ := splice.String(a[name])
	return s
}

// textOrNil returns a string, nil when it was not given or is null.
func (a args) textOrNil(name string) *string {
	if s, ok := splice.String(a[name]); ok {
		return &s
	}
	return nil
}

// flag returns a boolean, false when it was not given.
func (a args) flag(name string) bool {
	b, _ := splice.Bool(a[name])
	return b
}

// flagOrNil returns a boolean, nil when it was not given.
func (a args) flagOrNil(name string) *bool {
	if b, ok := splice.Bool(a[name]); ok {
		return &b
	}
	return nil
}

// count returns a number, 0 when it was not given.
func (a args) count(name string) int64 {
	f, _ := splice.Number(a[name])
	return int64(f)
}

// texts returns an array of strings.
func (a args) texts(name string) []string {
	all := []string{}
	for v := range splice.Elements(a[name]) {
		s, _ := splice.String(v)
		all = append(all, s)
	}
	return all
}
