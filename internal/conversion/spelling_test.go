package conversion_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
)

const head = `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/work"}`

// entries makes a session of a header and entries, which are given without
// envelope: each is the child of the one before.
func entries(rules string, bodies ...string) file {
	d, _ := spelling.ByName(rules)
	lines := []string{head}
	parent := "null"
	for i, body := range bodies {
		id := `"e` + string(rune('0'+i)) + `"`
		kind, rest, _ := strings.Cut(body, " ")
		line := `{"type":"` + kind + `","id":` + id + `,"parentId":` + parent + `,"timestamp":"2026-01-02T03:04:06.000Z"`
		if rest != "" {
			line += "," + rest
		}
		lines = append(lines, line+"}")
		parent = id
	}
	return file{data: []byte(strings.Join(lines, "\n") + "\n"), rules: d, path: "/s.jsonl"}
}

// members returns an entry without its envelope and what a conversion noted.
func members(line []byte) string {
	return canonical(jsonedit.Delete(line, "id", "parentId", "timestamp", "cambium"))
}

// TestSpelling says how each thing is spelled in another dialect. The last entry
// given is the one that is looked at; want "" means that it stays byte for byte.
func TestSpelling(t *testing.T) {
	user := `message "message":{"role":"user","content":"hello","timestamp":1}`
	for _, c := range []struct {
		name, from, to string
		bodies         []string
		want           string
		reasons        string
	}{
		{"model", "pi", "omp", []string{`model_change "provider":"p","modelId":"m/x"`}, `{"type":"model_change","model":"p/m/x"}`, "model"},
		{"model back", "xcsh", "pi", []string{`model_change "model":"p/m/x","role":"default"`}, `{"type":"model_change","provider":"p","modelId":"m/x","role":"default"}`, "model"},
		{"model of a role", "omp", "pi", []string{`model_change "model":"p/m","role":"smol","resolvedModelIsFallback":false`},
			`{"type":"custom","customType":"cambium.kept","data":{"type":"model_change"},"model":"p/m","role":"smol","resolvedModelIsFallback":false}`, "model"},
		{"model between the others", "omp", "xcsh", []string{`model_change "model":"p/m","resolvedModelIsFallback":false`}, "", ""},
		{"no level", "xcsh", "pi", []string{`thinking_level_change "thinkingLevel":null`}, `{"type":"thinking_level_change","thinkingLevel":"off"}`, "thinking"},
		{"level", "pi", "omp", []string{`thinking_level_change "thinkingLevel":"off"`}, "", ""},
		{"chosen level", "omp", "pi", []string{`thinking_level_change "thinkingLevel":"low","configured":"auto"`}, "", "field"},
		{"tier by family", "omp", "xcsh", []string{`service_tier_change "serviceTier":{"anthropic":"priority"}`}, `{"type":"service_tier_change","serviceTier":"priority"}`, "tier"},
		{"no tier", "omp", "cambium", []string{`service_tier_change "serviceTier":{}`}, `{"type":"service_tier_change","serviceTier":null}`, "tier"},
		{"tier by name", "xcsh", "omp", []string{`service_tier_change "serviceTier":"flex"`}, "", ""},
		{"tier for pi", "xcsh", "pi", []string{`service_tier_change "serviceTier":"flex"`}, "", "kind"},
		{"name", "pi", "omp", []string{`session_info "name":"N"`}, `{"type":"title_change","title":"N","source":"user"}`, "title"},
		{"name taken away", "pi", "omp", []string{`session_info "name":""`}, `{"type":"custom","customType":"cambium.kept","data":{"type":"session_info"},"name":""}`, "title"},
		{"title", "omp", "pi", []string{`title_change "title":"N","source":"auto","trigger":"x"`}, `{"type":"session_info","name":"N","trigger":"x"}`, "title"},
		{"name for a header", "pi", "xcsh", []string{`session_info "name":"N"`}, "", "kind"},
		{"hook", "pi", "xcsh", []string{user, `compaction "summary":"S","firstKeptEntryId":"e0","tokensBefore":1,"fromHook":true`},
			`{"type":"compaction","summary":"S","firstKeptEntryId":"e0","tokensBefore":1,"fromExtension":true}`, "flag"},
		{"system message", "pi", "omp", []string{user, `compaction "summary":"S","firstKeptEntryId":"e0","tokensBefore":1,"systemMessage":{"role":"system","content":"x","timestamp":1}`}, "", "system"},
		{"what the provider's summary keeps", "omp", "pi", []string{user, user, user, `compaction "summary":"S","firstKeptEntryId":"","tokensBefore":1,"providerReplayThroughEntryId":"e0","preserveData":{"anthropicCompaction":{"provider":"p","content":"C"}}`},
			`{"type":"compaction","summary":"S","firstKeptEntryId":"e1","tokensBefore":1,"providerReplayThroughEntryId":"e0","preserveData":{"anthropicCompaction":{"provider":"p","content":"C"}}}`, "preserved"},
		{"nothing is kept", "omp", "pi", []string{user, `compaction "summary":"S","firstKeptEntryId":"","tokensBefore":1,"providerReplayThroughEntryId":"e0","preserveData":{"anthropicCompaction":{"provider":"p","content":"C"}}`}, "", "preserved"},
		{"short summary", "xcsh", "pi", []string{user, `compaction "summary":"S","shortSummary":"s","firstKeptEntryId":"e0","tokensBefore":1`}, "", "field"},
		{"left leaf", "omp", "pi", []string{user, user, `branch_summary "fromId":"e1","summary":"S"`}, "", ""},
		{"target", "pi", "omp", []string{user, user, `branch_summary "fromId":"gone","summary":"S"`}, `{"type":"branch_summary","fromId":"e1","summary":"S"}`, "from"},
		{"edit", "pi", "xcsh", []string{user, `context_edit "targetId":"e0","replacement":{"content":"x"}`},
			`{"type":"custom","customType":"cambium.edit","data":{"targetId":"e0","replacement":{"content":"x"}}}`, "edit"},
		{"edit back", "cambium", "pi", []string{user, `custom "customType":"cambium.edit","data":{"targetId":"e0","replacement":null}`},
			`{"type":"context_edit","targetId":"e0","replacement":null}`, "edit"},
		{"edit that pi's file does not mean", "omp", "pi", []string{user, `context_edit "targetId":"e0","replacement":null`},
			`{"type":"custom","customType":"cambium.kept","data":{"type":"context_edit"},"targetId":"e0","replacement":null}`, "inert"},
		{"tools", "xcsh", "omp", []string{`mcp_tool_selection "selectedToolNames":["a"]`}, "", "kind"},
		{"tools that omp does not mean", "omp", "xcsh", []string{`mcp_tool_selection "selectedToolNames":["a"]`},
			`{"type":"custom","customType":"cambium.kept","data":{"type":"mcp_tool_selection"},"selectedToolNames":["a"]}`, "inert"},
		{"reset", "omp", "pi", []string{user, `reset_boundary`},
			`{"type":"compaction","summary":"The conversation so far was cleared.","firstKeptEntryId":"e1","tokensBefore":0}`, "reset"},
		{"accounts", "omp", "pi", []string{`model_usage "purpose":"title","api":"a","provider":"p","model":"m","usage":{},"stopReason":"stop"`},
			`{"type":"usage","kind":"title","api":"a","provider":"p","model":"m","usage":{},"stopReason":"stop"}`, "accounting"},
		{"accounts back", "pi", "omp", []string{`usage "kind":"title","provider":"p","model":"m","usage":{}`},
			`{"type":"model_usage","purpose":"title","api":"unknown","provider":"p","model":"m","usage":{},"stopReason":"stop"}`, "accounting"},
		{"speaker", "xcsh", "pi", []string{`custom_message "customType":"c","content":"x","display":false,"attribution":"user"`}, "", "attribution"},
		{"hidden", "omp", "xcsh", []string{`custom_message "customType":"prewalk-plan","content":"x","display":false`},
			`{"type":"custom","customType":"cambium.kept","data":{"type":"custom_message","customType":"prewalk-plan"},"content":"x","display":false}`, "hidden"},
		{"unknown kind", "pi", "omp", []string{`novelty "x":{"y":[1,2.50]}`}, "", ""},
		{"unknown members", "pi", "omp", []string{`message "message":{"role":"user","content":"hello","x":1e2,"timestamp":1},"y":null`}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) { spelled(t, c.from, c.to, c.bodies, c.want, c.reasons) })
	}
}

func spelled(t *testing.T, from, to string, bodies []string, want, reasons string) {
	t.Helper()
	f := entries(from, bodies...)
	out, report := f.to(t, dialect.Name(to), spelling.Fresh{})
	n := len(bodies) - 1
	before, after := f.lines(t)[n], out.lines(t)[n]
	if want == "" && string(after) != string(before) {
		t.Errorf("changed to\n%s\nfrom\n%s", after, before)
	}
	if want != "" && members(after) != canonical([]byte(want)) {
		t.Errorf("got\n%s\nwant\n%s", members(after), canonical([]byte(want)))
	}
	var got []string
	for _, item := range report.Items {
		if item.Position == n {
			got = append(got, string(item.Reason))
			if item.Changed != (want != "") {
				t.Errorf("%s: changed = %v", item.Reason, item.Changed)
			}
		}
	}
	if strings.Join(got, " ") != reasons {
		t.Errorf("reasons = %v, want %s", got, reasons)
	}
	journey(t, f)
}

func TestMessages(t *testing.T) {
	message := func(m string) []string { return []string{`message "message":` + m} }
	wrap := func(m string) string { return `{"type":"message","message":` + m + `}` }
	for _, c := range []struct{ name, from, to, message, want, reasons string }{
		{"developer", "omp", "pi", `{"role":"developer","content":"plan","attribution":"agent","timestamp":1}`,
			`{"role":"custom","customType":"developer","content":"plan","display":false,"attribution":"agent","timestamp":1}`, "role"},
		{"system", "pi", "xcsh", `{"role":"system","content":"be brief","timestamp":1}`, `{"role":"developer","content":"be brief","timestamp":1}`, "role"},
		{"hook", "xcsh", "pi", `{"role":"hookMessage","customType":"c","content":"x","display":true,"timestamp":1}`,
			`{"role":"custom","customType":"c","content":"x","display":true,"timestamp":1}`, "role"},
		{"python", "xcsh", "pi", `{"role":"pythonExecution","code":"1+1","output":"2","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1}`,
			`{"role":"custom","customType":"pythonExecution","content":[{"type":"text","text":"Ran Python:\n` + "```python\\n1+1\\n```\\nOutput:\\n```\\n2\\n```" + `"}],` +
				`"display":true,"code":"1+1","output":"2","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1}`, "role"},
		{"python that is not sent", "xcsh", "pi", `{"role":"pythonExecution","code":"1+1","output":"2","excludeFromContext":true,"timestamp":1}`, "", ""},
		{"files", "omp", "pi", `{"role":"fileMention","files":[{"path":"a","content":"b"}],"timestamp":1}`,
			`{"role":"custom","customType":"fileMention","content":[{"type":"text","text":"<file path=\"a\">\nb\n</file>"}],"display":true,"files":[{"path":"a","content":"b"}],"timestamp":1}`, "role"},
		{"shown", "pi", "omp", `{"role":"developer","content":"x","timestamp":1}`, "", "shown"},
		{"usage", "pi", "xcsh", `{"role":"assistant","content":[],"usage":{"input":3},"stopReason":"stop","timestamp":1}`,
			`{"role":"assistant","content":[],"usage":{"input":3,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1}`, "usage"},
		{"no content", "pi", "cambium", `{"role":"user","content":null,"timestamp":1}`, `{"role":"user","content":[],"timestamp":1}`, "content"},
		{"hidden reasoning", "pi", "omp", full(`{"type":"thinking","thinking":"","thinkingSignature":"c2ln","redacted":true}`, "stop"), full(`{"type":"redactedThinking","data":"c2ln"}`, "stop"), "block"},
		{"hidden reasoning back", "omp", "pi", full(`{"type":"redactedThinking","data":"c2ln"}`, "stop"), full(`{"type":"thinking","thinking":"","thinkingSignature":"c2ln","redacted":true}`, "stop"), "block"},
		{"stop", "pi", "xcsh", full("", "deferred"), full("", "stop"), "stop"},
		{"failed", "omp", "pi", full("", "error"), "", "pruned"},
		{"pictures of a command", "omp", "xcsh", `{"role":"bashExecution","command":"c","output":"","images":[{"type":"image","data":"AA==","mimeType":"image/png"}],"timestamp":1}`, "", "field"},
		{"answer", "xcsh", "omp", full(`{"type":"text","text":"x"}`, "stop"), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := ""
			if c.want != "" {
				want = wrap(c.want)
			}
			spelled(t, c.from, c.to, message(c.message), want, c.reasons)
		})
	}
}

// full is an answer that has all it needs.
func full(block, stop string) string {
	return `{"role":"assistant","content":[` + block + `],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,` +
		`"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"` + stop + `","timestamp":1}`
}
