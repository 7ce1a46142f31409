package claude

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// answer writes an answer: a record for each of its blocks.
func (w *writer) answer(i int, line, m entry.JSON) {
	id, when := idOf(line)
	blocks := w.blocks(i, m)
	stop, _ := jsonedit.Text(m, "stopReason")
	failed := stop == "error"
	if failed && len(blocks) == 0 {
		text, _ := jsonedit.Text(m, "errorMessage")
		var o jsonedit.Object
		blocks = append(blocks, o.String("type", "text").String("text", "API Error: "+text).Value())
	} else {
		failed = false
	}
	if len(blocks) == 0 {
		var o jsonedit.Object
		blocks = append(blocks, o.String("type", "text").String("text", "").Value())
	}
	name := responseOf(line)
	if w.responses[name] != 1 { // it would make one answer of several
		name = "msg_" + strings.ReplaceAll(w.uuid("answer "+id, 0), "-", "")
	}
	parent := w.before(id)
	n := 0
	for list := range slices.Chunk(blocks, 1+len(blocks)/mostRecords) {
		uuid := w.uuid(id, n)
		o := w.record("assistant", uuid, parent, when).Add("message", w.envelope(name, m, list, stop, failed)).Int("apiBlockIndex", int64(n))
		n += len(list)
		if failed {
			o.Bool("isApiErrorMessage", true)
		}
		if stop == "aborted" && n == len(blocks) {
			o.Bool("isAbortedMidStream", true)
		}
		if w.effort != "" && w.effort != "off" {
			o.String("effort", w.effort)
		}
		w.put(id, uuid, i, o)
		parent = uuid
	}
}

// mostRecords is how many records an answer has at most: of more blocks several share one.
const mostRecords = 200

// envelope returns a message of the provider with some blocks of an answer.
func (w *writer) envelope(name string, m entry.JSON, blocks []entry.JSON, stop string, failed bool) entry.JSON {
	model, _ := jsonedit.Text(m, "model")
	if failed {
		model = "<synthetic>"
	} else if model == "" {
		model = w.model
	}
	var o jsonedit.Object
	o.String("id", name).String("type", "message").String("role", "assistant").String("model", model)
	o.Add("content", jsonedit.List(blocks))
	switch stop {
	case "toolUse":
		o.String("stop_reason", "tool_use")
	case "length":
		o.String("stop_reason", "max_tokens")
	case "aborted":
		o.Add("stop_reason", entry.JSON("null"))
	default:
		o.String("stop_reason", "end_turn")
	}
	o.Add("stop_sequence", entry.JSON("null"))
	usage, _ := jsonedit.Get(m, "usage")
	var u jsonedit.Object
	for _, key := range [][2]string{{"input_tokens", "input"}, {"cache_creation_input_tokens", "cacheWrite"}, {"cache_read_input_tokens", "cacheRead"}, {"output_tokens", "output"}} {
		v, _ := jsonedit.Get(usage, key[1])
		n, _ := jsonedit.Int(v)
		u.Add(key[0], entry.JSON(strconv.AppendInt(nil, max(n, 0), 10)))
	}
	return o.Add("usage", u.Value()).Value()
}

// blocks returns the blocks of an answer as the provider takes them back.
func (w *writer) blocks(i int, m entry.JSON) (all []entry.JSON) {
	content, _ := jsonedit.Get(m, "content")
	provider, _ := jsonedit.Text(m, "provider")
	api, _ := jsonedit.Text(m, "api")
	own := provider == "anthropic" || api == "anthropic-messages"
	if jsonedit.Kind(content) == '"' {
		var o jsonedit.Object
		return []entry.JSON{o.String("type", "text").Add("text", content).Value()}
	}
	for block := range jsonedit.Elements(content) {
		var o jsonedit.Object
		switch kind, _ := jsonedit.Text(block, "type"); kind {
		case "text":
			if text, _ := jsonedit.Text(block, "text"); text != "" {
				all = append(all, block)
			}
		case "thinking", "redactedThinking":
			if b := thinking(block, own); b != nil {
				all = append(all, b)
			} else {
				w.left[i] = foreign.Unsigned
			}
		case "toolCall":
			id, _ := jsonedit.Text(block, "id")
			name, _ := jsonedit.Get(block, "name")
			input, _ := jsonedit.Get(block, "arguments")
			if jsonedit.Kind(input) != '{' {
				input = entry.JSON("{}")
			}
			if name == nil {
				name = jsonedit.Quoted("unknown")
			}
			as, with, ok := toolOf(name, input)
			if ok {
				name, input = as, with
				if w.left[i] == "" {
					w.left[i] = foreign.Renamed
				}
			}
			all = append(all, o.String("type", "tool_use").String("id", w.call(id)).Add("name", name).Add("input", input).Value())
		default:
			w.left[i] = foreign.Reworded
			all = append(all, o.String("type", "text").String("text", string(block)).Value())
		}
	}
	return all
}

// thinking returns reasoning that the provider signed, nil for any other.
func thinking(block entry.JSON, own bool) entry.JSON {
	text, _ := jsonedit.Get(block, "thinking")
	signature, _ := jsonedit.Get(block, "thinkingSignature")
	if s, _ := jsonedit.String(signature); s == "" || !own {
		return nil
	}
	hidden, _ := jsonedit.Get(block, "redacted")
	var o jsonedit.Object
	if is, _ := jsonedit.Bool(hidden); is {
		return o.String("type", "redacted_thinking").Add("data", signature).Value()
	}
	if text == nil {
		text = jsonedit.Quoted("")
	}
	return o.String("type", "thinking").Add("thinking", text).Add("signature", signature).Value()
}

// A tool is one that pi has under another name, with the names of its arguments.
type tool struct {
	name string
	args map[string]string
}

var tools = map[string]tool{
	"read":  {"Read", map[string]string{"path": "file_path", "offset": "offset", "limit": "limit"}},
	"write": {"Write", map[string]string{"path": "file_path", "content": "content"}},
	"edit":  {"Edit", map[string]string{"path": "file_path", "oldText": "old_string", "newText": "new_string"}},
	"bash":  {"Bash", map[string]string{"command": "command"}},
	"grep":  {"Grep", map[string]string{"pattern": "pattern", "path": "path", "glob": "glob"}},
	"find":  {"Glob", map[string]string{"pattern": "pattern", "path": "path"}},
}

// toolOf returns a call in the words of the program; false where it has not the tool, or not
// with these arguments.
func toolOf(name, input entry.JSON) (entry.JSON, entry.JSON, bool) {
	is, _ := jsonedit.String(name)
	as, ok := tools[is]
	if !ok {
		return nil, nil, false
	}
	var o jsonedit.Object
	for key, value := range jsonedit.Members(input) {
		to, ok := as.args[key]
		if !ok {
			return nil, nil, false
		}
		o.Add(to, value)
	}
	return jsonedit.Quoted(as.name), o.Value(), true
}
