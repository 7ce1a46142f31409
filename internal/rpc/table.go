package rpc

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// A method is one row of the table: what may be asked, with what, and what does
// it. One of the three functions is set, or on and find.
type method struct {
	name   string
	params []param
	// says is what it does, in a sentence.
	says string
	// gives is what it answers, fails the codes of its own errors; those that any
	// call may have are not listed.
	gives schema
	fails []int
	// writes says that it may change what is stored. What only opens, moves in
	// a session or reads is also for those who may not write.
	writes bool
	// open makes the session of a new handle.
	open func(ctx context.Context, c *call) (*session.Session, error)
	// shows reports whether an answer shows something that is there; nil for a method
	// that does not answer with what there is.
	shows func(result entry.JSON) bool
	// inOrder says that calls of find run in the order in which they came.
	inOrder bool
	// find answers without a session.
	find func(ctx context.Context, c *call) (entry.JSON, error)
	// on answers about the session of the handle, c.h. nil is null. A method that has
	// find, too, takes a handle or none.
	on func(ctx context.Context, c *call) (entry.JSON, error)
}

// methods returns the table.
func methods() []method {
	return slices.Concat(aboutMethods(), openMethods(), showing(listMethods()), historyMethods(), writing(appendMethods()), readMethods(), contextMethods(),
		branchMethods(), wholeMethods(), keptMethods(), seekMethods(), usageMethods(), tendMethods())
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
	log                    // a string: a session, by its absolute path, id or name
	dir                    // a string: the absolute path of a directory of sessions
	place                  // a string: an absolute path
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
		"a string", "a string", "a string", "a string", "a string or null", "true or false", "a whole number from 0", "a number", "an object",
		"an array of objects", "an array of strings", "a string or an array", "a value",
	}[k]
}

// has reports whether v is of the kind.
func (k kind) has(v entry.JSON) bool {
	first := jsonedit.Kind(v)
	switch k {
	case text, log, dir, place:
		return first == '"'
	case textOrNull:
		return first == '"' || first == 'n'
	case flag:
		return first == 't' || first == 'f'
	case count:
		f, ok := jsonedit.Number(v)
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

func every(array entry.JSON, first jsontext.Kind) bool {
	for v := range jsonedit.Elements(array) {
		if jsonedit.Kind(v) != first {
			return false
		}
	}
	return true
}

// schema returns what the kind is on the wire.
func (k kind) schema() schema {
	switch k {
	case text, log, dir, place:
		return isText
	case textOrNull:
		return isText.orNil()
	case flag:
		return isFlag
	case count:
		return isInteger
	case number:
		return isNumber
	case object:
		return is("object")
	case objects:
		return listOf(is("object"))
	case texts:
		return listOf(isText)
	case content:
		return is("string", "array")
	}
	return isValue
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
type args map[string]entry.JSON

// relative reports whether a path would be resolved against the directory that the
// server happens to be in.
func (p param) relative(path string) bool {
	switch p.kind {
	case log:
		return catalog.IsPath(path) && !filepath.IsAbs(path)
	case dir, place:
		return path != "" && !filepath.IsAbs(path)
	}
	return false
}

// located refuses relative paths.
func (m *method) located(given args) error {
	for _, p := range m.params {
		if path := given.text(p.name); p.relative(path) {
			return badParam(p.name, "%q is a relative path, and this server is in no directory of the client's: give an absolute one", path)
		}
	}
	return nil
}

// wants returns the parameters of a method, the handle among them.
func (m *method) wants() []param {
	switch {
	case m.on != nil && m.find != nil:
		return append([]param{may("handle", text)}, m.params...)
	case m.on != nil:
		return append([]param{need("handle", text)}, m.params...)
	}
	return m.params
}

// check takes the parameters of a call.
func (m *method) check(params entry.JSON) (args, error) {
	given := args{}
	for name, v := range jsonedit.Members(params) {
		given[name] = v
	}
	want := m.wants()
	for name := range jsonedit.Members(params) {
		if !slices.ContainsFunc(want, func(p param) bool { return p.name == name }) {
			return nil, badParam(name, "%s does not take it", m.name)
		}
	}
	for _, p := range want {
		v, ok := given[p.name]
		if ok && p.optional && jsonedit.IsNull(v) && !p.kind.has(v) {
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
	s, _ := jsonedit.String(a[name])
	return s
}

// textOrNil returns a string, nil when it was not given or is null.
func (a args) textOrNil(name string) *string {
	if s, ok := jsonedit.String(a[name]); ok {
		return &s
	}
	return nil
}

// flag returns a boolean, false when it was not given.
func (a args) flag(name string) bool {
	b, _ := jsonedit.Bool(a[name])
	return b
}

// flagOrNil returns a boolean, nil when it was not given.
func (a args) flagOrNil(name string) *bool {
	if b, ok := jsonedit.Bool(a[name]); ok {
		return &b
	}
	return nil
}

// count returns a number, 0 when it was not given.
func (a args) count(name string) int64 {
	f, _ := jsonedit.Number(a[name])
	return int64(f)
}

// texts returns an array of strings.
func (a args) texts(name string) []string {
	all := []string{}
	for v := range jsonedit.Elements(a[name]) {
		s, _ := jsonedit.String(v)
		all = append(all, s)
	}
	return all
}
