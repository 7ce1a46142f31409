package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// arguments are what a model gave, asked for one by one. Whatever is wrong is
// kept and told at once by err, so that the model can mend all of it.
type arguments struct {
	members  map[string]message.JSON
	order    []string
	known    []string
	problems []string
}

// readArguments takes the arguments of a call. Nothing and null are no arguments.
// JSON that is not valid, with lone surrogates or a name twice too, is a problem.
func readArguments(raw message.JSON) *arguments {
	a := &arguments{members: map[string]message.JSON{}}
	if len(raw) == 0 || jsonedit.Kind(raw) == 'n' {
		return a
	}
	if jsonedit.Kind(raw) != '{' {
		a.problemf("they are %s, not an object", kindName(raw))
		a.members = nil
	} else if err := a.split(raw); err != nil {
		a.problemf("they are not valid JSON: %v", err)
		a.members, a.order = nil, nil
	}
	return a
}

// split reads the members of an object.
func (a *arguments) split(raw message.JSON) error {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		a.members[key] = message.JSON(value.Clone())
		a.order = append(a.order, key)
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return errors.New("more follows after the object")
	}
	return nil
}

func (a *arguments) problemf(format string, args ...any) {
	a.problems = append(a.problems, fmt.Sprintf(format, args...))
}

// value returns what is given under a name; null is nothing.
func (a *arguments) value(name string) (message.JSON, bool) {
	a.known = append(a.known, name)
	v, ok := a.members[name]
	return v, ok && jsonedit.Kind(v) != 'n'
}

// text is a string that must be there.
func (a *arguments) text(name string) string {
	v, ok := a.value(name)
	if !ok {
		a.missing(name, "a string")
		return ""
	}
	return a.string(name, v)
}

// textOr is a string that may be left out.
func (a *arguments) textOr(name, otherwise string) string {
	v, ok := a.value(name)
	if !ok {
		return otherwise
	}
	return a.string(name, v)
}

func (a *arguments) string(name string, v message.JSON) string {
	if jsonedit.Kind(v) != '"' {
		a.problemf("%q is %s, not a string", name, kindName(v))
		return ""
	}
	return unquote(v)
}

func (a *arguments) missing(name, what string) {
	if a.members != nil {
		a.problemf("%q is missing (%s)", name, what)
	}
}

// whole is a whole number from low to high that may be left out. It may be a
// string of digits, or end in ".0".
func (a *arguments) whole(name string, otherwise, low, high int) int {
	v, ok := a.value(name)
	if !ok {
		return otherwise
	}
	digits := string(v)
	if jsonedit.Kind(v) == '"' {
		digits = strings.TrimSpace(unquote(v))
	}
	f, err := strconv.ParseFloat(digits, 64)
	switch {
	case err != nil || f != math.Trunc(f):
		a.problemf("%q is %s, not a whole number", name, shown(v))
	case f < float64(low) || f > float64(high):
		a.problemf("%q is %s, not between %d and %d", name, shown(v), low, high)
	default:
		return int(f)
	}
	return otherwise
}

// flag is a truth that may be left out, and may be a string.
func (a *arguments) flag(name string) bool {
	v, ok := a.value(name)
	if !ok {
		return false
	}
	switch strings.Trim(string(v), `"`) {
	case "true":
		return true
	case "false":
		return false
	}
	a.problemf("%q is %s, not true or false", name, shown(v))
	return false
}

// err is all that is wrong, the names that nobody asked for included; nil when
// nothing is.
func (a *arguments) err() error {
	for _, name := range a.order {
		if !slices.Contains(a.known, name) {
			a.problemf("%q is unknown (known are %s)", name, strings.Join(a.known, ", "))
		}
	}
	if len(a.problems) == 0 {
		return nil
	}
	return fmt.Errorf("bad arguments: %s", strings.Join(a.problems, "; "))
}

// unquote returns a string of valid JSON.
func unquote(v message.JSON) string {
	var s string
	_ = json.Unmarshal(v, &s) // v was read as a string
	return s
}

// shown is a value as a message names it.
func shown(v message.JSON) string {
	if len(v) > 60 || jsonedit.Kind(v) == '{' || jsonedit.Kind(v) == '[' {
		return kindName(v)
	}
	return string(v)
}

func kindName(v message.JSON) string {
	switch jsonedit.Kind(v) {
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "nothing"
}
