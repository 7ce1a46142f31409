package sessiongen

import "fmt"

// next writes one entry that makes sense at the leaf: the result of an open
// tool call more often than not, else any kind the dialect knows.
func (g *generator) next() {
	if i, ok := g.index[g.leaf]; ok && len(g.nodes[i].pending) > 0 && g.rng.IntN(10) < 7 {
		g.toolResult()
		return
	}
	switch n := g.rng.IntN(100); {
	case n < 25:
		g.user()
	case n < 52:
		g.assistant()
	case n < 64:
		g.otherMessage()
	case n < 80:
		g.setting()
	case g.opts.Version == 1:
		g.oldKind()
	default:
		g.structure()
	}
}

// otherMessage writes a message of one of the rarer roles of the dialect.
func (g *generator) otherMessage() {
	if g.maybe(12) {
		g.stranger()
		return
	}
	roles := []string{"bashExecution", "custom"}
	if g.is(Pi) {
		roles = append(roles, "system", "system")
	} else {
		roles = append(roles, "developer", "pythonExecution", "fileMention")
	}
	switch role := pick(g.rng, roles...); role {
	case "custom":
		g.customMessage(pick(g.rng, "note", "skill-prompt", "plan"))
	case "system":
		g.system()
	case "developer":
		g.developer()
	case "fileMention":
		g.fileMention()
	default:
		g.execution(role)
	}
}

// setting writes an entry that changes the state of the session.
func (g *generator) setting() {
	kinds := []string{"thinking_level_change", "model_change", "custom"}
	switch {
	case g.is(Pi):
		kinds = append(kinds, "session_info", "usage")
	case g.is(Omp):
		kinds = append(kinds, "service_tier_change", "mode_change", "ttsr_injection", "title_change",
			"model_usage", "credential_pin", "session_init")
	default:
		kinds = append(kinds, "service_tier_change", "mode_change", "ttsr_injection", "session_init",
			"mcp_tool_selection", "mcp_tool_selection")
	}
	kind := pick(g.rng, kinds...)
	o, n := g.envelope(kind)
	g.settingBody(&o, kind)
	g.add(o, n)
}

// settingBody adds the fields of a setting.
func (g *generator) settingBody(o *object, kind string) {
	switch kind {
	case "thinking_level_change":
		level := pick(g.rng, "off", "minimal", "low", "medium", "high", "xhigh")
		switch {
		case g.is(Omp):
			o.str("thinkingLevel", level)
			o.raw("configured", pick(g.rng, "null", `"auto"`, quote(level)))
		case !g.is(Pi) && g.maybe(5):
			o.raw("thinkingLevel", "null")
		default:
			o.str("thinkingLevel", level)
		}
	case "model_change":
		g.modelChange(o)
	case "custom":
		o.str("customType", pick(g.rng, "note", "session_exit", "state"))
		if g.rng.IntN(5) > 0 {
			o.raw("data", value(g.rng, 3))
		}
	case "session_info":
		o.raw("name", pick(g.rng, `""`, text(g.rng, 4)))
	case "usage":
		o.str("kind", "cache_warm")
		o.str("provider", "anthropic")
		o.str("model", "claude-x")
		o.raw("usage", g.usage())
	case "service_tier_change":
		if g.is(Omp) && g.maybe(2) {
			o.raw("serviceTier", pick(g.rng, "null", `{"openai":"flex"}`, `{"anthropic":"priority","google":"priority"}`, `{}`))
		} else {
			o.raw("serviceTier", pick(g.rng, "null", `"auto"`, `"default"`, `"flex"`, `"scale"`, `"priority"`))
		}
	case "mode_change":
		o.str("mode", pick(g.rng, "plan", "none", "goal"))
		if g.maybe(2) {
			o.raw("data", record(g.rng, 2).json())
		}
	case "ttsr_injection":
		o.raw("injectedRules", array(quote(prose(g.rng, 1)), quote(prose(g.rng, 1))))
	default:
		g.rareBody(o, kind)
	}
}

// modelChange adds the fields of a model_change: pi's pair, else one name with
// an optional role.
func (g *generator) modelChange(o *object) {
	m := models[g.rng.IntN(len(models))]
	if g.is(Pi) {
		o.str("provider", m[0])
		o.str("modelId", m[1])
		return
	}
	o.str("model", m[0]+"/"+m[1])
	if g.maybe(2) {
		o.str("role", pick(g.rng, "default", "small", "plan"))
	}
	if g.is(Omp) {
		o.boolean("resolvedModelIsFallback", g.maybe(5))
	}
}

// rareBody adds the fields of the settings that only one or two programs know.
func (g *generator) rareBody(o *object, kind string) {
	switch kind {
	case "title_change":
		o.str("title", prose(g.rng, 2))
		o.str("source", pick(g.rng, "auto", "user"))
		if g.maybe(2) {
			o.str("previousTitle", prose(g.rng, 2))
			o.str("trigger", "slash")
		}
	case "model_usage":
		o.str("purpose", "title")
		o.str("api", "messages")
		o.str("provider", "openai")
		o.str("model", "gpt-x")
		o.raw("usage", g.usage())
		o.str("stopReason", "stop")
	case "credential_pin":
		o.str("provider", "anthropic")
		o.str("hash", fmt.Sprintf("%016x", g.rng.Uint64()))
	case "session_init":
		o.raw("systemPrompt", text(g.rng, 10))
		o.raw("task", text(g.rng, 10))
		o.raw("tools", `["read","bash"]`)
		if g.maybe(2) {
			o.raw("outputSchema", `{"type":"object"}`)
		}
	case "mcp_tool_selection":
		o.raw("selectedToolNames", pick(g.rng, "[]", `["mcp__x__y"]`, `["mcp__x__y","mcp__z"]`))
	}
}

// structure writes an entry that refers to others.
func (g *generator) structure() {
	if len(g.nodes) == 0 {
		g.user()
		return
	}
	switch n := g.rng.IntN(20); {
	case n < 7:
		g.label()
	case n < 10:
		g.compaction()
	case n < 13:
		g.branchSummary()
	case n < 16:
		g.customMessageEntry()
	case n < 18 && g.is(Pi):
		g.contextEdit()
	case n == 16 && g.is(Omp):
		o, e := g.envelope("reset_boundary")
		e.pending = nil
		g.add(o, e)
	case n == 16 && g.is(Cambium):
		o, e := g.envelope("custom")
		o.str("customType", "cambium.leaf")
		o.raw("data", `{"from":`+quote(g.any().id)+`}`)
		g.add(o, e)
	default:
		o, e := g.envelope(pick(g.rng, "x_future_kind", "bookmark"))
		o.raw("payload", value(g.rng, 3))
		g.add(o, e)
	}
}

// any returns an earlier entry, on any branch.
func (g *generator) any() node { return g.nodes[g.rng.IntN(len(g.nodes))] }

// onPath returns an entry between root and leaf, or any when there is none.
func (g *generator) onPath() node {
	p := g.path()
	if len(p) == 0 {
		return g.any()
	}
	return g.nodes[p[g.rng.IntN(len(p))]]
}

// label sets, replaces or clears the label of any entry, labels included.
func (g *generator) label() {
	target := g.any().id
	if len(g.out.Labels) > 0 && g.maybe(3) {
		for _, n := range g.nodes { // an entry that has one already
			if _, ok := g.out.Labels[n.id]; ok {
				target = n.id
				break
			}
		}
	}
	o, n := g.envelope("label")
	o.str("targetId", target)
	switch g.rng.IntN(6) {
	case 0:
		o.str("label", "")
		delete(g.out.Labels, target)
	case 1:
		delete(g.out.Labels, target)
	default:
		name := prose(g.rng, 2) + pick(g.rng, "", " \U0001F3F7", " \u65e5\u672c")
		o.str("label", name)
		g.out.Labels[target] = name
	}
	g.add(o, n)
}

// compaction summarises what came before, keeping from an entry on the path,
// and now and then from one that is off the path, itself, or not there.
func (g *generator) compaction() {
	o, n := g.envelope("compaction")
	kept := g.onPath().id
	switch g.rng.IntN(12) {
	case 0:
		kept = g.any().id
	case 1:
		kept = n.id
	case 2:
		kept = "deadbeef"
	}
	o.raw("summary", text(g.rng, 25))
	if !g.is(Pi) && g.maybe(2) {
		o.raw("shortSummary", text(g.rng, 4))
	}
	o.str("firstKeptEntryId", kept)
	o.num("tokensBefore", g.rng.Int64N(200_000))
	switch {
	case g.maybe(3):
		o.raw("details", `{"readFiles":["a.go"],"modifiedFiles":[]}`)
	case g.is(Omp) && g.maybe(4):
		o.raw("details", `{"kind":"experimental-context-rollover"}`)
	}
	switch {
	case g.is(Pi):
		if g.maybe(3) {
			o.raw("systemMessage", `{"role":"system","content":`+text(g.rng, 8)+`,"timestamp":`+fmt.Sprint(g.clock)+`}`)
		}
		if g.maybe(4) {
			o.boolean("fromHook", true)
		}
	case g.maybe(5):
		if g.is(Omp) && g.maybe(2) {
			o.str("providerReplayThroughEntryId", g.onPath().id)
		}
		o.raw("preserveData", g.preserveData())
	case g.is(Omp) && g.maybe(3):
		o.num("tokensAfter", g.rng.Int64N(2000))
		o.str("method", "summary")
	}
	g.add(o, n)
}

// preserveData returns what a compaction done by a provider leaves behind.
func (g *generator) preserveData() string {
	if g.is(Omp) && g.maybe(3) {
		return `{"anthropicCompaction":{"provider":"anthropic","content":` + text(g.rng, 8) + `}}`
	}
	return `{"openaiRemoteCompaction":{"provider":"openai","replacementHistory":[{"type":"message","role":"user","content":` +
		text(g.rng, 6) + `}]}}`
}

func (g *generator) branchSummary() {
	target := g.any().id
	g.leaf = target
	o, n := g.envelope("branch_summary")
	n.pending = nil
	o.str("fromId", pick(g.rng, target, "root", g.any().id))
	o.raw("summary", pick(g.rng, text(g.rng, 20), text(g.rng, 20), text(g.rng, 20), `""`))
	if g.maybe(3) {
		o.raw("details", record(g.rng, 2).json())
	}
	if g.maybe(4) {
		if g.is(Pi) {
			o.boolean("fromHook", true)
		} else {
			o.boolean("fromExtension", true)
		}
	}
	g.add(o, n)
}

// customMessageEntry writes a custom_message, whose own fields the programs put
// before the id.
func (g *generator) customMessageEntry() {
	e, n := g.envelope("custom_message")
	o := object{e[0]}
	o.str("customType", pick(g.rng, "note", "plan", "skill-prompt"))
	o.raw("content", g.content(true))
	o.boolean("display", g.maybe(2))
	if g.maybe(3) {
		o.raw("details", record(g.rng, 2).json())
	}
	if !g.is(Pi) && g.maybe(2) {
		o.str("attribution", pick(g.rng, "user", "agent"))
	}
	n.editable = true
	g.add(append(o, e[1:]...), n)
}

// contextEdit removes or replaces what an earlier entry says to the model.
func (g *generator) contextEdit() {
	target := g.onPath()
	for range 8 {
		if target.editable {
			break
		}
		target = g.onPath()
	}
	id := target.id
	if !target.editable || g.maybe(8) {
		id = pick(g.rng, "deadbeef", g.any().id)
		if i, ok := g.index[id]; ok && !g.nodes[i].editable {
			id = "deadbeef"
		}
	}
	o, n := g.envelope("context_edit")
	o.str("targetId", id)
	o.raw("replacement", pick(g.rng, "null",
		`{"content":`+text(g.rng, 6)+`}`, `{"content":`+array(g.textBlock())+`}`))
	g.add(o, n)
}

// oldKind writes what version 1 had beside messages and settings: a compaction
// that names what it kept by the number of the parsed value.
func (g *generator) oldKind() {
	o, n := g.envelope("compaction")
	o.raw("summary", text(g.rng, 12))
	o.num("firstKeptEntryIndex", int64(g.rng.IntN(len(g.nodes)+2)))
	o.num("tokensBefore", 1000)
	g.add(o, n)
}
