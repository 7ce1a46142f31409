package sessiongen

import (
	"fmt"
	"slices"
)

// zeroCost is the cost part of every usage record.
const zeroCost = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}`

// models is what assistants claim to be: provider and model.
var models = [...][2]string{
	{"anthropic", "claude-x"}, {"openai", "gpt-x"}, {"google", "gemini-x"}, {"prov-a", "model/with/slashes"},
}

// usage returns a full usage record.
func (g *generator) usage() string {
	in, out := g.rng.Int64N(9000), g.rng.Int64N(900)
	var o object
	o.num("input", in)
	o.num("output", out)
	o.num("cacheRead", 0)
	o.num("cacheWrite", 0)
	o.num("totalTokens", in+out)
	o.raw("cost", pick(g.rng, zeroCost, `{"input":0.003,"output":0.015,"cacheRead":0,"cacheWrite":0,"total":0.018}`))
	switch {
	case g.is(Pi) && g.maybe(6):
		o.num("reasoning", g.rng.Int64N(500))
	case g.is(Omp, Xcsh) && g.maybe(6):
		o.num("premiumRequests", 1)
	}
	return o.json()
}

// textBlock returns a text block, one in five signed.
func (g *generator) textBlock() string {
	var o object
	o.str("type", "text")
	o.raw("text", text(g.rng, 20))
	if g.maybe(5) {
		o.str("textSignature", base64Bytes(g.rng, 12))
	}
	return o.json()
}

// imageBlock returns an inline image; one in three is large enough that omp and
// xcsh would have put it into their blob store.
func (g *generator) imageBlock() string {
	n := 1 + g.rng.IntN(90)
	if g.maybe(3) {
		n = 768 + g.rng.IntN(300)
	}
	var o object
	o.str("type", "image")
	o.str("data", base64Bytes(g.rng, n))
	o.str("mimeType", pick(g.rng, "image/png", "image/jpeg", "image/webp"))
	return o.json()
}

// content returns what people and tools may say: a string, or text and images.
func (g *generator) content(allowString bool) string {
	if allowString && g.maybe(2) {
		return text(g.rng, 30)
	}
	blocks := []string{g.textBlock()}
	if g.maybe(4) {
		blocks = append(blocks, g.textBlock())
	}
	if g.maybe(8) {
		blocks = append(blocks, g.imageBlock())
	}
	return array(blocks...)
}

// message starts a message of the given role.
func message(role string) object {
	var o object
	o.str("role", role)
	return o
}

// addMessage wraps a message into an entry and writes it.
func (g *generator) addMessage(o object, role string, edit func(*node)) {
	e, n := g.envelope("message")
	o.num("timestamp", g.clock)
	e.raw("message", o.json())
	n.role = role
	if edit != nil {
		edit(&n)
	}
	g.add(e, n)
}

func (g *generator) user() {
	o := message("user")
	o.raw("content", g.content(true))
	if g.is(Omp, Xcsh) {
		if g.maybe(4) {
			o.str("attribution", pick(g.rng, "user", "agent"))
		}
		if g.maybe(8) {
			o.boolean("synthetic", true)
		}
	}
	if g.is(Omp) && g.maybe(8) {
		o.boolean("steering", true)
	}
	g.addMessage(o, "user", func(n *node) { n.editable, n.pending = true, nil })
}

// assistant writes a turn; what it calls is remembered for toolResult.
func (g *generator) assistant() {
	o := message("assistant")
	stop := "stop"
	var blocks []string
	var opened []call
	if g.maybe(3) {
		blocks = append(blocks, g.thinkingBlock())
	}
	if g.is(Omp, Xcsh) && g.maybe(10) {
		blocks = append(blocks, `{"type":"redactedThinking","data":`+quote(base64Bytes(g.rng, 9))+`}`)
	}
	if len(blocks) == 0 || g.maybe(2) {
		blocks = append(blocks, g.textBlock())
	}
	for g.maybe(3) && len(opened) < 3 {
		c, block := g.toolCall()
		opened, blocks, stop = append(opened, c), append(blocks, block), "toolUse"
	}
	switch {
	case g.maybe(10):
		stop = "length"
	case g.maybe(8):
		stop = pick(g.rng, "error", "aborted")
		if g.maybe(2) {
			blocks, opened = pick(g.rng, []string{}, []string{`{"type":"text","text":"  "}`}), nil
		}
	}
	o.raw("content", array(blocks...))
	m := models[g.rng.IntN(len(models))]
	o.str("api", "messages")
	o.str("provider", m[0])
	o.str("model", m[1])
	o.raw("usage", g.usage())
	o.str("stopReason", stop)
	if stop == "error" {
		o.raw("errorMessage", text(g.rng, 5))
	}
	g.assistantExtras(&o, m[0])
	g.addMessage(o, "assistant", func(n *node) { n.editable, n.pending = true, opened })
	if stop == "aborted" && g.is(Omp) && g.maybe(3) {
		g.customMessage("interrupted-thinking")
	}
}

// assistantExtras adds the optional fields that only some programs write.
func (g *generator) assistantExtras(o *object, provider string) {
	if g.maybe(4) {
		o.str("responseId", "resp_"+g.newID())
	}
	if g.is(Pi) && g.maybe(6) {
		o.str("rawStopReason", "end_turn")
		o.str("responseModel", "served-by-x")
	}
	if g.is(Omp, Xcsh) && g.maybe(5) {
		o.num("duration", g.rng.Int64N(9000))
		o.num("ttft", g.rng.Int64N(900))
	}
	if g.is(Omp) && g.maybe(15) {
		o.raw("retryRecovery", `{"kind":"retry","attempt":1}`)
	}
	if g.is(Omp) && provider == "openai" && g.maybe(4) {
		o.raw("providerPayload", `{"type":"openaiResponsesHistory","provider":"openai","items":[{"type":"reasoning","id":"rs_1"}]}`)
	}
}

func (g *generator) thinkingBlock() string {
	var o object
	o.str("type", "thinking")
	o.raw("thinking", text(g.rng, 15))
	if g.maybe(2) {
		o.str("thinkingSignature", base64Bytes(g.rng, 24))
	}
	return o.json()
}

func (g *generator) toolCall() (call, string) {
	g.calls++
	c := call{fmt.Sprintf("call_%d_%s", g.calls, g.newID()), pick(g.rng, "read", "bash", "edit", "mcp__x__y")}
	var o object
	o.str("type", "toolCall")
	o.str("id", c.id)
	o.str("name", c.name)
	o.raw("arguments", record(g.rng, 3).json())
	if g.is(Xcsh, Omp) && g.maybe(5) {
		o.raw("intent", text(g.rng, 4))
	}
	if g.maybe(8) {
		o.str("thoughtSignature", base64Bytes(g.rng, 6))
	}
	return c, o.json()
}

// toolResult answers one of the open calls, not always the first.
func (g *generator) toolResult() {
	open := g.nodes[g.index[g.leaf]].pending
	i := g.rng.IntN(len(open))
	c := open[i]
	o := message("toolResult")
	o.str("toolCallId", c.id)
	o.str("toolName", c.name)
	o.raw("content", g.content(false))
	if g.maybe(3) {
		o.raw("details", record(g.rng, 3).json())
	}
	o.boolean("isError", g.maybe(6))
	if g.is(Omp, Xcsh) && g.maybe(8) {
		o.num("prunedAt", g.clock)
	}
	g.addMessage(o, "toolResult", func(n *node) {
		n.editable, n.pending = true, slices.Delete(slices.Clone(open), i, i+1)
	})
}

func (g *generator) system() {
	o := message("system")
	if g.maybe(2) {
		o.raw("content", text(g.rng, 20))
	} else {
		o.raw("content", array(g.textBlock()))
	}
	if g.maybe(2) {
		o.raw("sections", `{"intro":`+text(g.rng, 5)+`,"tools":null}`)
		o.raw("toolsAdded", `[{"name":"read","description":"reads","parameters":{"type":"object"}}]`)
		o.raw("toolsRemoved", `["bash"]`)
	}
	g.addMessage(o, "system", nil)
}

func (g *generator) developer() {
	o := message("developer")
	o.raw("content", g.content(true))
	if g.maybe(3) {
		o.str("attribution", pick(g.rng, "user", "agent"))
	}
	g.addMessage(o, "developer", nil)
}

// execution writes a command or a Python cell that the person ran.
func (g *generator) execution(role string) {
	o := message(role)
	if role == "pythonExecution" {
		o.raw("code", text(g.rng, 8))
	} else {
		o.raw("command", text(g.rng, 4))
	}
	o.raw("output", pick(g.rng, `""`, text(g.rng, 20)))
	switch g.rng.IntN(4) {
	case 0:
		o.num("exitCode", int64(g.rng.IntN(3)))
	case 1:
		o.raw("exitCode", "null")
	case 2:
		o.num("exitCode", 0)
	}
	o.boolean("cancelled", g.maybe(6))
	truncated := g.maybe(6)
	o.boolean("truncated", truncated)
	if truncated && g.is(Pi) {
		o.str("fullOutputPath", "/tmp/pi-bash-output.log")
	}
	if g.maybe(5) {
		o.boolean("excludeFromContext", true)
	}
	g.addMessage(o, role, nil)
}

// customMessage writes a message of role custom (hookMessage before version 3).
func (g *generator) customMessage(customType string) {
	role := "custom"
	if g.opts.Version < 3 {
		role = "hookMessage"
	}
	o := message(role)
	o.str("customType", customType)
	o.raw("content", g.content(true))
	o.boolean("display", g.maybe(2))
	if g.maybe(3) {
		o.raw("details", record(g.rng, 2).json())
	}
	if g.is(Omp, Xcsh) && g.maybe(3) {
		o.str("attribution", pick(g.rng, "user", "agent"))
	}
	g.addMessage(o, role, nil)
}

func (g *generator) fileMention() {
	var files []string
	for range 1 + g.rng.IntN(3) {
		var f object
		f.str("path", "src/"+prose(g.rng, 1)+".go")
		f.raw("content", pick(g.rng, `""`, text(g.rng, 20)))
		f.num("lineCount", 1)
		if g.maybe(5) {
			f.raw("image", g.imageBlock())
		}
		files = append(files, f.json())
	}
	o := message("fileMention")
	o.raw("files", array(files...))
	g.addMessage(o, "fileMention", nil)
}

// stranger writes a role that this dialect's program does not know.
func (g *generator) stranger() {
	o := message(pick(g.rng, "narrator", "observer"))
	o.raw("content", g.content(true))
	g.addMessage(o, "stranger", nil)
}
