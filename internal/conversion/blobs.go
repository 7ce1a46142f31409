package conversion

import (
	"errors"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/go-json-experiment/json/jsontext"
)

// blobs are the stores of the two sessions.
type blobs struct {
	read func(ref string) ([]byte, error)
	keep spelling.Put
	seen map[string][]byte // those of the line under way
}

// get reads a blob; text that is no reference has none.
func (b blobs) get(text string) ([]byte, bool) {
	if !spelling.IsRef(text) {
		return nil, false
	}
	if data, ok := b.seen[text]; ok {
		return data, true
	}
	if b.read == nil {
		return nil, false
	}
	data, err := b.read(text)
	if err == nil {
		b.seen[text] = data
	}
	return data, err == nil
}

// put keeps a blob for the target and reports whether it is kept as ref.
func (b blobs) put(data []byte, ref string) bool {
	b.seen[ref] = data
	if b.keep == nil {
		return false
	}
	kept, err := b.keep(data, "")
	return err == nil && kept == ref
}

// pretended are the blobs of the source and of the line under way; none is kept.
func (b blobs) pretended() blobs {
	keep := func(data []byte, _ string) (string, error) { return sumOf(data), nil }
	return blobs{read: b.read, keep: keep, seen: b.seen}
}

// rescue keeps what line holds itself of the blobs that was refers to.
func (b blobs) rescue(line, was entry.JSON) {
	wanted := refs(was)
	if len(wanted) == 0 {
		return
	}
	jsonedit.Walk(line, jsonedit.Visitor{Enter: func(_ *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
		if ref := refOf(v); wanted[ref] > 0 {
			text, _ := jsonedit.String(v)
			data, _ := contents(text)
			b.put(data, ref)
		}
		return nil, jsonedit.Into
	}})
}

// store is put in the form in which a dialect prepares lines.
func (b blobs) store(data []byte, ext string) (string, error) {
	if b.keep == nil {
		return "", errors.ErrUnsupported
	}
	ref, err := b.keep(data, ext)
	if err == nil {
		b.seen[ref] = data
	}
	return ref, err
}

// open puts everything that is kept outside of the line back into it.
func (t *translation) open() {
	if !jsonedit.Mentions(t.line, "blob:sha256:") {
		return
	}
	get := func(ref string) ([]byte, error) {
		data, ok := t.c.blobs.get(ref)
		if !ok {
			return nil, errors.ErrUnsupported
		}
		return data, nil
	}
	before := t.line
	rules := spelling.Persist{Images: t.from.Persist.Images}
	if out, _, err := spelling.Resolve(t.line, rules, get); err == nil {
		t.line = out
	}
	t.opened = string(t.line) != string(before)
	if t.to.Persist.Limit == 0 {
		t.uncut()
	}
}

// uncut puts text back that was cut for its length.
func (t *translation) uncut() {
	cuts := spelling.Cuts(t.line)
	var whole []op
	for _, cut := range cuts {
		data, ok := t.c.blobs.get(cut.Ref)
		if !ok {
			return
		}
		var path []step
		at := t.line
		for _, name := range cut.Path {
			s := stepInto(at, name)
			path = append(path, s)
			at = inner(at, s)
		}
		if jsonedit.Kind(at) != jsontext.KindString {
			return
		}
		whole = append(whole, op{path: path, value: jsonedit.Quoted(string(data))})
	}
	if len(cuts) == 0 {
		return
	}
	out := takeBack(t.line, whole, 0, t.c.blobs)
	own, _ := jsonedit.Get(out, "cambium")
	if own = jsonedit.Delete(own, "full"); isEmpty(own) {
		t.line = jsonedit.Delete(out, "cambium")
	} else {
		t.line = jsonedit.Set(out, "cambium", own)
	}
	t.note(Whole, true)
}

// stepInto returns the step that a name means in a value.
func stepInto(v entry.JSON, name string) step {
	if jsonedit.Kind(v) == jsontext.KindBeginArray {
		if n, ok := jsonedit.Int(entry.JSON(name)); ok && n >= 0 {
			return step{"", int(n)}
		}
	}
	return step{name, -1}
}

// inner returns the value one step into v, nil when there is none.
func inner(v entry.JSON, s step) entry.JSON {
	if s.index < 0 {
		v, _ = jsonedit.Get(v, s.key)
		return v
	}
	i := 0
	for e := range jsonedit.Elements(v) {
		if i == s.index {
			return e
		}
		i++
	}
	return nil
}

// shut takes images out of the line, where the target keeps them as blobs.
func (t *translation) shut(was entry.JSON) {
	p := t.to.Persist
	rules := spelling.Persist{Images: p.Images, MinImage: p.MinImage, Typed: p.Typed}
	if out, changed, err := spelling.Prepare(t.line, rules, t.c.blobs.store); err == nil && changed {
		t.line = out
		t.opened = true
	}
	if t.opened && imagesDiffer(was, t.line) {
		t.note(Image, true)
	}
}

// imagesDiffer reports whether the references in two lines are not the same.
func imagesDiffer(a, b entry.JSON) bool {
	x, y := refs(a), refs(b)
	if len(x) != len(y) {
		return true
	}
	for ref, n := range x {
		if y[ref] != n {
			return true
		}
	}
	return false
}

// refs counts the references to blobs in a line.
func refs(line entry.JSON) map[string]int {
	if !jsonedit.Mentions(line, "blob:sha256:") {
		return nil
	}
	all := map[string]int{}
	jsonedit.Walk(line, jsonedit.Visitor{Enter: func(_ *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
		if text, _ := jsonedit.String(v); spelling.IsRef(text) {
			all[text]++
		}
		return nil, jsonedit.Into
	}})
	return all
}

// moved sees to it that the blobs that a line refers to are where the target
// looks for them. Those of records are not: they come back from the line.
func (c *Conversion) moved(i int, line entry.JSON) {
	if c.copies() && (c.blobs.read == nil || c.blobs.keep == nil) {
		return // the store stays the same
	}
	own, _ := jsonedit.Get(line, "cambium")
	if _, ok := jsonedit.Get(own, "converted"); ok {
		line = jsonedit.Set(line, "cambium", jsonedit.Delete(own, "converted"))
	}
	for ref := range refs(line) {
		data, ok := c.blobs.get(ref)
		if ok && (c.blobs.keep == nil || c.blobs.put(data, ref)) && c.to.Dialect.Persist.Images != spelling.NoImages {
			continue
		}
		c.note(i, MissingBlob, false)
	}
}
