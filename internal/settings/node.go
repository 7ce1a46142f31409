package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A node is a value of the file, with its place.
type node struct {
	// name is what the value is called in errors, at its offset.
	name string
	at   int
	kind jsontext.Kind
	// text is the string, or the number as written.
	text string
	// members are those of an object, or the elements of an array.
	members []*node
	// key is the member's own name.
	key string
}

// maxDepth is how deep values may lie in one another: what is known is not
// deeper than 6.
const maxDepth = 64

// parse reads the whole file as one object.
func parse(data []byte) (*node, *Error) {
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	n, err := value(data, dec, "", 0)
	if err != nil {
		return nil, err
	}
	if n.kind != jsontext.KindBeginObject {
		return nil, at(data, n.at, "", "expected an object, found "+n.what())
	}
	end := int(dec.InputOffset())
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, broken(data, end, err)
	}
	return n, nil
}

// value reads the next value.
func value(data []byte, dec *jsontext.Decoder, name string, depth int) (*node, *Error) {
	if depth > maxDepth {
		return nil, at(data, int(dec.InputOffset()), name, "too deep")
	}
	tok, err := dec.ReadToken()
	if err != nil {
		return nil, broken(data, int(dec.InputOffset()), err)
	}
	n := &node{name: name, kind: tok.Kind()}
	end := int(dec.InputOffset())
	switch n.kind {
	case jsontext.KindBeginObject, jsontext.KindBeginArray:
		n.at = end - 1
		return n, inside(data, dec, n, depth)
	case jsontext.KindString, jsontext.KindNumber:
		n.text = tok.String()
	}
	n.at = start(data, end, tok)
	return n, nil
}

// start returns where the token begins that ends at an offset.
func start(data []byte, end int, tok jsontext.Token) int {
	if tok.Kind() != jsontext.KindString {
		return end - len(tok.String())
	}
	// Back to the quote that is not escaped: inside a string every other quote is.
	for i := end - 2; i >= 0; i-- {
		if data[i] != '"' {
			continue
		}
		slashes := 0
		for i-slashes > 0 && data[i-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
	}
	return 0
}

// inside reads what lies in an object or an array.
func inside(data []byte, dec *jsontext.Decoder, n *node, depth int) *Error {
	for i := 0; ; i++ {
		switch dec.PeekKind() {
		case jsontext.KindEndObject, jsontext.KindEndArray:
			if _, err := dec.ReadToken(); err != nil {
				return broken(data, int(dec.InputOffset()), err)
			}
			return nil
		}
		name, key := fmt.Sprintf("%s[%d]", n.name, i), ""
		if n.kind == jsontext.KindBeginObject {
			tok, err := dec.ReadToken()
			if err != nil {
				return broken(data, int(dec.InputOffset()), err)
			}
			key = tok.String()
			name = joined(n.name, key)
		}
		m, err := value(data, dec, name, depth+1)
		if err != nil {
			return err
		}
		m.key = key
		n.members = append(n.members, m)
	}
}

// joined names a member of what has a name.
func joined(name, key string) string {
	if strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" || key == "" || len(key) > 64 {
		// A name that could be taken for something else, or do something on a
		// terminal.
		if len(key) > 64 {
			key = key[:64] + "…"
		}
		key = fmt.Sprintf("%q", key)
	}
	if name == "" {
		return key
	}
	return name + "." + key
}

// broken says why data is not JSON.
func broken(data []byte, offset int, err error) *Error {
	reason := "this is not JSON"
	var bad *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		offset, reason = len(data), "this is not JSON: it ends too early"
	case err == nil:
		reason = "expected nothing more behind the object"
	case errors.As(err, &bad):
		offset = int(bad.ByteOffset)
		reason = fmt.Sprintf("this is not JSON: %v", bad.Err)
	}
	// The decoder's place is before the blanks.
	for offset < len(data) && strings.IndexByte(" \t\r\n", data[offset]) >= 0 {
		offset++
	}
	if rest := data[min(offset, len(data)):]; len(rest) > 0 && (rest[0] == '#' || bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*"))) {
		reason = "this is a comment, and JSON has none: take it out"
	}
	return at(data, offset, "", reason)
}

// what says what kind of value it is.
func (n *node) what() string {
	switch n.kind {
	case jsontext.KindNull:
		return "null"
	case jsontext.KindTrue, jsontext.KindFalse:
		return "true or false"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindBeginArray:
		return "a list"
	}
	return "an object"
}
