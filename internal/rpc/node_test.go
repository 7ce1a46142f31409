package rpc_test

import (
	"bytes"

	"github.com/cambium-dev/cambium/entry"
	"github.com/go-json-experiment/json/jsontext"
)

// A node is a value that was taken apart once, however deep it is nested.
type node struct {
	raw      entry.JSON
	names    []string // of the members, when it is an object
	children []node   // members or elements
}

// nodeOf takes a valid value apart.
func nodeOf(raw entry.JSON) (node, error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return nextNode(d, raw)
}

// nextNode takes apart the value that comes next of a whole one.
func nextNode(d *jsontext.Decoder, whole entry.JSON) (node, error) {
	kind := d.PeekKind()
	if kind != '{' && kind != '[' {
		v, err := d.ReadValue()
		end := int(d.InputOffset())
		return node{raw: whole[end-len(v) : end]}, err
	}
	if _, err := d.ReadToken(); err != nil {
		return node{}, err
	}
	begin := d.InputOffset() - 1
	var n node
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		if kind == '{' {
			name, err := d.ReadToken()
			if err != nil {
				return node{}, err
			}
			n.names = append(n.names, name.String())
		}
		child, err := nextNode(d, whole)
		if err != nil {
			return node{}, err
		}
		n.children = append(n.children, child)
	}
	_, err := d.ReadToken()
	n.raw = whole[begin:d.InputOffset()]
	return n, err
}
