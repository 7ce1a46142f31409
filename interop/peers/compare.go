package peers

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
)

// Compare returns nil when two JSON values are the same to a JavaScript
// program, else an error that names the first place where they differ, as a
// path such as $.messages[3].content. Numbers are doubles (too large ones are
// null, as JSON.stringify writes infinity, and -0 is 0), strings are sequences
// of UTF-16 units, the order of members has no meaning and the last of several
// equal names counts.
func Compare(want, got jsontext.Value) error {
	w, err := decode(want)
	if err != nil {
		return fmt.Errorf("read wanted value: %w", err)
	}
	g, err := decode(got)
	if err != nil {
		return fmt.Errorf("read value: %w", err)
	}
	return differ("$", w, g)
}

// A text is a JavaScript string.
type text []uint16

// decode reads one JSON value into nil, bool, float64, text, []any or
// map[string]any, whose keys are the big-endian units of the name.
func decode(v jsontext.Value) (any, error) {
	if !v.IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
		return nil, fmt.Errorf("invalid JSON: %.80q", string(v))
	}
	p := &parser{data: v}
	return p.value(), nil
}

// parser reads JSON that is known to be valid.
type parser struct {
	data []byte
	at   int
}

func (p *parser) blank() {
	for p.at < len(p.data) && (p.data[p.at] == ' ' || p.data[p.at] == '\t' || p.data[p.at] == '\n' || p.data[p.at] == '\r') {
		p.at++
	}
}

// next passes blanks and returns the next byte, which it passes as well.
func (p *parser) next() byte {
	p.blank()
	p.at++
	return p.data[p.at-1]
}

func (p *parser) value() any {
	switch c := p.next(); c {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return p.text()
	case 't':
		p.at += 3
		return true
	case 'f':
		p.at += 4
		return false
	case 'n':
		p.at += 3
		return nil
	}
	from := p.at - 1
	for p.at < len(p.data) && slices.Contains([]byte("+-.eE0123456789"), p.data[p.at]) {
		p.at++
	}
	f, err := strconv.ParseFloat(string(p.data[from:p.at]), 64)
	if err != nil && math.IsInf(f, 0) {
		return nil
	}
	return f
}

func (p *parser) object() map[string]any {
	o := map[string]any{}
	for {
		if p.next() == '}' {
			return o
		}
		// The byte was a comma or the quote of the first name.
		if p.data[p.at-1] == ',' {
			p.next()
		}
		name := p.text().key()
		p.next() // colon
		o[name] = p.value()
	}
}

func (p *parser) array() []any {
	a := []any{}
	for {
		switch p.next() {
		case ']':
			return a
		case ',':
		default:
			p.at--
		}
		a = append(a, p.value())
	}
}

// text reads a string after its opening quote.
func (p *parser) text() text {
	t := text{}
	from := p.at
	for {
		switch p.data[p.at] {
		case '"':
			t = append(t, utf16.Encode([]rune(string(p.data[from:p.at])))...)
			p.at++
			return t
		case '\\':
			t = append(t, utf16.Encode([]rune(string(p.data[from:p.at])))...)
			t = append(t, p.escape())
			from = p.at
		default:
			p.at++
		}
	}
}

// escape reads one escape and returns its unit.
func (p *parser) escape() uint16 {
	c := p.data[p.at+1]
	p.at += 2
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'u':
		n, _ := strconv.ParseUint(string(p.data[p.at:p.at+4]), 16, 16) // valid by decode's check
		p.at += 4
		return uint16(n)
	}
	return uint16(c)
}

// key returns the units as a map key.
func (t text) key() string {
	b := make([]byte, 0, 2*len(t))
	for _, u := range t {
		b = append(b, byte(u>>8), byte(u))
	}
	return string(b)
}

// keyText is the reverse of key.
func keyText(k string) text {
	t := make(text, 0, len(k)/2)
	for i := 0; i+1 < len(k); i += 2 {
		t = append(t, uint16(k[i])<<8|uint16(k[i+1]))
	}
	return t
}

// errDiffer is the root of every difference that Compare reports.
var errDiffer = errors.New("values differ")

// differ compares two decoded values at a path.
func differ(path string, want, got any) error {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			return differObjects(path, w, g)
		}
	case []any:
		if g, ok := got.([]any); ok {
			return differArrays(path, w, g)
		}
	case text:
		if g, ok := got.(text); ok && slices.Equal(w, g) {
			return nil
		}
	default:
		if want == got {
			return nil
		}
	}
	return fmt.Errorf("%w at %s: want %s, got %s", errDiffer, path, show(want), show(got))
}

func differObjects(path string, want, got map[string]any) error {
	var names []string
	for name := range want {
		names = append(names, name)
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		at := path + "." + string(utf16.Decode(keyText(name)))
		w, wanted := want[name]
		g, gotten := got[name]
		switch {
		case !gotten:
			return fmt.Errorf("%w at %s: want %s, got none", errDiffer, at, show(w))
		case !wanted:
			return fmt.Errorf("%w at %s: want none, got %s", errDiffer, at, show(g))
		}
		if err := differ(at, w, g); err != nil {
			return err
		}
	}
	return nil
}

func differArrays(path string, want, got []any) error {
	for i := range min(len(want), len(got)) {
		if err := differ(fmt.Sprintf("%s[%d]", path, i), want[i], got[i]); err != nil {
			return err
		}
	}
	if len(want) != len(got) {
		return fmt.Errorf("%w at %s: want %d elements, got %d", errDiffer, path, len(want), len(got))
	}
	return nil
}

// show prints a value for a person, clipped.
func show(v any) string {
	var s string
	switch v := v.(type) {
	case text:
		s = strconv.QuoteToASCII(string(utf16.Decode(v)))
	case map[string]any:
		s = fmt.Sprintf("an object of %d members", len(v))
	case []any:
		s = fmt.Sprintf("an array of %d", len(v))
	case nil:
		s = "null"
	default:
		s = fmt.Sprint(v)
	}
	if len(s) > 120 {
		s = s[:120] + "…"
	}
	return s
}
