package jsonedit

import (
	"math"
	"strconv"
)

// Object builds the text of an object member by member, in the order of the
// calls and without blanks. The zero Object is empty and ready to use. Its
// methods return it, so that calls can be chained.
type Object struct {
	buf []byte
}

// Add adds a member with a raw value. A nil value adds nothing, as undefined
// does in JavaScript. The caller sees to it that a name is used once.
func (o *Object) Add(key string, value []byte) *Object {
	if value != nil {
		o.buf = append(o.name(key), value...)
	}
	return o
}

// String adds a string member.
func (o *Object) String(key, s string) *Object {
	o.buf = Quote(o.name(key), s)
	return o
}

// Int adds an integer member.
func (o *Object) Int(key string, n int64) *Object {
	o.buf = strconv.AppendInt(o.name(key), n, 10)
	return o
}

// Number adds a number member, printed as JavaScript prints it; NaN and the
// infinities become null, as in JSON.stringify.
func (o *Object) Number(key string, f float64) *Object {
	o.buf = append(o.name(key), NumberValue(f)...)
	return o
}

// Bool adds a boolean member.
func (o *Object) Bool(key string, b bool) *Object {
	o.buf = strconv.AppendBool(o.name(key), b)
	return o
}

// Null adds a member that is null.
func (o *Object) Null(key string) *Object {
	o.buf = append(o.name(key), "null"...)
	return o
}

// Value returns the object's text. It is not changed by later calls.
func (o *Object) Value() []byte {
	return closed(o.buf, '{', '}')
}

// name appends the separator and the key.
func (o *Object) name(key string) []byte {
	return append(Quote(separate(o.buf, '{'), key), ':')
}

// Array builds the text of an array element by element, without blanks. The zero
// Array is empty and ready to use.
type Array struct {
	buf []byte
}

// Add adds raw values. A nil value adds null, as undefined does in an array in
// JavaScript.
func (a *Array) Add(values ...[]byte) *Array {
	for _, v := range values {
		if v == nil {
			v = []byte("null")
		}
		a.buf = append(separate(a.buf, '['), v...)
	}
	return a
}

// String adds string elements.
func (a *Array) String(values ...string) *Array {
	for _, s := range values {
		a.buf = Quote(separate(a.buf, '['), s)
	}
	return a
}

// Empty reports whether nothing was added yet.
func (a *Array) Empty() bool { return len(a.buf) == 0 }

// Value returns the array's text. It is not changed by later calls.
func (a *Array) Value() []byte {
	return closed(a.buf, '[', ']')
}

// List returns values as an array.
func List[V ~[]byte](values []V) []byte {
	var a Array
	for _, v := range values {
		a.Add(v)
	}
	return a.Value()
}

// Strings returns the array of the given strings.
func Strings(values ...string) []byte {
	return new(Array).String(values...).Value()
}

// IntValue returns the text of n.
func IntValue(n int64) []byte {
	return strconv.AppendInt(nil, n, 10)
}

// BoolValue returns the text of b.
func BoolValue(b bool) []byte {
	return strconv.AppendBool(nil, b)
}

// NumberValue returns the text of f as JSON.stringify writes it: JSNumber, but
// null for NaN and the infinities.
func NumberValue(f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null")
	}
	return []byte(JSNumber(f))
}

// separate appends the opening bracket or a comma.
func separate(buf []byte, open byte) []byte {
	if len(buf) == 0 {
		return append(buf, open)
	}
	return append(buf, ',')
}

// closed returns a copy of buf with its brackets complete.
func closed(buf []byte, open, end byte) []byte {
	out := make([]byte, 0, len(buf)+2)
	if len(buf) == 0 {
		out = append(out, open)
	}
	return append(append(out, buf...), end)
}
