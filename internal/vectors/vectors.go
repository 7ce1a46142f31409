// Package vectors holds recorded runs of the real programs: what pi 0.87.1, and 1.5.2
// where that differs, omp 18.2.3 and xcsh 17.4.4 did with a session file. Those of omp
// 18.3.4 were made by hand, as their notes say. Each says what was given,
// what was asked and what came out; data/README.md describes the form.
//
// They are data. What they mean for Cambium is decided by the tests that run
// them, which give way only by name.
package vectors

import (
	"bytes"
	"embed"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

//go:embed data/*.json
var data embed.FS

// A Vector is one recorded run.
type Vector struct {
	File      string         `json:"-"`
	System    string         `json:"system"` // pi, omp, xcsh
	Version   string         `json:"version"`
	Name      string         `json:"name"`
	Note      string         `json:"note"`
	Operation string         `json:"operation"`
	Input     jsontext.Value `json:"input"`
	Args      jsontext.Value `json:"args"`
	Expected  jsontext.Value `json:"expected"`
}

// All returns every vector, ordered by file name.
func All() ([]Vector, error) {
	files, err := data.ReadDir("data")
	if err != nil {
		return nil, err
	}
	var all []Vector
	for _, f := range files {
		raw, err := data.ReadFile("data/" + f.Name())
		if err != nil {
			return nil, err
		}
		v := Vector{File: f.Name()}
		if err := json.Unmarshal(raw, &v, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
			return nil, fmt.Errorf("read vector %s: %w", f.Name(), err)
		}
		all = append(all, v)
	}
	return all, nil
}

// File returns the bytes that an input of the form {"lines"…} or {"raw"…}
// stands for, and false for null, which means that there is no file.
func File(input jsontext.Value) ([]byte, bool) {
	if input.Kind() != '{' {
		return nil, false
	}
	if raw, ok := jsonedit.Get(input, "raw"); ok {
		text, _ := jsonedit.String(Expand(raw))
		return []byte(text), true
	}
	lines, ok := jsonedit.Get(input, "lines")
	if !ok {
		return nil, false
	}
	eol := "\n"
	if v, ok := jsonedit.Get(input, "eol"); ok {
		eol, _ = jsonedit.String(v)
	}
	var parts []string
	for line := range jsonedit.Elements(lines) {
		line = Expand(line)
		if text, ok := jsonedit.String(line); ok {
			parts = append(parts, text)
			continue
		}
		parts = append(parts, string(line))
	}
	text := strings.Join(parts, eol)
	if v, ok := jsonedit.Get(input, "trailingNewline"); !ok || string(v) != "false" {
		text += eol
	}
	return []byte(text), true
}

// Expand replaces the generator markers ($repeat, $bytes, $concat) anywhere in
// a value and returns it without white space.
func Expand(v jsontext.Value) jsontext.Value {
	switch v.Kind() {
	case '{':
		if text, ok := generated(v); ok {
			return jsonedit.Quote(nil, text)
		}
		out := []byte{'{'}
		for key, member := range jsonedit.Members(v) {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(jsonedit.Quote(out, key), ':')
			out = append(out, Expand(member)...)
		}
		return append(out, '}')
	case '[':
		out := []byte{'['}
		for e := range jsonedit.Elements(v) {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, Expand(e)...)
		}
		return append(out, ']')
	}
	return v
}

func generated(v jsontext.Value) (string, bool) {
	if args, ok := jsonedit.Get(v, "$repeat"); ok {
		s, n := pair(args)
		text, _ := jsonedit.String(s)
		return strings.Repeat(text, n), true
	}
	if args, ok := jsonedit.Get(v, "$bytes"); ok {
		b, n := pair(args)
		var value byte
		fmt.Sscan(string(b), &value)
		return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{value}, n)), true
	}
	if args, ok := jsonedit.Get(v, "$concat"); ok {
		var all strings.Builder
		for e := range jsonedit.Elements(args) {
			text, _ := jsonedit.String(Expand(e))
			all.WriteString(text)
		}
		return all.String(), true
	}
	return "", false
}

func pair(args jsontext.Value) (first jsontext.Value, n int) {
	i := 0
	for e := range jsonedit.Elements(args) {
		if i == 0 {
			first = e
		} else {
			fmt.Sscan(string(e), &n)
		}
		i++
	}
	return first, n
}
