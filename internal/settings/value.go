package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// A reader takes values as what they should be. Its first error counts; after it
// all values are zero.
type reader struct {
	data    []byte
	err     *Error
	unknown []string
}

// want notes that a value is not what was expected.
func (r *reader) want(n *node, expected string) {
	r.refuse(n, "expected "+expected+", found "+n.what())
}

func (r *reader) refuse(n *node, reason string) {
	if r.err == nil {
		r.err = at(r.data, n.at, n.name, reason)
	}
}

// object gives each member to who takes it. One that is null is passed over, as
// if it was not there.
func (r *reader) object(n *node, take map[string]func(*node)) {
	if !r.is(n, jsontext.KindBeginObject, "an object") {
		return
	}
	for _, m := range n.members {
		f, ok := take[m.key]
		switch {
		case !ok && isSecret(m.key):
			r.refuse(m, "keys are not kept in this file: put it in an environment variable, name that in the provider's keyEnv, and take it out of here")
		case !ok:
			r.unknown = append(r.unknown, m.name)
			r.search(m)
		case m.kind != jsontext.KindNull:
			f(m)
		}
	}
}

// search looks for keys in what is passed over.
func (r *reader) search(n *node) {
	for _, m := range n.members {
		if m.key != "" && isSecret(m.key) {
			r.refuse(m, "keys are not kept in this file: put it in an environment variable and take it out of here")
		}
		r.search(m)
	}
}

// each gives the members of an object that may have any names, in order.
func (r *reader) each(n *node, expected string, f func(*node)) {
	if !r.is(n, jsontext.KindBeginObject, expected) {
		return
	}
	for _, m := range n.members {
		if m.kind != jsontext.KindNull {
			f(m)
		}
	}
}

// list gives the elements of a list.
func (r *reader) list(n *node, expected string, f func(*node)) {
	if !r.is(n, jsontext.KindBeginArray, expected) {
		return
	}
	for _, m := range n.members {
		f(m)
	}
}

func (r *reader) is(n *node, kind jsontext.Kind, expected string) bool {
	if n.kind != kind {
		r.want(n, expected)
	}
	return n.kind == kind
}

// text takes a string that is not empty.
func (r *reader) text(n *node, expected string) string {
	if !r.is(n, jsontext.KindString, expected) {
		return ""
	}
	if strings.TrimSpace(n.text) == "" || strings.ContainsRune(n.text, 0) {
		r.refuse(n, "expected "+expected+", found an empty one")
	}
	return n.text
}

// line takes a string that may be shown: one without control characters.
func (r *reader) line(n *node, expected string) string {
	text := r.text(n, expected)
	if strings.ContainsFunc(text, unicode.IsControl) {
		r.refuse(n, "expected "+expected+", found one with control characters")
	}
	return text
}

// word takes one of some words.
func (r *reader) word(n *node, words []string) string {
	expected := "one of " + strings.Join(words, ", ")
	if r.is(n, jsontext.KindString, expected) && !slices.Contains(words, n.text) {
		r.refuse(n, "expected "+expected+", found another word")
	}
	return n.text
}

func (r *reader) flag(n *node) bool {
	if n.kind != jsontext.KindTrue && n.kind != jsontext.KindFalse {
		r.want(n, "true or false")
	}
	return n.kind == jsontext.KindTrue
}

// whole takes a whole number that is not less than least.
func (r *reader) whole(n *node, least int) int {
	const most = 1<<31 - 1
	expected := fmt.Sprintf("a whole number from %d to %d", least, most)
	if !r.is(n, jsontext.KindNumber, expected) {
		return least
	}
	f, err := strconv.ParseFloat(n.text, 64)
	if err != nil || f < float64(least) || f > most || f != float64(int(f)) {
		r.refuse(n, "expected "+expected+", found another number")
		return least
	}
	return int(f)
}

// number takes a number within bounds.
func (r *reader) number(n *node, least, most float64) float64 {
	expected := fmt.Sprintf("a number from %v to %v", least, most)
	if !r.is(n, jsontext.KindNumber, expected) {
		return least
	}
	f, err := strconv.ParseFloat(n.text, 64)
	if err != nil || f < least || f > most {
		r.refuse(n, "expected "+expected+", found another number")
		return least
	}
	return f
}

func (r *reader) milliseconds(n *node, least int) time.Duration {
	return time.Duration(r.whole(n, least)) * time.Millisecond
}

// isSecret reports whether a member, or a header, is called as what holds a key.
func isSecret(name string) bool {
	plain := strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(name))
	switch plain {
	case "key", "token", "secret", "password", "passwd", "credential", "credentials", "auth", "authorization", "cookie":
		return true
	}
	for _, end := range []string{"apikey", "accesskey", "secretkey", "authtoken", "accesstoken", "bearertoken", "secret", "password", "authorization"} {
		if strings.HasSuffix(plain, end) {
			return true
		}
	}
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, "_key") || strings.HasSuffix(lower, "_token")
}
