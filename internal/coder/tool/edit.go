package tool

import (
	"bytes"
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// editTool replaces text in a file.
type editTool struct{ files *locks }

const (
	editWords = `Replace text in a file. Each oldText must be in the file exactly once, white space included; all are looked for
in the file as it is before the call, they may not overlap, and either all are replaced or none. Lines keep the way they
end. Use it for changes of a part, and write for whole files.`
	editForm = `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"The file, absolute or seen from the session's directory."},` +
		`"edits":{"type":"array","minItems":1,"description":"The replacements.","items":{"type":"object","properties":{` +
		`"oldText":{"type":"string","description":"A text that is in the file once."},` +
		`"newText":{"type":"string","description":"What shall stand there."}` +
		`},"required":["oldText","newText"],"additionalProperties":false}},` +
		`"oldText":{"type":"string","description":"For one replacement, instead of edits."},` +
		`"newText":{"type":"string","description":"For one replacement, instead of edits."}` +
		`},"required":["path"],"additionalProperties":false}`
)

// Spec implements Tool.
func (editTool) Spec() provider.Tool { return spec("edit", editWords, editForm) }

// Changes implements Tool.
func (editTool) Changes() bool { return true }

// Target implements Targeted.
func (editTool) Target(arguments message.JSON, env Env) (*Target, error) {
	path, _, err := readEdits(arguments)
	if err != nil {
		return nil, err
	}
	return target(env, path)
}

// Run implements Tool.
func (t editTool) Run(ctx context.Context, arguments message.JSON, env Env) Result {
	path, edits, err := readEdits(arguments)
	if err != nil {
		return failed(err)
	}
	p, err := locate(env, path, false)
	if err != nil {
		return failed(err)
	}
	defer p.close()
	defer t.files.lock(p.real)()
	data, was, err := p.whole()
	if err == nil {
		err = p.agreed(env.Agreed, was)
	}
	if err != nil {
		return failed(err)
	}
	if what := binary(data[:min(len(data), sniffed)]); what != "" {
		return failed(fmt.Errorf("%q is %s, not text that can be edited", p.name, what))
	}
	after, err := apply(string(data), edits)
	if err != nil {
		return failed(fmt.Errorf("%q is not changed: %w", p.name, err))
	}
	if ctx.Err() != nil {
		return failedIn(ctx, ctx.Err())
	}
	if err := p.save([]byte(after), was); err != nil {
		return failed(err)
	}
	c := compare(string(data), after)
	return said(fmt.Sprintf("changed %s: %s, line %d is the first; %s added, %s removed", cleanName(p.name),
		count(int64(len(edits)), "replacement"), c.FirstChangedLine, count(int64(c.Added), "line"), count(int64(c.Removed), "line")),
		struct {
			Path string `json:"path"`
			change
		}{clean(p.name), c})
}

// readEdits takes the replacements in either of their forms.
func readEdits(arguments message.JSON) (path string, edits []replacement, err error) {
	a := readArguments(arguments)
	path = a.text("path")
	list, many := a.value("edits")
	_, one := a.members["oldText"]
	if !many || one {
		edits = append(edits, replacement{OldText: a.text("oldText"), NewText: a.text("newText")})
	} else {
		a.known = append(a.known, "oldText", "newText")
	}
	if many {
		// Some models write the array as a string.
		if jsonedit.Kind(list) == '"' {
			if inner := message.JSON(unquote(list)); jsontext.Value(inner).IsValid() && jsonedit.Kind(inner) == '[' {
				list = inner
			}
		}
		more, err := editList(list)
		if err != nil {
			a.problemf("%v", err)
		} else if _, stray := a.members["newText"]; stray && !one {
			a.problemf(`"newText" stands beside "edits"`)
		}
		edits = append(edits, more...)
	}
	return path, edits, a.err()
}

// editList reads the array of replacements.
func editList(list message.JSON) ([]replacement, error) {
	if jsonedit.Kind(list) != '[' {
		return nil, fmt.Errorf(`"edits" is %s, not an array`, kindName(list))
	}
	dec := jsontext.NewDecoder(bytes.NewReader(list))
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var edits []replacement
	for dec.PeekKind() != ']' {
		item, err := dec.ReadValue()
		if err != nil {
			return nil, fmt.Errorf(`"edits" is not valid JSON: %w`, err)
		}
		a := readArguments(message.JSON(item))
		e := replacement{OldText: a.text("oldText"), NewText: a.text("newText")}
		if err := a.err(); err != nil {
			return nil, fmt.Errorf("edit %d has %w", len(edits)+1, err)
		}
		edits = append(edits, e)
	}
	if len(edits) == 0 {
		return nil, fmt.Errorf(`"edits" is empty`)
	}
	return edits, nil
}
