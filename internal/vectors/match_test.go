package vectors_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// A matcher compares what came out with what a vector expects, whose strings
// may hold placeholders (data/README.md). The same number of an id stands for
// the same id throughout one vector.
type matcher struct {
	fixed map[string]string // dir, cwd
	bound map[string]string // "id:1" and the like, once seen
}

func newMatcher(dir, cwd string) *matcher {
	return &matcher{fixed: map[string]string{"dir": dir, "cwd": cwd}, bound: make(map[string]string)}
}

// clone returns a matcher that may bind more without this one knowing.
func (m *matcher) clone() *matcher {
	c := &matcher{fixed: m.fixed, bound: make(map[string]string)}
	for k, v := range m.bound {
		c.bound[k] = v
	}
	return c
}

var placeholder = regexp.MustCompile(`\{\{(dir|cwd|ts|fts|ms|pad|id:\d+|sid:\d+)\}\}`)

var shapes = map[string]string{
	"id":  `[0-9a-f]{8}`,
	"sid": `[0-9a-f]{16}|[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`,
	"ts":  `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`,
	"fts": `\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z`,
	"ms":  `\d{13}`,
	"pad": ` *`,
}

// text compares one string.
func (m *matcher) text(want, got string) error {
	if !strings.Contains(want, "{{") {
		if want != got {
			return fmt.Errorf("want %s, got %s", clip(want), clip(got))
		}
		return nil
	}
	var b strings.Builder
	b.WriteString(`(?s)^`)
	var names []string
	last := 0
	for _, at := range placeholder.FindAllStringIndex(want, -1) {
		b.WriteString(regexp.QuoteMeta(want[last:at[0]]))
		name := want[at[0]+2 : at[1]-2]
		last = at[1]
		kind, _, _ := strings.Cut(name, ":")
		value, known := m.fixed[name]
		if !known {
			value, known = m.bound[name]
		}
		switch {
		case known:
			b.WriteString(regexp.QuoteMeta(value))
		case slices.Contains(names, name):
			// Checked against the first place below.
			names = append(names, name)
			b.WriteString(`(` + shapes[kind] + `)`)
		default:
			names = append(names, name)
			b.WriteString(`(` + shapes[kind] + `)`)
		}
	}
	b.WriteString(regexp.QuoteMeta(want[last:]) + `$`)
	found := regexp.MustCompile(b.String()).FindStringSubmatch(got)
	if found == nil {
		return fmt.Errorf("want %s, got %s", clip(want), clip(got))
	}
	for i, name := range names {
		if !strings.Contains(name, ":") {
			continue
		}
		if was, ok := m.bound[name]; ok && was != found[i+1] {
			return fmt.Errorf("%s was %s, now it is %s", name, was, found[i+1])
		}
		for other, value := range m.bound {
			if other != name && value == found[i+1] && strings.HasPrefix(other, strings.SplitN(name, ":", 2)[0]+":") {
				return fmt.Errorf("%s is %s, which is %s already", name, value, other)
			}
		}
		m.bound[name] = found[i+1]
	}
	return nil
}

// value compares two JSON values: members by name, in whatever order.
func (m *matcher) value(want, got jsontext.Value) error {
	if s, ok := jsonedit.String(want); ok {
		if s == "{{ms}}" && jsonedit.Kind(got) == '0' {
			return m.text(s, string(got))
		}
		g, ok := jsonedit.String(got)
		if !ok {
			return fmt.Errorf("want %s, got %s", clip(string(want)), clip(string(got)))
		}
		return m.text(s, g)
	}
	if jsonedit.Kind(want) != jsonedit.Kind(got) {
		return fmt.Errorf("want %s, got %s", clip(string(want)), clip(string(got)))
	}
	switch jsonedit.Kind(want) {
	case '{':
		return m.object(want, got)
	case '[':
		return m.array(want, got)
	case '0':
		w, _ := jsonedit.Number(want)
		g, _ := jsonedit.Number(got)
		if w != g {
			return fmt.Errorf("want %s, got %s", want, got)
		}
		return nil
	}
	if strings.TrimSpace(string(want)) != strings.TrimSpace(string(got)) {
		return fmt.Errorf("want %s, got %s", want, clip(string(got)))
	}
	return nil
}

func (m *matcher) object(want, got jsontext.Value) error {
	for key, w := range jsonedit.Members(want) {
		g, ok := jsonedit.Get(got, key)
		if !ok {
			return fmt.Errorf("%s: missing, want %s", key, clip(string(w)))
		}
		if err := m.value(w, g); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	for key, g := range jsonedit.Members(got) {
		if _, ok := jsonedit.Get(want, key); !ok {
			return fmt.Errorf("%s: unexpected %s", key, clip(string(g)))
		}
	}
	return nil
}

func (m *matcher) array(want, got jsontext.Value) error {
	var gots []jsontext.Value
	for g := range jsonedit.Elements(got) {
		gots = append(gots, g)
	}
	i := 0
	for w := range jsonedit.Elements(want) {
		if i >= len(gots) {
			return fmt.Errorf("[%d]: missing, want %s", i, clip(string(w)))
		}
		if err := m.value(w, gots[i]); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
		i++
	}
	if i < len(gots) {
		return fmt.Errorf("[%d]: unexpected %s", i, clip(string(gots[i])))
	}
	return nil
}

func clip(s string) string {
	if len(s) > 300 {
		return fmt.Sprintf("%q… (%d bytes)", s[:300], len(s))
	}
	return fmt.Sprintf("%q", s)
}
