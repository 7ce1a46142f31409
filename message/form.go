package message

import (
	"slices"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// former is a type that stands for a JSON object.
type former interface {
	// form names the fields in the order in which the programs write them.
	form(f *form)
	// origin returns what is remembered of the text.
	origin() *decoded
	// empty returns a new value of the same type.
	empty() former
}

// form goes over the fields of a type, either filling them from an object's
// members or listing them. One method per type thus says both, and they cannot
// drift apart.
type form struct {
	filling bool
	in      []Member // filling: the object's members
	used    []bool   // filling: which of them a field took
	out     []Member // listing
}

// fill sets the fields of x from the object raw.
func fill(x former, raw JSON) {
	f := form{filling: true}
	for key, value := range jsonedit.Members(raw) {
		f.in = append(f.in, Member{Key: key, Value: value})
	}
	f.used = make([]bool, len(f.in))
	x.form(&f)
	o := x.origin()
	o.raw = raw
	for i, m := range f.in {
		if !f.used[i] {
			o.Extra = append(o.Extra, m)
		}
	}
}

// list returns the members that x stands for now.
func list(x former) []Member {
	var f form
	x.form(&f)
	named := len(f.out)
	for _, m := range x.origin().Extra {
		taken := slices.ContainsFunc(f.out[:named], func(n Member) bool { return n.Key == m.Key })
		if !taken {
			f.out = append(f.out, m)
		}
	}
	return f.out
}

// encode returns the text of x.
func encode(x former) JSON {
	raw := x.origin().raw
	now := list(x)
	if raw == nil {
		var o jsonedit.Object
		for _, m := range now {
			o.Add(m.Key, m.Value)
		}
		return o.Value()
	}
	if jsonedit.Kind(raw) != jsontext.KindBeginObject {
		return raw
	}
	fresh := x.empty()
	fill(fresh, raw)
	return amend(raw, list(fresh), now)
}

// amend edits raw, which says was, so that it says now.
func amend(raw JSON, was, now []Member) JSON {
	before := make(map[string]JSON, len(was))
	for _, m := range was {
		before[m.Key] = m.Value
	}
	after := make(map[string]JSON, len(now))
	for _, m := range now {
		after[m.Key] = m.Value
	}
	prev := ""
	for _, m := range now {
		value := after[m.Key] // the last of a name counts
		if old, ok := before[m.Key]; !ok || string(old) != string(value) {
			raw = jsonedit.SetAfter(raw, prev, m.Key, value)
		}
		prev = m.Key
	}
	for _, m := range was {
		if _, ok := after[m.Key]; !ok {
			raw = jsonedit.Delete(raw, m.Key)
		}
	}
	return raw
}

// take returns the member's value when it is of one of the kinds (of any, when
// none is named) and marks it as used. A member that is null is used and absent.
func (f *form) take(key string, kinds ...jsontext.Kind) (JSON, bool) {
	last := -1
	for i := range f.in {
		if f.in[i].Key == key {
			last = i
		}
	}
	if last < 0 {
		return nil, false
	}
	value := f.in[last].Value
	kind := jsonedit.Kind(value)
	null := kind == jsontext.KindNull
	if !null && len(kinds) > 0 && !slices.Contains(kinds, kind) {
		return nil, false
	}
	for i := range f.in {
		if f.in[i].Key == key {
			f.used[i] = true
		}
	}
	return value, !null
}

func (f *form) put(key string, value JSON) {
	f.out = append(f.out, Member{Key: key, Value: value})
}

// fixed is a member that the type itself implies.
func (f *form) fixed(key, value string) {
	if f.filling {
		f.take(key)
		return
	}
	f.put(key, jsonedit.Quoted(value))
}

// text is a string that is always written.
func (f *form) text(key string, p *string) {
	if !f.filling {
		f.put(key, jsonedit.Quoted(*p))
	} else if v, ok := f.take(key, jsontext.KindString); ok {
		*p, _ = jsonedit.String(v)
	}
}

// textIf is a string that is left out when empty.
func (f *form) textIf(key string, p *string) {
	if f.filling || *p != "" {
		f.text(key, p)
	}
}

// flag is a boolean that is always written.
func (f *form) flag(key string, p *bool) {
	if !f.filling {
		f.put(key, jsonedit.BoolValue(*p))
	} else if v, ok := f.take(key, jsontext.KindTrue, jsontext.KindFalse); ok {
		*p, _ = jsonedit.Bool(v)
	}
}

// flagIf is a boolean that is left out when false.
func (f *form) flagIf(key string, p *bool) {
	if f.filling || *p {
		f.flag(key, p)
	}
}

// whole is a whole number that is always written.
func (f *form) whole(key string, p *int64) {
	if !f.filling {
		f.put(key, jsonedit.IntValue(*p))
	} else if v, ok := f.take(key, jsontext.KindNumber); ok {
		*p, _ = jsonedit.Int(v)
	}
}

// wholeIf is a whole number that is left out when zero.
func (f *form) wholeIf(key string, p *int64) {
	if f.filling || *p != 0 {
		f.whole(key, p)
	}
}

// wholeOr is a whole number that may be absent, which is nil.
func (f *form) wholeOr(key string, p **int64) {
	if !f.filling {
		if *p != nil {
			f.put(key, jsonedit.IntValue(**p))
		}
	} else if v, ok := f.take(key, jsontext.KindNumber); ok {
		n, _ := jsonedit.Int(v)
		*p = &n
	}
}

// number is a number that is always written.
func (f *form) number(key string, p *float64) {
	if !f.filling {
		f.put(key, jsonedit.NumberValue(*p))
	} else if v, ok := f.take(key, jsontext.KindNumber); ok {
		*p, _ = jsonedit.Number(v)
	}
}

// numberIf is a number that is left out when zero.
func (f *form) numberIf(key string, p *float64) {
	if f.filling || *p != 0 {
		f.number(key, p)
	}
}

// value is any value of the kinds, left out when nil.
func (f *form) value(key string, p *JSON, kinds ...jsontext.Kind) {
	if !f.filling {
		if *p != nil {
			f.put(key, *p)
		}
	} else if v, ok := f.take(key, kinds...); ok {
		*p = v
	}
}

// values is an array of any values, left out when nil.
func (f *form) values(key string, p *[]JSON) {
	if !f.filling {
		if *p != nil {
			f.put(key, jsonedit.List(*p))
		}
	} else if v, ok := f.take(key, jsontext.KindBeginArray); ok {
		*p = []JSON{}
		for element := range jsonedit.Elements(v) {
			*p = append(*p, element)
		}
	}
}

// nested is an object with a type of its own, left out when nil.
func nested[T any, P interface {
	*T
	former
}](f *form, key string, p *P) {
	if !f.filling {
		if *p != nil {
			f.put(key, encode(*p))
		}
	} else if v, ok := f.take(key, jsontext.KindBeginObject); ok {
		*p = new(T)
		fill(*p, v)
	}
}
