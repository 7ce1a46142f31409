package rpc_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/rpc"
)

// document is that of the server.
var document = sync.OnceValue(func() entry.JSON { return rpc.Document("") })

// described are the methods in it, by name.
var described = sync.OnceValue(func() map[string]entry.JSON {
	all := map[string]entry.JSON{}
	methods, _ := jsonedit.Get(document(), "methods")
	for m := range jsonedit.Elements(methods) {
		name, _ := jsonedit.Text(m, "name")
		all[name] = m
	}
	return all
})

// schemas are the named schemas of the document.
var schemas = sync.OnceValue(func() map[string]entry.JSON {
	all := map[string]entry.JSON{}
	named, _ := jsonedit.Path(document(), "components", "schemas")
	for name, s := range jsonedit.Members(named) {
		all[name] = s
	}
	return all
})

// conform says what of a call and its answer is not as the document describes it.
func conform(method string, params, result, fault entry.JSON) error {
	m, ok := described()[strings.TrimPrefix(method, "session.")]
	if !ok {
		if code, _ := jsonedit.Get(fault, "code"); string(code) == "-32601" {
			return nil
		}
		return fmt.Errorf("no method %q is described", method)
	}
	if fault != nil {
		return conformFault(m, fault)
	}
	given := map[string]entry.JSON{}
	for name, v := range jsonedit.Members(params) {
		given[name] = v
	}
	want, _ := jsonedit.Get(m, "params")
	for p := range jsonedit.Elements(want) {
		name, _ := jsonedit.Text(p, "name")
		schema, _ := jsonedit.Get(p, "schema")
		required, _ := jsonedit.Get(p, "required")
		v, ok := given[name]
		delete(given, name)
		switch {
		case !ok && string(required) == "true":
			return fmt.Errorf("%s is done without %q", method, name)
		case ok:
			if err := valid(schema, v, method+" "+name); err != nil {
				return err
			}
		}
	}
	if len(given) > 0 {
		return fmt.Errorf("%s takes %v, which is not described", method, given)
	}
	schema, _ := jsonedit.Path(m, "result", "schema")
	return valid(schema, result, method)
}

// conformFault compares an error with those that are described.
func conformFault(m, fault entry.JSON) error {
	name, _ := jsonedit.Text(m, "name")
	if err := valid(schemas()["Error"], fault, name+" error"); err != nil {
		return err
	}
	code, _ := jsonedit.Get(fault, "code")
	named, _ := jsonedit.Path(document(), "components", "errors")
	refs, _ := jsonedit.Get(m, "errors")
	for r := range jsonedit.Elements(refs) {
		ref, _ := jsonedit.Text(r, "$ref")
		e, _ := jsonedit.Get(named, strings.TrimPrefix(ref, "#/components/errors/"))
		if c, _ := jsonedit.Get(e, "code"); string(c) != string(code) {
			continue
		}
		schema, ok := schemas()[strings.TrimPrefix(ref, "#/components/errors/")+"Data"]
		data, has := jsonedit.Get(fault, "data")
		if has && !ok {
			return fmt.Errorf("%s: error %s has data", name, fault)
		}
		if has {
			return valid(schema, data, name+" error data")
		}
		return nil
	}
	return fmt.Errorf("%s: error %s is not described", name, fault)
}

// A form is a schema that was read once.
type form struct {
	ref        string
	any        []entry.JSON
	types      entry.JSON
	enum       []string
	items      entry.JSON
	properties map[string]entry.JSON
	more       entry.JSON
	open       bool
	required   []string
}

// forms are those of the document, by where in it they stand.
var forms sync.Map

// formOf reads a schema of the document.
func formOf(schema entry.JSON) *form {
	type place struct {
		begin *byte
		n     int
	}
	if len(schema) == 0 {
		return &form{open: true}
	}
	at := place{&schema[0], len(schema)}
	if f, ok := forms.Load(at); ok {
		return f.(*form)
	}
	f := &form{properties: map[string]entry.JSON{}}
	f.ref, _ = jsonedit.Text(schema, "$ref")
	list, _ := jsonedit.Get(schema, "anyOf")
	for one := range jsonedit.Elements(list) {
		f.any = append(f.any, one)
	}
	f.types, _ = jsonedit.Get(schema, "type")
	list, _ = jsonedit.Get(schema, "enum")
	for e := range jsonedit.Elements(list) {
		f.enum = append(f.enum, string(e))
	}
	f.items, _ = jsonedit.Get(schema, "items")
	properties, _ := jsonedit.Get(schema, "properties")
	for name, s := range jsonedit.Members(properties) {
		f.properties[name] = s
	}
	more, bounded := jsonedit.Get(schema, "additionalProperties")
	f.more, f.open = more, !bounded || string(more) == "true"
	list, _ = jsonedit.Get(schema, "required")
	for r := range jsonedit.Elements(list) {
		name, _ := jsonedit.String(r)
		f.required = append(f.required, name)
	}
	forms.Store(at, f)
	return f
}

// valid checks a value against a schema, as far as those of the document go.
func valid(schema, v entry.JSON, at string) error {
	n, err := nodeOf(v)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	return validNode(schema, n, at)
}

func validNode(schema entry.JSON, v node, at string) error {
	f := formOf(schema)
	if f.ref != "" {
		named, ok := schemas()[strings.TrimPrefix(f.ref, "#/components/schemas/")]
		if !ok {
			return fmt.Errorf("%s: no schema %q", at, f.ref)
		}
		return validNode(named, v, at)
	}
	if len(f.any) > 0 {
		var err error
		for _, s := range f.any {
			if err = validNode(s, v, at); err == nil {
				return nil
			}
		}
		return err
	}
	if f.types != nil && !ofType(f.types, v.raw) {
		return fmt.Errorf("%s: %.100s is not of type %s", at, v.raw, f.types)
	}
	if len(f.enum) > 0 && !slices.Contains(f.enum, string(v.raw)) {
		return fmt.Errorf("%s: %s is none of %s", at, v.raw, f.enum)
	}
	if f.items != nil && jsonedit.Kind(v.raw) == '[' {
		for n, e := range v.children {
			if err := validNode(f.items, e, ""); err != nil {
				return fmt.Errorf("%s[%d]%w", at, n, err)
			}
		}
	}
	if jsonedit.Kind(v.raw) != '{' {
		return nil
	}
	return f.validMembers(v, at)
}

func (f *form) validMembers(v node, at string) error {
	there := map[string]bool{}
	for n, name := range v.names {
		there[name] = true
		s, ok := f.properties[name]
		switch {
		case ok:
		case f.open:
			continue
		case string(f.more) == "false":
			return fmt.Errorf("%s: member %q is not described", at, name)
		default:
			s = f.more
		}
		if err := validNode(s, v.children[n], ""); err != nil {
			return fmt.Errorf("%s.%s%w", at, name, err)
		}
	}
	for _, name := range f.required {
		if !there[name] {
			return fmt.Errorf("%s: member %q is missing", at, name)
		}
	}
	return nil
}

// ofType reports whether a value is of one of the types.
func ofType(types, v entry.JSON) bool {
	if one, ok := jsonedit.String(types); ok {
		return isOf(one, v)
	}
	for t := range jsonedit.Elements(types) {
		if one, _ := jsonedit.String(t); isOf(one, v) {
			return true
		}
	}
	return false
}

func isOf(name string, v entry.JSON) bool {
	switch name {
	case "string":
		return jsonedit.Kind(v) == '"'
	case "boolean":
		return jsonedit.Kind(v) == 't' || jsonedit.Kind(v) == 'f'
	case "null":
		return jsonedit.IsNull(v)
	case "number":
		return jsonedit.Kind(v) == '0'
	case "integer":
		_, whole := jsonedit.Int(v)
		return jsonedit.Kind(v) == '0' && whole
	case "array":
		return jsonedit.Kind(v) == '['
	case "object":
		return jsonedit.Kind(v) == '{'
	}
	return false
}
