package replay_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/vectors"
	"github.com/cambium-dev/cambium/replay"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func rulesOf(t testing.TB, name string) spelling.Rules {
	t.Helper()
	d, ok := spelling.ByName(name)
	if !ok {
		t.Fatalf("no dialect %q", name)
	}
	return d.Replay
}

// branch is a session under test: its last entry is the leaf.
type branch struct {
	list *entry.List
	tree *tree.Tree
}

// linked returns a branch of the given entries, each the child of the one
// before: their ids are e0, e1 and so on, and they are a second apart.
func linked(t testing.TB, entries ...string) branch {
	t.Helper()
	var lines [][]byte
	for i, e := range entries {
		parent := "null"
		if i > 0 {
			parent = fmt.Sprintf(`"e%d"`, i-1)
		}
		lines = append(lines, fmt.Appendf(nil, `{"id":"e%d","parentId":%s,"timestamp":"2026-01-01T00:00:%02d.000Z",%s`,
			i, parent, i, strings.TrimPrefix(e, "{")))
	}
	return of(t, lines)
}

func of(t testing.TB, lines [][]byte) branch {
	t.Helper()
	l, err := entry.NewList(lines)
	if err != nil {
		t.Fatal(err)
	}
	return branch{l, tree.New(l, nil)}
}

func (b branch) at(t testing.TB, leaf int, rules spelling.Rules) *replay.Context {
	t.Helper()
	c, err := replay.Build(b.list, b.tree.Path(leaf, tree.Strict), rules)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (b branch) end(t testing.TB, rules spelling.Rules) *replay.Context {
	return b.at(t, b.tree.Leaf(), rules)
}

// whole returns the context as the program that has the rules returns it.
func whole(t testing.TB, c *replay.Context) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(`{"messages":`)
	if err := c.WriteMessages(&b); err != nil {
		t.Fatal(err)
	}
	b.WriteByte(',')
	return string(c.AppendState(b.Bytes(), replay.OwnShape)) + "}"
}

// messages returns the messages alone, one a line.
func messages(t testing.TB, c *replay.Context) []string {
	t.Helper()
	var all []string
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(m.JSON))
	}
	return all
}

func decode(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		t.Fatalf("decode %s: %v", text, err)
	}
	return v
}

// TestContextsAsRecorded compares contexts with those of the real programs.
func TestContextsAsRecorded(t *testing.T) {
	instead := map[string]string{
		// An explicit model change wins over an answer.
		"xcsh-08 1 models": `{"default":"px/big","smol":"px/tiny"}`,
		// Either spelling of a model change is read.
		"pi-24 1 model": `{"provider":"p","modelId":"m"}`,
	}
	wanted := "pi-11 pi-12 pi-13 pi-14 pi-15 pi-16 pi-24 omp-11 omp-12 omp-13 omp-14 omp-15 omp-16 omp-17 xcsh-08 xcsh-09 xcsh-10 xcsh-11"
	all, err := vectors.All()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, v := range all {
		key := strings.Join(strings.SplitN(v.File, "-", 3)[:2], "-")
		if !strings.Contains(wanted+" ", key+" ") {
			continue
		}
		t.Run(v.File, func(t *testing.T) { ran += recorded(t, v, key, instead) })
	}
	if ran < 27 {
		t.Errorf("compared %d contexts only", ran)
	}
}

func recorded(t *testing.T, v vectors.Vector, key string, instead map[string]string) (ran int) {
	file, _ := vectors.File(v.Input)
	b := of(t, bytes.Split(bytes.TrimSpace(file), []byte("\n"))[1:])
	rules := rulesOf(t, v.System)
	leaf := b.tree.Leaf()
	steps, _ := jsonedit.Get(v.Args, "steps")
	results, _ := jsonedit.Get(v.Expected, "results")
	var want []entry.JSON
	for r := range jsonedit.Elements(results) {
		want = append(want, r)
	}
	n := -1
	for step := range jsonedit.Elements(steps) {
		n++
		var arg []string
		for a := range jsonedit.Elements(step) {
			s, ok := jsonedit.String(a)
			if !ok {
				s = "null"
			}
			arg = append(arg, s)
		}
		var c *replay.Context
		switch arg[0] {
		case "branch":
			leaf = b.list.Find(arg[1])
			continue
		case "context":
			c = b.at(t, leaf, rules)
		case "contextAt":
			at := b.tree.Leaf() // an unknown leaf is the last entry
			if i := b.list.Find(arg[1]); i >= 0 || arg[1] == "null" {
				at = i
			}
			c = b.at(t, at, rules)
		default:
			continue
		}
		expected := decode(t, string(want[n])).(map[string]any)
		for member := range expected {
			if other, ok := instead[fmt.Sprint(key, " ", n, " ", member)]; ok {
				expected[member] = decode(t, other)
			}
		}
		if diff := cmp.Diff(any(expected), decode(t, whole(t, c))); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", n, diff)
		}
		ran++
	}
	return ran
}

const answer = `{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"A"}],"provider":"pa","model":"m/1","stopReason":"stop"}}`

func TestState(t *testing.T) {
	tests := []struct {
		name, rules string
		entries     []string
		want        string // in the full shape
	}{
		{"nothing", "cambium", nil,
			`"thinkingLevel":"off","model":null,"models":{},"injectedTtsrRules":[],"mode":"none","modeData":null`},
		{"answer names the model", "cambium", []string{answer},
			`"thinkingLevel":"off","model":{"provider":"pa","modelId":"m/1"},"models":{"default":"pa/m/1"},"injectedTtsrRules":[],"mode":"none","modeData":null`},
		{"explicit model wins", "xcsh", []string{`{"type":"model_change","provider":"px","modelId":"big"}`, answer},
			`"thinkingLevel":"off","model":{"provider":"px","modelId":"big"},"models":{"default":"px/big"},"injectedTtsrRules":[],"mode":"none","modeData":null`},
		{"answer wins in pi", "pi", []string{`{"type":"model_change","model":"px/big"}`, answer},
			`"thinkingLevel":"off","model":{"provider":"pa","modelId":"m/1"},"models":{"default":"pa/m/1"},"injectedTtsrRules":[],"mode":"none","modeData":null`},
		{"provider with a slash", "pi", []string{`{"type":"model_change","provider":"a/b","modelId":"c"}`},
			`"thinkingLevel":"off","model":{"provider":"a/b","modelId":"c"},"models":{"default":"a/b/c"},"injectedTtsrRules":[],"mode":"none","modeData":null`},
		{"model without a provider", "omp", []string{`{"type":"model_change","model":"alone"}`},
			`"thinkingLevel":"off","model":null,"models":{"default":"alone"},"injectedTtsrRules":[],"mode":"none","modeData":null`},
		{"roles in the order they came up", "omp", []string{answer, `{"type":"model_change","model":"p/s","role":"smol"}`, `{"type":"model_change","model":"p/d"}`},
			`"thinkingLevel":"off","model":{"provider":"p","modelId":"d"},"models":{"default":"p/d","smol":"p/s"},"injectedTtsrRules":[],"mode":"none","modeData":null`},
		{"kinds act only where they mean something", "pi", []string{`{"type":"mode_change","mode":"plan"}`, `{"type":"ttsr_injection","injectedRules":["r"]}`, `{"type":"mcp_tool_selection","selectedToolNames":["t"]}`},
			`"thinkingLevel":"off","model":null,"models":{},"injectedTtsrRules":[],"mode":"none","modeData":null`},
		{"wrong types", "cambium", []string{`{"type":"mode_change","mode":7,"data":null}`, `{"type":"ttsr_injection","injectedRules":"r"}`,
			`{"type":"mcp_tool_selection","selectedToolNames":["t",1]}`, `{"type":"thinking_level_change","thinkingLevel":{}}`,
			`{"type":"model_change","model":null,"role":5}`, `{"type":"service_tier_change"}`},
			`"thinkingLevel":"off","model":null,"models":{},"injectedTtsrRules":[],"mode":"none","modeData":null,"selectedMCPToolNames":["t"],"hasPersistedMCPToolSelection":true`},
		{"tiers by family", "omp", []string{`{"type":"service_tier_change","serviceTier":"claude-only"}`, `{"type":"thinking_level_change","thinkingLevel":"low"}`},
			`"thinkingLevel":"low","model":null,"models":{},"injectedTtsrRules":[],"mode":"none","modeData":null,"configuredThinkingLevel":"low","serviceTier":{"anthropic":"priority"}`},
		{"no tier", "omp", []string{`{"type":"service_tier_change","serviceTier":{"openai":"bogus"}}`},
			`"thinkingLevel":"off","model":null,"models":{},"injectedTtsrRules":[],"mode":"none","modeData":null`},
	}
	for _, tt := range tests {
		c := linked(t, tt.entries...).end(t, rulesOf(t, tt.rules))
		if diff := cmp.Diff(tt.want, string(c.AppendState(nil, replay.FullShape))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestNullModeData: omp 18.2.3 tells data that is null from data that is not
// there.
func TestNullModeData(t *testing.T) {
	c := linked(t, `{"type":"mode_change","mode":"plan","data":null}`).end(t, rulesOf(t, "omp"))
	const want = `"mode":"plan","modeData":null`
	if got := string(c.AppendState(nil, replay.OwnShape)); !strings.HasSuffix(got, want) {
		t.Errorf("got %s, want %s at its end", got, want)
	}
}

func user(text string) string {
	return fmt.Sprintf(`{"type":"message","message":{"role":"user","content":%q}}`, text)
}

func said(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) }

func TestMessages(t *testing.T) {
	tests := []struct {
		name, rules string
		entries     []string
		want        []string
	}{
		{"custom message without content", "cambium", []string{`{"type":"custom_message"}`},
			[]string{`{"role":"custom","content":[],"timestamp":1767225600000}`}},
		{"null message", "pi", []string{`{"type":"message","message":null}`, user("x")}, []string{said("x")}},
		{"null content", "cambium", []string{`{"type":"message","message":{"role":"user","content":null}}`}, []string{`{"role":"user","content":null}`}},
		{"content is filled in", "pi", []string{`{"type":"message","message":{"role":"system","n":1}}`, `{"type":"message","message":{"role":"toolResult","content":null,"n":1}}`, `{"type":"message","message":{"role":"developer"}}`},
			[]string{`{"role":"system","n":1,"content":""}`, `{"role":"toolResult","content":[],"n":1}`, `{"role":"developer"}`}},
		{"edits of the project", "xcsh", []string{user("a"), user("b"), user("c"),
			`{"type":"custom","customType":"cambium.edit","data":{"targetId":"e0","replacement":null}}`,
			`{"type":"custom","customType":"cambium.edit","data":{"targetId":"e1","replacement":{"content":"B"}}}`,
			`{"type":"custom","customType":"cambium.edit","data":{"targetId":"e2"}}`,
			`{"type":"context_edit","targetId":"e2","replacement":null}`},
			[]string{said("B"), said("c")}},
		{"edits of the project mean nothing in pi", "pi", []string{user("a"), `{"type":"custom","customType":"cambium.edit","data":{"targetId":"e0","replacement":null}}`},
			[]string{said("a")}},
		{"an edit before the cut is gone", "pi", []string{user("a"), `{"type":"context_edit","targetId":"e2","replacement":null}`, user("b"),
			`{"type":"compaction","summary":"S","firstKeptEntryId":"e2"}`},
			[]string{`{"role":"compactionSummary","summary":"S","timestamp":1767225603000}`, said("b")}},
		{"an edit removes the summary", "pi", []string{user("a"), `{"type":"compaction","summary":"S","firstKeptEntryId":"e0"}`, `{"type":"context_edit","targetId":"e1","replacement":null}`},
			[]string{said("a")}},
		{"answer under edit loses its dangling call", "omp", []string{
			`{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c"}]}}`,
			`{"type":"custom","customType":"cambium.edit","data":{"targetId":"e0","replacement":{"content":[{"type":"text","text":"t"},{"type":"toolCall","id":"d"}]}}}`},
			[]string{`{"role":"assistant","content":[{"type":"text","text":"t"}]}`}},
		{"notebook", "omp", []string{user("a"),
			`{"type":"custom","customType":"experimental_context_notes","data":{"version":1,"text":"N"}}`,
			`{"type":"custom","customType":"experimental_context_notes","data":{"version":2,"text":"no"}}`},
			[]string{`notes`, said("a")}},
		{"notebook before the reset", "omp", []string{`{"type":"custom","customType":"experimental_context_notes","data":{"version":1,"text":"N"}}`, `{"type":"reset_boundary"}`, user("a")},
			[]string{said("a")}},
		{"cleared notebook", "omp", []string{`{"type":"custom","customType":"experimental_context_notes","data":{"version":1,"text":"N"}}`,
			`{"type":"custom","customType":"experimental_context_notes","data":{"version":1,"text":""}}`, user("a")},
			[]string{said("a")}},
		{"retries and empty errors", "omp", []string{
			`{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"r"}],"retryRecovery":{"x":1}}}`,
			`{"type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinking":" "}],"stopReason":"error"}}`, user("a")},
			[]string{said("a")}},
		{"interrupted thinking goes on", "omp", []string{
			`{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"r"}],"stopReason":"aborted"}}`,
			`{"type":"custom_message","customType":"interrupted-thinking","content":"go","display":false}`},
			[]string{`{"role":"assistant","content":[{"type":"text","text":"r"}],"stopReason":"aborted"}`,
				`{"role":"custom","customType":"interrupted-thinking","content":"go","display":false,"timestamp":1767225601000}`}},
		{"only later results of a failed turn go", "omp", []string{
			`{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c"}]}}`,
			`{"type":"message","message":{"role":"toolResult","toolCallId":"c","content":[]}}`,
			`{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c"}],"stopReason":"error"}}`,
			`{"type":"message","message":{"role":"toolResult","toolCallId":"c","content":[1]}}`},
			[]string{`{"role":"assistant","content":[{"type":"toolCall","id":"c"}]}`, `{"role":"toolResult","toolCallId":"c","content":[]}`}},
		{"escaped names do not hide a call", "omp", []string{`{"type":"message","message":{"role":"assistant","content":[{"type":"tool\u0043all","id":"c"}]}}`, user("a")},
			[]string{said("a")}},
		{"hidden custom types", "omp", []string{`{"type":"custom_message","customType":"prewalk-plan","content":"x"}`, user("a")}, []string{said("a")}},
		{"reset after a compaction", "omp", []string{user("a"), `{"type":"compaction","summary":"S","firstKeptEntryId":"e0"}`, `{"type":"reset_boundary"}`, user("b")},
			[]string{said("b")}},
		{"remote history, replayed through", "omp", []string{user("a"), user("b"), user("c"),
			`{"type":"compaction","summary":"S","firstKeptEntryId":"e0","providerReplayThroughEntryId":"e1","preserveData":{"openaiRemoteCompaction":{"provider":"o","replacementHistory":[{}]}}}`, user("d")},
			[]string{`{"role":"compactionSummary","summary":"S","providerPayload":{"type":"openaiResponsesHistory","provider":"o","items":[{}]},"timestamp":1767225603000}`, said("c"), said("d")}},
		{"remote history with a wrong item", "omp", []string{user("a"),
			`{"type":"compaction","summary":"S","firstKeptEntryId":"e0","preserveData":{"openaiRemoteCompaction":{"provider":"o","replacementHistory":[1]}}}`},
			[]string{`{"role":"compactionSummary","summary":"S","timestamp":1767225601000}`, said("a")}},
		{"server summary is older than what is kept", "omp", []string{user("a"), user("b"),
			`{"type":"compaction","summary":"S","firstKeptEntryId":"e1","preserveData":{"anthropicCompaction":{"provider":"p","content":"C","encryptedContent":"","filesText":"F","model":"m"}}}`},
			[]string{`{"role":"compactionSummary","summary":"S","providerPayload":{"type":"anthropicCompaction","provider":"p","content":"C","filesText":"F"},"timestamp":1767225600999}`, said("b")}},
		{"server summary, all after what it covers is kept", "omp", []string{user("a"), user("b"), user("c"),
			`{"type":"compaction","summary":"S","firstKeptEntryId":"","providerReplayThroughEntryId":"e0","preserveData":{"anthropicCompaction":{"provider":"p","content":"C"}}}`, user("d")},
			[]string{`{"role":"compactionSummary","summary":"S","providerPayload":{"type":"anthropicCompaction","provider":"p","content":"C"},"historyRewriteAt":1767225600999,"timestamp":1767225603000}`, said("b"), said("c"), said("d")}},
		{"server summary that covers all", "omp", []string{user("a"), user("b"),
			`{"type":"compaction","summary":"S","firstKeptEntryId":"","providerReplayThroughEntryId":"e1","preserveData":{"anthropicCompaction":{"provider":"p","content":"C"}}}`, user("d")},
			[]string{`{"role":"compactionSummary","summary":"S","providerPayload":{"type":"anthropicCompaction","provider":"p","content":"C"},"historyRewriteAt":1767225602999,"timestamp":1767225602000}`, said("d")}},
		{"server summary that covers what is not there", "omp", []string{user("a"),
			`{"type":"compaction","summary":"S","firstKeptEntryId":"","providerReplayThroughEntryId":"e9","preserveData":{"anthropicCompaction":{"provider":"p","content":"C"}}}`},
			[]string{`{"role":"compactionSummary","summary":"S","providerPayload":{"type":"anthropicCompaction","provider":"p","content":"C"},"timestamp":1767225601000}`}},
		{"server summary that keeps nothing", "omp", []string{user("a"), user("b"),
			`{"type":"compaction","summary":"S","firstKeptEntryId":"","preserveData":{"anthropicCompaction":{"provider":"p","content":"C"}}}`, user("d")},
			[]string{`{"role":"compactionSummary","summary":"S","providerPayload":{"type":"anthropicCompaction","provider":"p","content":"C"},"timestamp":1767225602999}`, said("d")}},
		{"rollover brings the last request", "omp", []string{user("old"), `{"type":"custom_message","customType":"skill-prompt","content":"ask","display":true,"attribution":"user"}`, answer, user("kept?"),
			`{"type":"compaction","summary":"S","firstKeptEntryId":"e9","details":{"kind":"experimental-context-rollover"}}`},
			[]string{`{"role":"compactionSummary","summary":"S","timestamp":1767225604000}`}},
		{"rollover before the first kept", "omp", []string{user("old"), `{"type":"custom_message","customType":"skill-prompt","content":"ask","display":true,"attribution":"user"}`,
			`{"type":"custom","customType":"x"}`, `{"type":"compaction","summary":"S","firstKeptEntryId":"e2","details":{"kind":"experimental-context-rollover"}}`},
			[]string{`{"role":"compactionSummary","summary":"S","timestamp":1767225603000}`,
				`{"role":"custom","customType":"skill-prompt","content":"ask","display":true,"attribution":"user","timestamp":1767225601000}`}},
		{"first of two equal ids is kept from", "pi", []string{user("a"), user("b"), `{"type":"compaction","summary":"S","firstKeptEntryId":"e1"}`},
			[]string{`{"role":"compactionSummary","summary":"S","timestamp":1767225602000}`, said("b")}},
	}
	for _, tt := range tests {
		got := messages(t, linked(t, tt.entries...).end(t, rulesOf(t, tt.rules)))
		for n := range got {
			if strings.Contains(got[n], `"experimental_context_notes"`) && strings.Contains(got[n], `\n\nN"`) {
				got[n] = "notes"
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestArchive(t *testing.T) {
	frame := func(units int, more string) string {
		return fmt.Sprintf(`{"data":"%s","mimeType":"image/png","cols":1,"rows":1,"chars":1%s}`, strings.Repeat("A", units), more)
	}
	compaction := func(archive string) string {
		return `{"type":"compaction","summary":"S","firstKeptEntryId":"x","preserveData":{"snapcompact":` + archive + `}}`
	}
	types := func(key, m string) (all []string) {
		blocks, _ := jsonedit.Get([]byte(m), key)
		for b := range jsonedit.Elements(blocks) {
			kind, _ := jsonedit.Text(b, "type")
			if text, ok := jsonedit.Text(b, "text"); ok {
				kind += " " + text
			}
			all = append(all, kind)
		}
		return all
	}
	tests := []struct {
		name, archive string
		blocks        []string
		images        int
	}{
		{"text only", `{"textHead":"a█b","textTail":"c"}`, []string{"text a\nbc"}, 0},
		{"images between", `{"frames":[` + frame(3, `,"font":"f"`) + `,{"data":""}],"textHead":"h","textTail":"t"}`,
			[]string{"text h\n-------------- images of the middle part follow\n", "image", "text -------------- images of the middle part end here\nt"}, 1},
		{"over the budget", `{"frames":[` + frame(2_000_000, `,"font":"f"`) + `,` + frame(1_500_000, `,"font":"f"`) + `]}`,
			[]string{"text \n-------------- the middle part is not included\n", "image"}, 1},
		{"old and heavy", `{"truncatedChars":1000000,"frames":[` + frame(3_000_000, ``) + `]}`,
			[]string{"text \n-------------- the middle part is not included\n"}, 0},
		{"nothing", `{"frames":[]}`, nil, 0},
	}
	for _, tt := range tests {
		got := messages(t, linked(t, compaction(tt.archive)).end(t, rulesOf(t, "omp")))[0]
		if diff := cmp.Diff(tt.blocks, types("blocks", got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if n := len(types("images", got)); n != tt.images {
			t.Errorf("%s: got %d images, want %d", tt.name, n, tt.images)
		}
	}
}

func TestFlagged(t *testing.T) {
	b := linked(t, `{"type":"message","message":null}`, `{"type":"custom_message","content":5}`, user("x"),
		`{"type":"mode_change","mode":1}`, `{"type":"branch_summary","summary":[]}`, `{"type":"custom","customType":"cambium.edit","data":7}`)
	c := b.end(t, rulesOf(t, "cambium"))
	messages(t, c)
	if diff := cmp.Diff([]int{0, 1, 3, 4, 5}, c.Flagged()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBuildLoadsOnlySettings(t *testing.T) {
	b := linked(t, user("a"), answer, `{"type":"mode_change","mode":"m"}`, user("b"), answer, `{"type":"custom","customType":"x"}`, user("c"))
	for name, want := range map[string][]int{"pi": {4}, "omp": {2, 4}, "xcsh": {2, 4}, "cambium": {2, 4}} {
		loaded := map[int]bool{}
		l := &entry.List{Index: b.list.Index, Load: func(i int) ([]byte, error) { loaded[i] = true; return b.list.Load(i) }}
		if _, err := replay.Build(l, b.tree.Path(6, tree.Strict), rulesOf(t, name)); err != nil {
			t.Fatal(err)
		}
		for _, i := range want {
			if !loaded[i] {
				t.Errorf("%s: entry %d was not loaded", name, i)
			}
		}
		if len(loaded) != len(want) {
			t.Errorf("%s: loaded %v, want %v", name, loaded, want)
		}
	}
}

func TestErrorsOfLoading(t *testing.T) {
	broken := errors.New("broken")
	b := linked(t, user("a"), answer, `{"type":"mode_change","mode":"m"}`, user("b"))
	failAt := func(bad int) *entry.List {
		return &entry.List{Index: b.list.Index, Load: func(i int) ([]byte, error) {
			if i == bad {
				return nil, broken
			}
			return b.list.Load(i)
		}}
	}
	path := b.tree.Path(3, tree.Strict)
	if _, err := replay.Build(failAt(2), path, rulesOf(t, "cambium")); !errors.Is(err, broken) {
		t.Errorf("build: got %v", err)
	}
	c, err := replay.Build(failAt(0), path, rulesOf(t, "cambium"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for m, err := range c.Messages() {
		got = append(got, fmt.Sprint(m.Entry, err))
	}
	if diff := cmp.Diff([]string{"0 broken", "1 <nil>", "3 <nil>"}, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if err := c.WriteMessages(&bytes.Buffer{}); !errors.Is(err, broken) {
		t.Errorf("write: got %v", err)
	}
	var items int
	for _, err := range c.Items() {
		if items++; (err != nil) != (items == 1) {
			t.Errorf("item %d: got %v", items, err)
		}
	}
}

// TestLinesThatChangedOnTheWay has lines that are longer than the index knows,
// as after migration.
func TestLinesThatChangedOnTheWay(t *testing.T) {
	b := linked(t, user("a"))
	l := &entry.List{Index: b.list.Index, Load: func(i int) ([]byte, error) {
		line, err := b.list.Load(i)
		return append([]byte(`{"more":{"x":1},`), line[1:]...), err
	}}
	c, err := replay.Build(l, []int{0}, rulesOf(t, "pi"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{said("a")}, messages(t, c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMessagesSayWhereTheyAreFrom(t *testing.T) {
	b := linked(t, user("a"), user("b"), `{"type":"compaction","summary":"S","firstKeptEntryId":"e1"}`, `{"type":"message","message":{"role":"user"}}`)
	var got []replay.Message
	c := b.end(t, rulesOf(t, "pi"))
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		m.JSON = nil
		got = append(got, m)
	}
	want := []replay.Message{
		{Entry: 2, Role: entry.RoleCompactionSummary},
		{Entry: 1, Role: entry.RoleUser, Kept: true},
		{Entry: 3, Role: entry.RoleUser, Changed: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c.Cut() != 2 {
		t.Errorf("cut: got %d", c.Cut())
	}
}
