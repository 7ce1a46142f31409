package rpc

import (
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// A schema says what a value on the wire may be. The zero schema is any value.
type schema struct {
	types  []string // of JSON Schema; nil for any
	ref    string   // the name of one of the shapes
	items  *schema  // of an array
	fields []field  // of an object
	open   bool     // an object that may have other members
	values *schema  // of all other members of an object
	enum   []string // the strings it may be
}

// A field is a member of an object.
type field struct {
	name string
	schema
	says string
	// absent says when the member is not there; "" for one that always is.
	absent string
}

// A shape is an object, or another value, that several methods answer with.
type shape struct {
	name string
	schema
	says string
}

func is(types ...string) schema { return schema{types: types} }

var (
	isText    = is("string")
	isFlag    = is("boolean")
	isNumber  = is("number")
	isInteger = is("integer")
	isNull    = is("null")
	isDate    = is("string")
	isValue   = schema{}
	// isEntry is what appending answers: an id, or the entry if that is asked for.
	isEntry = schema{types: []string{"string"}, ref: "Entry"}
)

// named is one of the shapes.
func named(name string) schema { return schema{ref: name} }

// list is an array.
func listOf(of schema) schema { return schema{types: []string{"array"}, items: &of} }

// closed is an object with these members and no other.
func closed(fields ...field) schema { return schema{types: []string{"object"}, fields: fields} }

// loose is an object with these members, and others that are passed on as stored.
func loose(fields ...field) schema {
	s := closed(fields...)
	s.open = true
	return s
}

// mapOf is an object whose members are all of one kind.
func mapOf(of schema) schema { return schema{types: []string{"object"}, values: &of} }

// oneOf is one of some strings.
func oneOf(values ...string) schema { return schema{types: []string{"string"}, enum: values} }

// orNil is also null.
func (s schema) orNil() schema {
	s.types = append(append([]string(nil), s.types...), "null")
	return s
}

// with is a member that is always there.
func with(name string, s schema, says string) field { return field{name: name, schema: s, says: says} }

// without is a member that is not there when absent says so.
func without(name string, s schema, absent, says string) field {
	return field{name: name, schema: s, says: says, absent: absent}
}

// json returns the schema as a JSON Schema.
func (s schema) json() entry.JSON {
	var o jsonedit.Object
	if s.ref != "" {
		ref := new(jsonedit.Object).String("$ref", "#/components/schemas/"+s.ref).Value()
		if len(s.types) == 0 {
			return ref
		}
		return o.Add("anyOf", new(jsonedit.Array).Add(ref, is(s.types...).json()).Value()).Value()
	}
	switch len(s.types) {
	case 0:
		return entry.JSON("{}")
	case 1:
		o.String("type", s.types[0])
	default:
		o.Add("type", jsonedit.Strings(s.types...))
	}
	if s.enum != nil {
		enum := new(jsonedit.Array).String(s.enum...)
		if s.types[len(s.types)-1] == "null" {
			enum.Add(null)
		}
		o.Add("enum", enum.Value())
	}
	if s.items != nil {
		o.Add("items", s.items.json())
	}
	if s.fields == nil && s.values == nil {
		return o.Value()
	}
	var members jsonedit.Object
	var required []string
	for _, f := range s.fields {
		v := f.json()
		if says := f.sentence(); says != "" {
			v = jsonedit.Set(v, "description", jsonedit.Quoted(says))
		}
		members.Add(f.name, v)
		if f.absent == "" {
			required = append(required, f.name)
		}
	}
	if s.fields != nil {
		o.Add("properties", members.Value())
	}
	if required != nil {
		o.Add("required", jsonedit.Strings(required...))
	}
	if s.values != nil {
		o.Add("additionalProperties", s.values.json())
	} else {
		o.Bool("additionalProperties", s.open)
	}
	return o.Value()
}

// sentence says what a member is and when it is not there.
func (f field) sentence() string {
	if f.absent == "" {
		return f.says
	}
	return strings.TrimPrefix(f.says+". Absent "+f.absent, ". ")
}

// words says in a few words what a value may be, for the description of the wire.
func (s schema) words() string {
	one := ""
	types := s.types
	nullable := len(types) > 0 && types[len(types)-1] == "null"
	if nullable {
		types = types[:len(types)-1]
	}
	switch {
	case s.ref != "" && len(types) > 0:
		one = strings.Join(types, " or ") + " or `" + s.ref + "`"
	case s.ref != "":
		one = "`" + s.ref + "`"
	case s.enum != nil:
		one = "`" + strings.Join(s.enum, "` `") + "`"
	case s.items != nil:
		one = "array of " + s.items.words()
	case s.values != nil:
		one = "object of " + s.values.words()
	case len(types) > 0:
		one = strings.Join(types, " or ")
	case nullable:
		return "null"
	default:
		one = "any value"
	}
	if nullable {
		one += " or null"
	}
	return one
}
