package opencode

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/foreign/database"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/replay"
)

// cut returns provider and model of a name.
func cut(name string) (provider, model string) {
	provider, model, ok := strings.Cut(name, "/")
	if !ok {
		return "", name
	}
	return provider, model
}

// link returns the kind of a picture and a URL that holds it, false for one that is elsewhere.
func link(block []byte) (mime, url []byte, ok bool) {
	data, _ := jsonedit.Get(block, "data")
	mime, _ = jsonedit.Get(block, "mimeType")
	if jsonedit.Kind(data) != '"' || bytes.HasPrefix(data, []byte(`"blob:`)) {
		return nil, nil, false
	}
	kind, _ := jsonedit.String(mime)
	if !strings.HasPrefix(kind, "image/") {
		mime = []byte(`"image/png"`)
	}
	return mime, jsonedit.Concat([]byte(`"data:`+`"`), mime, []byte(`";base64,"`), data), true
}

// plainAnswer are the members of an answer that OpenCode has a place for.
var plainAnswer = map[string]bool{
	"role": true, "content": true, "timestamp": true, "api": true, "provider": true, "model": true, "usage": true, "stopReason": true, "errorMessage": true,
}

// plainUsage are those of its usage.
var plainUsage = map[string]bool{"input": true, "output": true, "cacheRead": true, "cacheWrite": true, "reasoning": true, "totalTokens": true, "cost": true}

// answer writes an answer, with the results of its calls.
func (w *writer) answer(e *entry.Entry, m []byte) {
	provider, model := origin(m)
	if model == "" {
		provider, model = w.provider, w.model
	} else {
		w.provider, w.model = provider, model
	}
	at := w.when(e, m)
	d := w.reply(at, provider, model, "build")
	usage, _ := jsonedit.Get(m, "usage")
	d.spent(usage)
	stop, _ := jsonedit.Text(m, "stopReason")
	fault, _ := jsonedit.Text(m, "errorMessage")
	content, _ := jsonedit.Get(m, "content")
	finish := ""
	switch stop {
	case "stop", "length":
		finish = stop
	case "toolUse":
		finish = "tool-calls"
	case "aborted":
		d.failed("MessageAbortedError", fault)
	case "error":
		d.failed("UnknownError", fault)
	default:
		finish = "unknown"
		w.changes(Stop)
	}
	if finish != "" {
		d.info.String("finish", finish)
		if fault != "" {
			w.lacks(Field)
		}
	}
	d.part("step-start", nil)
	said, calls := d.blocks(content, m, at, stop == "error")
	if calls && stop == "stop" {
		w.changes(Stop)
	}
	if stop == "error" && jsonedit.Len(content) > 0 || stop == "aborted" && !said && jsonedit.Len(content) > 0 {
		w.changes(Unsent)
	}
	if finish != "" {
		d.part("step-finish", func(o *jsonedit.Object) {
			o.String("reason", finish).Add("tokens", tokens(usage)).Add("cost", cost(usage))
		})
	}
	w.fields(m, plainAnswer)
	w.fields(usage, plainUsage)
	d.done()
}

func (d *draft) failed(name, fault string) {
	data := new(jsonedit.Object).String("message", fault)
	d.info.Add("error", new(jsonedit.Object).String("name", name).Add("data", data.Value()).Value())
}

// spent writes what an answer took.
func (d *draft) spent(usage []byte) {
	d.info.Add("cost", cost(usage)).Add("tokens", tokens(usage))
	split := number(usage, "cost", "input") + number(usage, "cost", "output") + number(usage, "cost", "cacheRead") + number(usage, "cost", "cacheWrite")
	if all := number(usage, "input") + number(usage, "output") + number(usage, "cacheRead") + number(usage, "cacheWrite"); split != 0 || all != number(usage, "totalTokens") {
		d.lacks(Field)
	}
}

func cost(usage []byte) []byte { return jsonedit.NumberValue(max(0, number(usage, "cost", "total"))) }

// tokens returns a usage as OpenCode counts: what was thought is not in the output.
func tokens(usage []byte) []byte {
	in, out, thought := number(usage, "input"), number(usage, "output"), number(usage, "reasoning")
	thought = min(thought, out)
	cache := new(jsonedit.Object).Number("read", number(usage, "cacheRead")).Number("write", number(usage, "cacheWrite"))
	return new(jsonedit.Object).Number("input", in).Number("output", out-thought).Number("reasoning", thought).Add("cache", cache.Value()).Value()
}

// blocks adds what an answer says, and reports whether there are parts that are more than
// thoughts, and whether there are calls.
func (d *draft) blocks(content, m []byte, at int64, failed bool) (said, calls bool) {
	if jsonedit.Kind(content) == '"' {
		content = new(jsonedit.Array).Add(new(jsonedit.Object).String("type", "text").Add("text", content).Value()).Value()
	}
	for block := range jsonedit.Elements(content) {
		kind, _ := jsonedit.Text(block, "type")
		raw, _ := jsonedit.Get(block, "text")
		switch {
		case kind == "text" && jsonedit.Kind(raw) == '"':
			said = true
			d.part("text", func(o *jsonedit.Object) { o.Add("text", raw).Add("metadata", d.source()) })
			d.fields(block, plainBlock)
		case kind == "thinking" || kind == "redactedThinking":
			d.thought(block, m, at)
		case kind == "toolCall":
			said, calls = true, true
			d.call(block, at, failed)
		case kind == "image":
			d.lacks(Image)
		default:
			d.lacks(Block)
		}
	}
	return said, calls
}

// thought adds what a model thought. The proof of it goes along to the provider that made it.
func (d *draft) thought(block, m []byte, at int64) {
	api, _ := jsonedit.Text(m, "api")
	own := api == "anthropic-messages"
	text, _ := jsonedit.Get(block, "thinking")
	proof, _ := jsonedit.Get(block, "thinkingSignature")
	hidden, _ := jsonedit.Get(block, "redacted")
	redacted, _ := jsonedit.Bool(hidden)
	if data, ok := jsonedit.Get(block, "data"); ok && jsonedit.Kind(text) != '"' {
		proof, redacted = data, true
	}
	if redacted && (!own || jsonedit.Kind(proof) != '"') {
		d.lacks(Thinking)
		return
	}
	signed := jsonedit.Kind(proof) == '"' && string(proof) != `""`
	if jsonedit.Kind(text) != '"' {
		text = []byte(`""`)
	}
	if redacted {
		text = []byte(`""`)
	} else if signed && !own {
		d.changes(Thinking)
	}
	d.fields(block, plainBlock)
	d.part("reasoning", func(o *jsonedit.Object) {
		o.Add("text", text).Add("time", new(jsonedit.Object).Int("start", at).Int("end", at).Value())
		if signed && own {
			key := "signature"
			if redacted {
				key = "redactedData"
			}
			o.Add("metadata", new(jsonedit.Object).Add("anthropic", new(jsonedit.Object).Add(key, proof).Value()).Value())
		}
	})
}

// call adds a call, with its result.
func (d *draft) call(block []byte, at int64, failed bool) {
	id, _ := jsonedit.Text(block, "id")
	callName, _ := jsonedit.Get(block, "name")
	if jsonedit.Kind(callName) != '"' {
		callName = []byte(`"unknown"`)
	}
	input, _ := jsonedit.Get(block, "arguments")
	if jsonedit.Kind(input) != '{' {
		input = []byte("{}")
	}
	d.fields(block, plainBlock)
	d.part("tool", func(o *jsonedit.Object) {
		o.String("callID", id).Add("tool", callName).Add("state", d.state(id, input, at, failed)).Add("metadata", d.source())
	})
}

// plainResult are the members of a result that OpenCode has a place for.
var plainResult = map[string]bool{
	"role": true, "toolCallId": true, "toolName": true, "content": true, "details": true, "isError": true, "timestamp": true,
}

// state returns what became of a call.
func (d *draft) state(id string, input []byte, at int64, unsent bool) []byte {
	n := d.result(id)
	state := new(jsonedit.Object)
	if n < 0 {
		d.changes(Unanswered)
		time := new(jsonedit.Object).Int("start", at).Int("end", at)
		return state.String("status", "error").Add("input", input).String("error", interrupted).Add("time", time.Value()).Value()
	}
	was := d.at
	d.at = n
	defer func() { d.at = was }()
	d.of[n] = d.id
	if slices.ContainsFunc(d.branch[was+1:n], func(e entry.Entry) bool { return e.Role != entry.RoleToolResult }) {
		d.changes(Moved)
	}
	if unsent {
		d.changes(Unsent)
	}
	m := d.branch[n].Message()
	d.fields(m, plainResult)
	end := max(at, int64(max(0, min(number(m, "timestamp"), database.MaxTime))))
	content, _ := jsonedit.Get(m, "content")
	text, files := d.output(content)
	wrong, _ := jsonedit.Get(m, "isError")
	failed, _ := jsonedit.Bool(wrong)
	details, _ := jsonedit.Get(m, "details")
	if details != nil && jsonedit.Kind(details) != '{' {
		d.changes(Details)
		details = new(jsonedit.Object).Add("cambium", details).Value()
	}
	time := new(jsonedit.Object).Int("start", at).Int("end", end).Value()
	if failed {
		if !files.Empty() {
			d.lacks(Image)
		}
		state.String("status", "error").Add("input", input).Add("error", text).Add("metadata", details)
		return state.Add("time", time).Value()
	}
	if details == nil {
		details = []byte("{}")
	}
	state.String("status", "completed").Add("input", input).Add("output", text).String("title", "").Add("metadata", details).Add("time", time)
	if !files.Empty() {
		state.Add("attachments", files.Value())
	}
	return state.Value()
}

// result returns the next result of a call behind the entry, -1 for none.
func (w *writer) result(id string) int {
	n, ok := w.results[id]
	for ok && n >= 0 && n <= w.at {
		n = w.next[n] // it answers nothing
	}
	if !ok || n < 0 {
		return -1
	}
	w.results[id] = w.next[n]
	w.taken[n] = true
	return n
}

// output returns what a result says, and its pictures as files.
func (d *draft) output(content []byte) (text []byte, files *jsonedit.Array) {
	files = new(jsonedit.Array)
	if jsonedit.Kind(content) == '"' {
		return content, files
	}
	var texts [][]byte
	for block := range jsonedit.Elements(content) {
		kind, _ := jsonedit.Text(block, "type")
		raw, _ := jsonedit.Get(block, "text")
		switch {
		case kind == "text" && jsonedit.Kind(raw) == '"':
			if len(texts) > 0 {
				texts = append(texts, []byte(`"\n"`))
			}
			texts = append(texts, raw)
			d.fields(block, plainBlock)
		case kind == "image":
			mime, url, ok := link(block)
			if !ok {
				d.lacks(Image)
				continue
			}
			files.Add(new(jsonedit.Object).String("id", d.writer.id("prt_")).String("sessionID", d.session).String("messageID", d.id).
				String("type", "file").Add("mime", mime).Add("url", url).Value())
			d.fields(block, plainBlock)
		default:
			d.lacks(Block)
		}
	}
	return jsonedit.Concat(texts...), files
}

// command writes a command that the person ran, as OpenCode has it.
func (w *writer) command(e *entry.Entry, m []byte) {
	if flag(m, "excludeFromContext") {
		w.lacks(Hidden)
		return
	}
	w.changes(Command)
	at := w.when(e, m)
	d := w.prompt(at)
	d.part("text", func(o *jsonedit.Object) {
		o.String("text", ranTool).Bool("synthetic", true).Add("metadata", w.source())
	})
	d.done()
	r := w.reply(at, w.provider, w.model, "build")
	r.spent(nil)
	output, _ := jsonedit.Get(m, "output")
	if jsonedit.Kind(output) != '"' {
		output = []byte(`""`)
	}
	asked, _ := jsonedit.Get(m, "command")
	if jsonedit.Kind(asked) != '"' {
		asked = []byte(`""`)
	}
	exit, _ := jsonedit.Get(m, "exitCode")
	details := new(jsonedit.Object).Add("output", output).Add("exit", exit)
	time := new(jsonedit.Object).Int("start", at).Int("end", at)
	state := new(jsonedit.Object).String("status", "completed").Add("input", new(jsonedit.Object).Add("command", asked).Value()).
		Add("output", output).String("title", "").Add("metadata", details.Value()).Add("time", time.Value())
	r.part("tool", func(o *jsonedit.Object) {
		o.String("callID", r.id).String("tool", "bash").Add("state", state.Value()).Add("metadata", w.source())
	})
	r.done()
}

// aside writes what the model is sent of an entry that OpenCode has not, as a prompt that the
// program made.
func (w *writer) aside(e *entry.Entry, m []byte) {
	list, err := entry.NewList([][]byte{e.Raw()})
	if err != nil {
		w.lacks(Kind)
		return
	}
	c, err := replay.Build(list, []int{0}, dialect.Cambium)
	if err != nil {
		w.lacks(Kind)
		return
	}
	var sent []entry.JSON
	messages := func(yield func(entry.JSON, error) bool) {
		for m, err := range c.Messages() {
			if !yield(m.JSON, err) {
				return
			}
		}
	}
	for is, err := range replay.Convert(messages, dialect.Cambium, nil) {
		if err == nil {
			sent = append(sent, is)
		}
	}
	if len(sent) == 0 {
		w.lacks(Hidden)
		return
	}
	w.changes(Role)
	at := w.when(e, m)
	d := w.prompt(at)
	for _, is := range sent {
		content, _ := jsonedit.Get(is, "content")
		d.content(content, true)
	}
	d.done()
}

// plainCompaction are the members of a compaction that OpenCode has a place for.
var plainCompaction = map[string]bool{
	"type": true, "id": true, "parentId": true, "timestamp": true, "summary": true, "firstKeptEntryId": true, "tokensBefore": true, "usage": true, "preserveData": true,
}

// compaction writes a request for a summary and the summary.
func (w *writer) compaction(e *entry.Entry, line []byte) {
	at := w.when(e, nil)
	kept, _ := jsonedit.Text(line, "firstKeptEntryId")
	tail := w.tail(kept)
	summary, _ := jsonedit.Get(line, "summary")
	if jsonedit.Kind(summary) != '"' {
		summary = []byte(`""`)
	}
	before := w.asked
	d := w.prompt(at)
	d.part("compaction", func(o *jsonedit.Object) {
		o.Bool("auto", false)
		if tail != "" {
			o.String("tail_start_id", tail)
		}
	})
	d.done()
	r := w.reply(at, w.provider, w.model, "compaction")
	usage, _ := jsonedit.Get(line, "usage")
	r.spent(usage)
	r.info.String("finish", "stop").Bool("summary", true)
	r.part("text", func(o *jsonedit.Object) { o.Add("text", summary).Add("metadata", w.source()) })
	r.done()
	w.of[w.at] = r.id
	if before != "" && tail != "" {
		w.asked = before // what follows answers what was asked before
	}
	if data, ok := jsonedit.Get(line, "preserveData"); ok && !jsonedit.IsNull(data) {
		w.lacks(Preserved)
	}
	w.fields(line, plainCompaction)
}

// tail returns the message from which on a compaction keeps what was said, "" for none.
func (w *writer) tail(kept string) string {
	first := slices.IndexFunc(w.branch[:w.at], func(e entry.Entry) bool { return kept != "" && e.ID == kept })
	if first < 0 {
		return ""
	}
	begun := map[string]bool{}
	for _, id := range w.of[:first] {
		begun[id] = true
	}
	for n := first; n < w.at; n++ {
		if id := w.of[n]; id != "" && !begun[id] {
			if n != first || w.branch[n].Kind == entry.Compaction {
				w.changes(Kept)
			}
			return id
		}
	}
	w.changes(Kept)
	return ""
}
