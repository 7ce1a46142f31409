package sessiongen

import (
	"math/rand/v2"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object under construction: its members in written order.
// Values are JSON text already, so that spellings which a marshaler would
// normalise (lone surrogates, big integers, duplicate names) survive.
type object []member

type member struct{ name, value string }

// raw adds a member whose value is JSON text.
func (o *object) raw(name, value string) { *o = append(*o, member{name, value}) }

// str adds a string member, escaped as JSON.stringify does.
func (o *object) str(name, value string) { o.raw(name, quote(value)) }

// num adds an integer member.
func (o *object) num(name string, value int64) {
	o.raw(name, strconv.FormatInt(value, 10))
}

// boolean adds a true or false member.
func (o *object) boolean(name string, value bool) {
	o.raw(name, strconv.FormatBool(value))
}

// json renders the object without insignificant blanks.
func (o object) json() string { return o.render("", "") }

// render writes the members with the given text after each colon and comma.
func (o object) render(afterColon, afterComma string) string {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
			b = append(b, afterComma...)
		}
		b = append(b, quote(m.name)...)
		b = append(b, ':')
		b = append(b, afterColon...)
		b = append(b, m.value...)
	}
	return string(append(b, '}'))
}

// shuffled returns the members in another order; JSON gives order no meaning.
func (o object) shuffled(rng *rand.Rand) object {
	c := append(object(nil), o...)
	rng.Shuffle(len(c), func(i, j int) { c[i], c[j] = c[j], c[i] })
	return c
}

// quote is JSON.stringify for a string of valid UTF-8.
func quote(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic("sessiongen: quote of invalid UTF-8")
	}
	return string(b)
}

// array joins JSON values into an array.
func array(values ...string) string {
	b := []byte{'['}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return string(append(b, ']'))
}
