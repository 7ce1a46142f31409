package conversion

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"iter"
	"maps"
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

// deepest is how far down places are told apart: each level is read once more. What is
// deeper is one place.
const deepest = 64

// diff lists what takes now back to was.
func diff(ops []op, path []step, was, now entry.JSON) []op {
	if string(was) == string(now) {
		return ops
	}
	here := slices.Clone(path)
	switch kind := jsonedit.Kind(was); {
	case kind != jsonedit.Kind(now), len(path) == deepest:
	case kind == jsontext.KindBeginObject:
		before, after := membersOf(was), membersOf(now)
		for key := range after.all() {
			if _, ok := before.get(key); !ok {
				ops = append(ops, op{path: append(here[:len(here):len(here)], step{key, -1})})
			}
		}
		for key, old := range before.all() {
			at := append(here[:len(here):len(here)], step{key, -1})
			if v, ok := after.get(key); ok {
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
	if back, _, ok := restore(out, blobs.pretended()); !ok || !same(back, was, 0) {
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
	var all []op
	for v := range jsonedit.Elements(ops) {
		if o := decodeOp(v); len(o.path) > 0 && len(o.path) <= deepest {
			all = append(all, o)
		}
	}
	return takeBack(was, all, 0, blobs), dialect.Name(name), true
}

func isEmpty(obj entry.JSON) bool {
	for range jsonedit.Members(obj) {
		return false
	}
	return jsonedit.Kind(obj) == jsontext.KindBeginObject
}

// deletes reports whether there was nothing in the place.
func (o op) deletes() bool { return o.value == nil && !o.inline && o.cut == 0 }

// takeBack takes back all places below v, which is so deep. Of several operations on one
// place the last counts, and those below it that come behind. It takes time in proportion to v
// and the operations, however these are forged.
func takeBack(v entry.JSON, ops []op, deep int, blobs blobs) entry.JSON {
	if last := lastAt(ops, deep); last >= 0 {
		v, ops = ops[last].old(v, blobs), ops[last+1:]
	}
	if len(ops) == 0 {
		return v
	}
	below := map[step][]op{}
	var order []step
	for _, o := range ops {
		at := o.path[deep]
		if below[at] == nil {
			order = append(order, at)
		}
		below[at] = append(below[at], o)
	}
	left := map[string]int{} // how many members of a name come yet: the last counts
	for key := range jsonedit.Members(v) {
		left[key]++
	}
	had := maps.Clone(left)
	out := jsonedit.Walk(v, jsonedit.Visitor{Enter: func(s *jsonedit.Step, child []byte) ([]byte, jsonedit.Action) {
		if s.Depth == 0 {
			return nil, jsonedit.Into
		}
		ops := below[step{s.Key, s.Index}]
		if len(ops) == 0 {
			return nil, jsonedit.Keep
		}
		if last := lastAt(ops, deep+1); s.Index < 0 && last >= 0 && ops[last].deletes() {
			return nil, jsonedit.Drop
		}
		if left[s.Key]--; s.Index < 0 && left[s.Key] > 0 {
			return nil, jsonedit.Keep
		}
		return takeBack(child, ops, deep+1, blobs), jsonedit.Keep
	}})
	if jsonedit.Kind(v) != jsontext.KindBeginObject {
		return out
	}
	var more jsonedit.Object
	for _, at := range order {
		ops := below[at]
		if last := lastAt(ops, deep+1); at.index < 0 && had[at.key] == 0 && last >= 0 && !ops[last].deletes() {
			if child := takeBack(nil, ops, deep+1, blobs); child != nil {
				more.Add(at.key, child)
			}
		}
	}
	return joined(out, more.Value())
}

// lastAt returns the last of the operations on a place that is so deep, -1 for none.
func lastAt(ops []op, deep int) int {
	for i := len(ops) - 1; i >= 0; i-- {
		if len(ops[i].path) == deep {
			return i
		}
	}
	return -1
}

// joined returns an object with the members of another behind its own.
func joined(obj, more entry.JSON) entry.JSON {
	switch end := bytes.LastIndexByte(obj, '}'); {
	case isEmpty(more):
		return obj
	case isEmpty(obj):
		return more
	default:
		return slices.Concat(bytes.TrimRight(obj[:end], " \t\r\n"), []byte{','}, more[1:])
	}
}

// few is up to how many members are looked through one by one.
const few = 16

// A members is an object's, of each name the last one.
type members struct {
	keys   []string
	values []entry.JSON
	at     map[string]int // nil for few
}

func membersOf(obj entry.JSON) *members {
	m := new(members)
	for key, v := range jsonedit.Members(obj) {
		if i, ok := m.find(key); ok {
			m.values[i] = v
			continue
		}
		if m.at == nil && len(m.keys) == few {
			m.at = map[string]int{}
			for i, key := range m.keys {
				m.at[key] = i
			}
		}
		if m.at != nil {
			m.at[key] = len(m.keys)
		}
		m.keys, m.values = append(m.keys, key), append(m.values, v)
	}
	return m
}

func (m *members) find(key string) (int, bool) {
	if m.at != nil {
		i, ok := m.at[key]
		return i, ok
	}
	i := slices.Index(m.keys, key)
	return i, i >= 0
}

func (m *members) get(key string) (entry.JSON, bool) {
	if i, ok := m.find(key); ok {
		return m.values[i], true
	}
	return nil, false
}

func (m *members) all() iter.Seq2[string, entry.JSON] {
	return func(yield func(string, entry.JSON) bool) {
		for i, key := range m.keys {
			if !yield(key, m.values[i]) {
				return
			}
		}
	}
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

// same reports whether two values that are so deep are equal as JavaScript reads them, members
// in any order down to the deepest place.
func same(a, b entry.JSON, deep int) bool {
	if string(a) == string(b) {
		return true
	}
	kind := jsonedit.Kind(a)
	if kind != jsonedit.Kind(b) || deep == deepest {
		return false
	}
	switch kind {
	case jsontext.KindBeginObject:
		x, y := membersOf(a), membersOf(b)
		if len(x.keys) != len(y.keys) {
			return false
		}
		for key, v := range x.all() {
			if w, ok := y.get(key); !ok || !same(v, w, deep+1) {
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
			if !same(v, all[i], deep+1) {
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
