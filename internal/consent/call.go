package consent

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// A Call is what a tool is about to do. [Of] makes it; what is shown of it and
// what the tool gets are its fields.
type Call struct {
	// Tool is the name of the tool, Dir the directory in which it works.
	Tool, Dir string
	// Leads is where the file really is that the arguments name, if that is
	// elsewhere than they say; "" if not. Acts says who obeys that file later,
	// although nobody runs it; "" for nobody.
	Leads, Acts string
	// Shell is the program that reads a command line, if it is no bash; "" otherwise.
	// Another shell makes something else of the same line.
	Shell string
	// Once says that it cannot be allowed for good.
	Once bool
	// Arguments are an object: no name twice, no character that is none, no blank
	// outside of texts, and texts as JSON.stringify writes them. Numbers are as they
	// were written.
	Arguments []byte
}

// Bounds of what can be shown.
const (
	// MaxBytes is how long the arguments of a call may be.
	MaxBytes = 8 << 20
	// MaxDepth is how deep objects and arrays may lie in each other.
	MaxDepth = 64
)

// Of makes a call canonical. No arguments at all are an empty object. The error
// says in one line, for the model, why the call cannot be shown and so is not run.
func Of(tool, dir string, arguments []byte) (Call, error) {
	top, err := parse(arguments)
	if err != nil {
		return Call{}, fmt.Errorf("the arguments cannot be shown to a person: %w", err)
	}
	return Call{Tool: tool, Dir: dir, Arguments: top.encode(nil)}, nil
}

// A node is a value of the arguments. kind is '{', '[', '"', or 0 for any other.
type node struct {
	kind     byte
	name     string // in an object
	text     string // of a string, decoded; of any other value but { and [, as written
	children []node
}

// parse reads arguments.
func parse(arguments []byte) (node, error) {
	if len(arguments) > MaxBytes {
		return node{}, fmt.Errorf("they have %d bytes, and %d is the most; send less at once", len(arguments), MaxBytes)
	}
	if len(bytes.TrimSpace(arguments)) == 0 {
		return node{kind: '{'}, nil
	}
	dec := jsontext.NewDecoder(bytes.NewReader(arguments))
	top, err := value(dec)
	switch {
	case err != nil:
	case top.kind != '{':
		err = errors.New("they are no object")
	default:
		if _, err = dec.ReadToken(); err == nil {
			err = errors.New("more follows after the object")
		} else if err == io.EOF {
			return top, nil
		}
	}
	return node{}, errors.New(oneLine(err.Error()) + "; send one object of valid JSON in UTF-8, each name once")
}

// oneLine is the beginning of what a decoder said, which quotes what it read.
func oneLine(text string) string { return jsonedit.CutText(Visible(text, true), 300) }

// value reads the next value.
func value(dec *jsontext.Decoder) (node, error) {
	switch kind := dec.PeekKind(); kind {
	case '{', '[':
		return container(dec, byte(kind))
	case '"':
		t, err := dec.ReadToken()
		if err != nil {
			return node{}, err
		}
		return node{kind: '"', text: t.String()}, nil
	}
	raw, err := dec.ReadValue()
	return node{text: string(raw)}, err
}

// container reads the members of an object, or the elements of an array.
func container(dec *jsontext.Decoder, kind byte) (node, error) {
	n := node{kind: kind}
	if dec.StackDepth() >= MaxDepth {
		return n, fmt.Errorf("they are more than %d levels deep", MaxDepth)
	}
	if _, err := dec.ReadToken(); err != nil {
		return n, err
	}
	for next := dec.PeekKind(); next != '}' && next != ']'; next = dec.PeekKind() {
		name := ""
		if kind == '{' {
			t, err := dec.ReadToken()
			if err != nil {
				return n, err
			}
			name = t.String()
		}
		child, err := value(dec)
		if err != nil {
			return n, err
		}
		child.name = name
		n.children = append(n.children, child)
	}
	_, err := dec.ReadToken()
	return n, err
}

// encode appends a value as JSON.
func (n *node) encode(dst []byte) []byte {
	switch n.kind {
	case '"':
		return jsonedit.Quote(dst, n.text)
	case 0:
		return append(dst, n.text...)
	}
	dst = append(dst, n.kind)
	for i := range n.children {
		if i > 0 {
			dst = append(dst, ',')
		}
		if n.kind == '{' {
			dst = append(jsonedit.Quote(dst, n.children[i].name), ':')
		}
		dst = n.children[i].encode(dst)
	}
	return append(dst, n.kind+2) // } and ]
}
