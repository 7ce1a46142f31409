package claude

import (
	"slices"
	"strconv"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// answer writes an answer: its lines as one entry, and the results of its tools behind it,
// in the order in which they came. The record that is taken is its first line.
func (r *reader) answer(a *answer) {
	rec := &r.records[r.at]
	begin, tail := r.at, r.behind(rec)
	id, tail := r.identity(rec.uuid, r.settings(rec, tail))
	r.w.Entry("message", id, tail, r.when())
	r.w.Key("message")
	r.w.Open('{')
	r.w.Text("role", "assistant")
	if r.is(kAPIError) {
		r.failed()
	} else {
		r.said(a)
	}
	r.stamp()
	r.w.Close('}')
	r.rest()
	last := r.done(id)
	for _, at := range a.lines {
		r.became[r.records[at].uuid] = id
	}
	for _, at := range a.results {
		if r.take(at) == nil {
			last = r.results(&r.records[at], last)
		}
	}
	for _, at := range slices.Concat(a.lines, a.results) {
		r.share(&r.records[at], &last)
	}
	r.at = begin
}

// failed writes the content of an answer that the program made of an error. It is never
// sent.
func (r *reader) failed() {
	r.w.Key("content")
	r.w.Open('[')
	r.w.Close(']')
	r.origin("")
	r.spent(nil)
	r.w.Text("stopReason", "error")
	for block := range jsonedit.Elements(r.raw(mContent)) {
		if text, ok := jsonedit.Get(block, "text"); ok {
			r.cut("errorMessage", text)
			return
		}
	}
}

// said writes the content of an answer, whose first line is taken, and what is known of how
// it was made.
func (r *reader) said(a *answer) {
	first := r.at
	var usage []byte // that of the line with the most output
	var most int64 = -1
	stop, stopped := "", false
	r.w.Key("content")
	r.w.Open('[')
	for _, at := range a.lines {
		if at != r.at && r.take(at) != nil {
			continue
		}
		r.blocks(r.raw(mContent))
		if word := r.text(mStop); word != "" {
			stop = word
		}
		stopped = stopped || r.is(kAborted)
		out, _ := jsonedit.Get(r.raw(mUsage), "output_tokens")
		if n, _ := jsonedit.Int(out); n > most && r.raw(mUsage) != nil {
			most, usage = n, append(usage[:0], r.raw(mUsage)...)
		}
	}
	if r.at != first {
		_ = r.take(first) // it was read a moment ago
	}
	r.w.Close(']')
	r.origin(r.text(mModel))
	r.spent(usage)
	r.w.Text("stopReason", reason(stop, stopped))
	if id := r.raw(mID); id != nil {
		r.cut("responseId", id)
	}
}

// reason says why an answer ended, in the word of an entry.
func reason(stop string, stopped bool) string {
	switch {
	case stopped:
		return "aborted"
	case stop == "tool_use":
		return "toolUse"
	case stop == "max_tokens", stop == "model_context_window_exceeded":
		return "length"
	case stop == "refusal":
		return "error"
	}
	return "stop"
}

// origin writes who answered.
func (r *reader) origin(model string) {
	r.w.Text("api", "anthropic-messages")
	r.w.Text("provider", "anthropic")
	r.w.Text("model", model)
}

// spent writes what an answer took. What it cost is not known.
func (r *reader) spent(usage []byte) {
	var n [5]int64
	for i, key := range []string{"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"} {
		v, _ := jsonedit.Get(usage, key)
		n[i], _ = jsonedit.Int(v)
		n[4] += n[i]
	}
	r.w.Key("usage")
	r.w.Open('{')
	for i, key := range []string{"input", "output", "cacheRead", "cacheWrite", "totalTokens"} {
		r.w.Raw(key, strconv.AppendInt(nil, n[i], 10))
	}
	if hour, ok := jsonedit.Path(usage, "cache_creation", "ephemeral_1h_input_tokens"); ok {
		if n, _ := jsonedit.Int(hour); n > 0 {
			r.w.Raw("cacheWrite1h", strconv.AppendInt(nil, n, 10))
		}
	}
	if think, ok := jsonedit.Path(usage, "output_tokens_details", "thinking_tokens"); ok {
		if n, _ := jsonedit.Int(think); n > 0 {
			r.w.Raw("reasoning", strconv.AppendInt(nil, n, 10))
		}
	}
	r.w.Close('}')
}

// settings writes that another model answers, or thinks harder, than the last time.
func (r *reader) settings(rec *record, tail string) string {
	if r.raw(kOwn) != nil {
		r.model, r.effort = r.text(mModel), r.text(kEffort)
		return tail
	}
	if model := r.text(mModel); model != "" && model != "<synthetic>" && model != r.model {
		r.model = model
		id := r.id(rec.uuid + ":model")
		r.w.Entry("model_change", id, tail, r.when())
		r.w.Text("provider", "anthropic")
		r.w.Text("modelId", model)
		tail = r.done(id)
	}
	if effort := r.text(kEffort); effort != "" && effort != r.effort {
		r.effort = effort
		id := r.id(rec.uuid + ":effort")
		r.w.Entry("thinking_level_change", id, tail, r.when())
		if effort == "max" {
			effort = "xhigh"
		}
		r.w.Text("thinkingLevel", effort)
		tail = r.done(id)
	}
	return tail
}
