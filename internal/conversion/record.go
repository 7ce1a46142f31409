package conversion

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
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
	value  entry.JSON // nil: there was no such member
	inline bool       // the blob that is referred to
	cut    int        // the first so many units of the text, and the notice
}

// longText is from how many units on a text that can be derived is not
// remembered.
const longText = 4096

// diff lists what takes now back to was.
func diff(ops []op, path []step, was, now entry.JSON) []op {
	if string(was) == string(now) {
		return ops
	}
	here := slices.Clone(path)
	switch kind := jsonedit.Kind(was); {
	case kind != jsonedit.Kind(now):
	case kind == jsontext.KindBeginObject:
		for key := range jsonedit.Members(now) {
			if _, ok := jsonedit.Get(was, key); !ok {
				ops = append(ops, op{path: append(here[:len(here):len(here)], step{key, -1})})
			}
		}
		for key := range jsonedit.Members(was) {
			at := append(here[:len(here):len(here)], step{key, -1})
			old, _ := jsonedit.Get(was, key)
			if v, ok := jsonedit.Get(now, key); ok {
				ops = diff(ops, at, old, v)
			} else {
				ops = append(ops, op{path: at, value: old})
			}
		}
		return ops
	case kind == jsontext.KindBeginArray && jsonedit.Len(was) == jsonedit.Len(now):
		i, all := 0, slices.Collect(jsonedit.Elements(now))
		for old := range jsonedit.Elements(was) {
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
func textOp(path []step, was, now entry.JSON) op {
	if ref, _ := jsonedit.String(now); spelling.IsRef(ref) && ref == refOf(was) {
		return op{path: path, inline: true}
	}
	if n := jsonedit.UnitsRaw(was) - jsonedit.Units(spelling.Notice); n > longText && string(cutTo(now, n)) == string(was) {
		return op{path: path, cut: n}
	}
	return op{path: path, value: was}
}

func cutTo(text entry.JSON, n int) entry.JSON {
	return jsonedit.Concat(jsonedit.CutUnits(text, n), jsonedit.Quoted(spelling.Notice))
}

// refOf returns the reference to what a string holds in the form that comes back
// from it: a data URL, or base64; "" when it is neither.
func refOf(raw entry.JSON) string {
	if jsonedit.Kind(raw) != jsontext.KindString {
		return ""
	}
	text, _ := jsonedit.String(raw)
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
func record(from dialect.Name, was, now entry.JSON, blobs blobs) entry.JSON {
	if string(was) == string(now) {
		return now
	}
	own, _ := jsonedit.Get(now, "cambium")
	if own != nil && jsonedit.Kind(own) != jsontext.KindBeginObject {
		now, own = jsonedit.Delete(now, "cambium"), nil
	}
	if own == nil {
		own = entry.JSON("{}")
	}
	var ops jsonedit.Array
	for _, o := range diff(nil, nil, was, now) {
		ops.Add(o.encode())
	}
	mark := func(key string, v entry.JSON) entry.JSON {
		var done jsonedit.Object
		done.String("from", string(from)).Add(key, v)
		return jsonedit.Set(now, "cambium", jsonedit.Set(own, "converted", done.Value()))
	}
	out := mark("was", ops.Value())
	if back, _, ok := restore(out, blobs.pretended()); !ok || !same(back, was) {
		return mark("whole", was)
	}
	return out
}

func (o op) encode() entry.JSON {
	var path jsonedit.Array
	for _, s := range o.path {
		if s.index >= 0 {
			path.Add(jsonedit.IntValue(int64(s.index)))
		} else {
			path.Add(jsonedit.Quoted(s.key))
		}
	}
	var out jsonedit.Object
	out.Add("path", path.Value()).Add("value", o.value)
	if o.inline {
		out.Bool("inline", true)
	}
	if o.cut > 0 {
		out.Int("cut", int64(o.cut))
	}
	return out.Value()
}

func decodeOp(v entry.JSON) op {
	var o op
	path, _ := jsonedit.Get(v, "path")
	for s := range jsonedit.Elements(path) {
		if key, ok := jsonedit.String(s); ok {
			o.path = append(o.path, step{key, -1})
		} else if n, ok := jsonedit.Int(s); ok && n >= 0 {
			o.path = append(o.path, step{"", int(n)})
		}
	}
	o.value, _ = jsonedit.Get(v, "value")
	inline, _ := jsonedit.Get(v, "inline")
	o.inline, _ = jsonedit.Bool(inline)
	cut, _ := jsonedit.Get(v, "cut")
	n, _ := jsonedit.Int(cut)
	o.cut = int(n)
	return o
}

// restore takes a line back to what its own program wrote, and returns that
// program's dialect. It reports false for a line without a record that can be
// read.
func restore(line entry.JSON, blobs blobs) (was entry.JSON, from dialect.Name, ok bool) {
	own, _ := jsonedit.Get(line, "cambium")
	done, _ := jsonedit.Get(own, "converted")
	name, _ := jsonedit.Text(done, "from")
	if _, known := spelling.Agent(name); !known {
		return line, "", false
	}
	if whole, ok := jsonedit.Get(done, "whole"); ok && jsonedit.Kind(whole) == jsontext.KindBeginObject {
		blobs.rescue(line, whole)
		return whole, dialect.Name(name), true
	}
	ops, ok := jsonedit.Get(done, "was")
	if jsonedit.Kind(ops) != jsontext.KindBeginArray || !ok {
		return line, "", false
	}
	if own = jsonedit.Delete(own, "converted"); isEmpty(own) {
		was = jsonedit.Delete(line, "cambium")
	} else {
		was = jsonedit.Set(line, "cambium", own)
	}
	for v := range jsonedit.Elements(ops) {
		if o := decodeOp(v); len(o.path) > 0 {
			was = o.apply(was, o.path, blobs)
		}
	}
	return was, dialect.Name(name), true
}

func isEmpty(obj entry.JSON) bool {
	for range jsonedit.Members(obj) {
		return false
	}
	return jsonedit.Kind(obj) == jsontext.KindBeginObject
}

// apply takes back one place below v.
func (o op) apply(v entry.JSON, path []step, blobs blobs) entry.JSON {
	if len(path) == 0 {
		return o.old(v, blobs)
	}
	at := path[0]
	if at.index < 0 {
		child, ok := jsonedit.Get(v, at.key)
		switch {
		case len(path) == 1 && o.value == nil && !o.inline && o.cut == 0:
			return jsonedit.Delete(v, at.key)
		case !ok && len(path) > 1:
			return v
		}
		return jsonedit.Set(v, at.key, o.apply(child, path[1:], blobs))
	}
	return jsonedit.Walk(v, jsonedit.Visitor{Enter: func(s *jsonedit.Step, e []byte) ([]byte, jsonedit.Action) {
		switch {
		case s.Depth == 0:
			return nil, jsonedit.Into
		case s.Depth == 1 && s.Index == at.index:
			return o.apply(e, path[1:], blobs), jsonedit.Keep
		}
		return nil, jsonedit.Keep
	}})
}

// old returns what stood in the place of now.
func (o op) old(now entry.JSON, blobs blobs) entry.JSON {
	text, _ := jsonedit.String(now)
	switch {
	case o.inline:
		if data, ok := blobs.get(text); ok {
			return jsonedit.Quoted(inlined(data))
		}
		return now
	case o.cut > 0:
		return cutTo(now, o.cut)
	}
	// A reference that was put into the line goes back only with its blob.
	if ref, _ := jsonedit.String(o.value); spelling.IsRef(ref) && !spelling.IsRef(text) {
		if data, ok := contents(text); ok && !blobs.put(data, ref) {
			return now
		}
	}
	return o.value
}

// same reports whether two values are equal as JavaScript reads them, members in
// any order.
func same(a, b entry.JSON) bool {
	if string(a) == string(b) {
		return true
	}
	kind := jsonedit.Kind(a)
	if kind != jsonedit.Kind(b) {
		return false
	}
	switch kind {
	case jsontext.KindBeginObject:
		for key := range jsonedit.Members(a) {
			v, _ := jsonedit.Get(a, key)
			if w, ok := jsonedit.Get(b, key); !ok || !same(v, w) {
				return false
			}
		}
		for key := range jsonedit.Members(b) {
			if _, ok := jsonedit.Get(a, key); !ok {
				return false
			}
		}
		return true
	case jsontext.KindBeginArray:
		if jsonedit.Len(a) != jsonedit.Len(b) {
			return false
		}
		i, all := 0, slices.Collect(jsonedit.Elements(b))
		for v := range jsonedit.Elements(a) {
			if !same(v, all[i]) {
				return false
			}
			i++
		}
		return true
	}
	return false
}

// Remember returns what is to be kept beside now, a value of the member "converted" of
// "cambium", so that a later conversion takes now back to what line was in its own program;
// from is the dialect of a line that was not converted. nil means that nothing is.
func Remember(from dialect.Name, line, now entry.JSON) entry.JSON {
	none := blobs{read: func(string) ([]byte, error) { return nil, errors.ErrUnsupported }, seen: map[string][]byte{}}
	was, native, ok := restore(line, none)
	if !ok {
		was, native = line, from
	}
	out := record(native, was, now, none)
	own, _ := jsonedit.Get(out, "cambium")
	how, _ := jsonedit.Get(own, "converted")
	return how
}
