package convert

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/go-json-experiment/json/jsontext"
)

// A step is one step into a value: a name, or an element's number.
type step struct {
	key   string
	index int // -1 for a name
}

// An op takes one place of a changed line back to what it was.
type op struct {
	path   []step
	value  jsontext.Value // nil: there was no such member
	inline bool           // the blob that is referred to
	cut    int            // the first so many units of the text, and the notice
}

// longText is from how many units on a text that can be derived is not
// remembered.
const longText = 4096

// diff lists what takes now back to was.
func diff(ops []op, path []step, was, now jsontext.Value) []op {
	if string(was) == string(now) {
		return ops
	}
	here := slices.Clone(path)
	switch kind := splice.Kind(was); {
	case kind != splice.Kind(now):
	case kind == jsontext.KindBeginObject:
		for key := range splice.Members(now) {
			if _, ok := splice.Get(was, key); !ok {
				ops = append(ops, op{path: append(here[:len(here):len(here)], step{key, -1})})
			}
		}
		for key := range splice.Members(was) {
			at := append(here[:len(here):len(here)], step{key, -1})
			old, _ := splice.Get(was, key)
			if v, ok := splice.Get(now, key); ok {
				ops = diff(ops, at, old, v)
			} else {
				ops = append(ops, op{path: at, value: old})
			}
		}
		return ops
	case kind == jsontext.KindBeginArray && splice.Len(was) == splice.Len(now):
		i, all := 0, slices.Collect(splice.Elements(now))
		for old := range splice.Elements(was) {
			ops = diff(ops, append(here[:len(here):len(here)], step{"", i}), old, all[i])
			i++
		}
		return ops
	case kind == jsontext.KindString:
		return append(ops, textOp(here, was, now))
	}
	return append(ops, op{path: here, value: was})
}

// textOp takes a string back.
func textOp(path []step, was, now jsontext.Value) op {
	if ref, _ := splice.String(now); dialect.IsRef(ref) && ref == refOf(was) {
		return op{path: path, inline: true}
	}
	if n := splice.UnitsRaw(was) - splice.Units(dialect.Notice); n > longText && string(cutTo(now, n)) == string(was) {
		return op{path: path, cut: n}
	}
	return op{path: path, value: was}
}

func cutTo(text jsontext.Value, n int) jsontext.Value {
	return splice.Concat(splice.CutUnits(text, n), splice.Quoted(dialect.Notice))
}

// refOf returns the reference to what a string holds in the form that comes back
// from it: a data URL, or base64; "" when it is neither.
func refOf(raw jsontext.Value) string {
	if splice.Kind(raw) != jsontext.KindString {
		return ""
	}
	text, _ := splice.String(raw)
	data, ok := contents(text)
	if !ok {
		return ""
	}
	return sumOf(data)
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "blob:sha256:" + hex.EncodeToString(sum[:])
}

// contents returns the bytes that are kept as a blob for an inline image.
func contents(text string) ([]byte, bool) {
	if strings.HasPrefix(text, "data:image/") {
		return []byte(text), true
	}
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	return data, err == nil && text != "" && base64.StdEncoding.EncodeToString(data) == text
}

// inlined returns the string that stands for a blob's bytes.
func inlined(data []byte) string {
	if strings.HasPrefix(string(data[:min(len(data), 11)]), "data:image/") {
		return string(data)
	}
	return base64.StdEncoding.EncodeToString(data)
}

// record returns the line with what takes it back to was, a line of the dialect
// from. A line that is was itself is returned itself.
func record(from dialect.Name, was, now jsontext.Value, blobs blobs) jsontext.Value {
	if string(was) == string(now) {
		return now
	}
	own, _ := splice.Get(now, "cambium")
	if own != nil && splice.Kind(own) != jsontext.KindBeginObject {
		now, own = splice.Delete(now, "cambium"), nil
	}
	if own == nil {
		own = jsontext.Value("{}")
	}
	var ops splice.Array
	for _, o := range diff(nil, nil, was, now) {
		ops.Add(o.encode())
	}
	mark := func(key string, v jsontext.Value) jsontext.Value {
		var done splice.Object
		done.String("from", string(from)).Add(key, v)
		return splice.Set(now, "cambium", splice.Set(own, "converted", done.Value()))
	}
	out := mark("was", ops.Value())
	if back, _, ok := restore(out, blobs.pretended()); !ok || !same(back, was) {
		return mark("whole", was)
	}
	return out
}

func (o op) encode() jsontext.Value {
	var path splice.Array
	for _, s := range o.path {
		if s.index >= 0 {
			path.Add(splice.IntValue(int64(s.index)))
		} else {
			path.Add(splice.Quoted(s.key))
		}
	}
	var out splice.Object
	out.Add("path", path.Value()).Add("value", o.value)
	if o.inline {
		out.Bool("inline", true)
	}
	if o.cut > 0 {
		out.Int("cut", int64(o.cut))
	}
	return out.Value()
}

func decodeOp(v jsontext.Value) op {
	var o op
	path, _ := splice.Get(v, "path")
	for s := range splice.Elements(path) {
		if key, ok := splice.String(s); ok {
			o.path = append(o.path, step{key, -1})
		} else if n, ok := splice.Int(s); ok && n >= 0 {
			o.path = append(o.path, step{"", int(n)})
		}
	}
	o.value, _ = splice.Get(v, "value")
	inline, _ := splice.Get(v, "inline")
	o.inline, _ = splice.Bool(inline)
	cut, _ := splice.Get(v, "cut")
	n, _ := splice.Int(cut)
	o.cut = int(n)
	return o
}

// restore takes a line back to what its own program wrote, and returns that
// program's dialect. It reports false for a line without a record that can be
// read.
func restore(line jsontext.Value, blobs blobs) (was jsontext.Value, from dialect.Name, ok bool) {
	own, _ := splice.Get(line, "cambium")
	done, _ := splice.Get(own, "converted")
	name, _ := splice.Text(done, "from")
	if _, known := dialect.ByName(name); !known {
		return line, "", false
	}
	if whole, ok := splice.Get(done, "whole"); ok && splice.Kind(whole) == jsontext.KindBeginObject {
		blobs.rescue(line, whole)
		return whole, dialect.Name(name), true
	}
	ops, ok := splice.Get(done, "was")
	if splice.Kind(ops) != jsontext.KindBeginArray || !ok {
		return line, "", false
	}
	if own = splice.Delete(own, "converted"); isEmpty(own) {
		was = splice.Delete(line, "cambium")
	} else {
		was = splice.Set(line, "cambium", own)
	}
	for v := range splice.Elements(ops) {
		if o := decodeOp(v); len(o.path) > 0 {
			was = o.apply(was, o.path, blobs)
		}
	}
	return was, dialect.Name(name), true
}

func isEmpty(obj jsontext.Value) bool {
	for range splice.Members(obj) {
		return false
	}
	return splice.Kind(obj) == jsontext.KindBeginObject
}

// apply takes back one place below v.
func (o op) apply(v jsontext.Value, path []step, blobs blobs) jsontext.Value {
	if len(path) == 0 {
		return o.old(v, blobs)
	}
	at := path[0]
	if at.index < 0 {
		child, ok := splice.Get(v, at.key)
		switch {
		case len(path) == 1 && o.value == nil && !o.inline && o.cut == 0:
			return splice.Delete(v, at.key)
		case !ok && len(path) > 1:
			return v
		}
		return splice.Set(v, at.key, o.apply(child, path[1:], blobs))
	}
	return splice.Walk(v, splice.Visitor{Enter: func(s *splice.Step, e jsontext.Value) (jsontext.Value, splice.Action) {
		switch {
		case s.Depth == 0:
			return nil, splice.Into
		case s.Depth == 1 && s.Index == at.index:
			return o.apply(e, path[1:], blobs), splice.Keep
		}
		return nil, splice.Keep
	}})
}

// old returns what stood in the place of now.
func (o op) old(now jsontext.Value, blobs blobs) jsontext.Value {
	text, _ := splice.String(now)
	switch {
	case o.inline:
		if data, ok := blobs.get(text); ok {
			return splice.Quoted(inlined(data))
		}
		return now
	case o.cut > 0:
		return cutTo(now, o.cut)
	}
	// A reference that was put into the line goes back only with its blob.
	if ref, _ := splice.String(o.value); dialect.IsRef(ref) && !dialect.IsRef(text) {
		if data, ok := contents(text); ok && !blobs.put(data, ref) {
			return now
		}
	}
	return o.value
}

// same reports whether two values are equal as JavaScript reads them, members in
// any order.
func same(a, b jsontext.Value) bool {
	if string(a) == string(b) {
		return true
	}
	kind := splice.Kind(a)
	if kind != splice.Kind(b) {
		return false
	}
	switch kind {
	case jsontext.KindBeginObject:
		for key := range splice.Members(a) {
			v, _ := splice.Get(a, key)
			if w, ok := splice.Get(b, key); !ok || !same(v, w) {
				return false
			}
		}
		for key := range splice.Members(b) {
			if _, ok := splice.Get(a, key); !ok {
				return false
			}
		}
		return true
	case jsontext.KindBeginArray:
		if splice.Len(a) != splice.Len(b) {
			return false
		}
		i, all := 0, slices.Collect(splice.Elements(b))
		for v := range splice.Elements(a) {
			if !same(v, all[i]) {
				return false
			}
			i++
		}
		return true
	}
	return false
}
