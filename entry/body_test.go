package entry_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/vectors"
	"github.com/google/go-cmp/cmp"
)

// at is 2026-01-02T03:04:05.000Z.
const at = 1767323045000

func ptr[T any](v T) *T { return &v }

// bodies has every kind of body with all of its fields, and the line that is
// written of it with id "b", parent "a" and time at.
func bodies() []struct {
	body entry.Body
	line string
} {
	const base = `"id":"b","parentId":"a","timestamp":"2026-01-02T03:04:05.000Z"`
	raw := func(s string) entry.JSON { return entry.JSON(s) }
	return []struct {
		body entry.Body
		line string
	}{
		{&entry.MessageBody{Message: raw(`{"role":"user","content":"<&\u2028>"}`)},
			`{"type":"message",` + base + `,"message":{"role":"user","content":"<&\u2028>"}}`},
		{&entry.ThinkingLevelChangeBody{ThinkingLevel: ptr("high"), Configured: raw(`"auto"`)},
			`{"type":"thinking_level_change",` + base + `,"thinkingLevel":"high","configured":"auto"}`},
		{&entry.ThinkingLevelChangeBody{},
			`{"type":"thinking_level_change",` + base + `,"thinkingLevel":null}`},
		{&entry.ModelChangeBody{Provider: "p", ModelID: "m"},
			`{"type":"model_change",` + base + `,"provider":"p","modelId":"m"}`},
		{&entry.ModelChangeBody{Model: "p/m", Role: "smol", ResolvedModelIsFallback: ptr(false)},
			`{"type":"model_change",` + base + `,"model":"p/m","role":"smol","resolvedModelIsFallback":false}`},
		{&entry.ServiceTierChangeBody{ServiceTier: raw(`{"openai":"flex"}`)},
			`{"type":"service_tier_change",` + base + `,"serviceTier":{"openai":"flex"}}`},
		{&entry.ServiceTierChangeBody{}, `{"type":"service_tier_change",` + base + `,"serviceTier":null}`},
		{&entry.CompactionBody{Summary: "S", FirstKeptEntryID: "a", TokensBefore: 7},
			`{"type":"compaction",` + base + `,"summary":"S","firstKeptEntryId":"a","tokensBefore":7}`},
		{&entry.CompactionBody{
			Summary: "S", ShortSummary: "s", FirstKeptEntryID: "a", TokensBefore: 7, TokensAfter: ptr(int64(0)),
			Method: "handoff", ProviderReplayThroughEntryID: "z", Details: raw(`{"x":1}`), Usage: raw(`{}`),
			FromHook: ptr(false), FromExtension: ptr(true), PreserveData: raw(`{"y":2}`), Warning: "w",
			SystemMessage: raw(`{"role":"system"}`),
		}, `{"type":"compaction",` + base + `,"summary":"S","shortSummary":"s","firstKeptEntryId":"a","tokensBefore":7,` +
			`"tokensAfter":0,"method":"handoff","providerReplayThroughEntryId":"z","details":{"x":1},"usage":{},` +
			`"fromHook":false,"fromExtension":true,"preserveData":{"y":2},"warning":"w","systemMessage":{"role":"system"}}`},
		{&entry.BranchSummaryBody{FromID: "root", Summary: "", Details: raw(`[1]`), Usage: raw(`{}`), FromHook: ptr(true), FromExtension: ptr(false)},
			`{"type":"branch_summary",` + base + `,"fromId":"root","summary":"","details":[1],"usage":{},"fromHook":true,"fromExtension":false}`},
		{&entry.CustomBody{CustomType: "x", Data: raw(`{"a":1}`)},
			`{"type":"custom","customType":"x","data":{"a":1},` + base + `}`},
		{&entry.CustomBody{CustomType: "x"}, `{"type":"custom","customType":"x",` + base + `}`},
		{&entry.CustomMessageBody{CustomType: "x", Content: raw(`"c"`), Display: true, Details: raw(`null`), Attribution: "user"},
			`{"type":"custom_message","customType":"x","content":"c","display":true,"details":null,"attribution":"user",` + base + `}`},
		{&entry.LabelBody{TargetID: "a", Label: "here"}, `{"type":"label",` + base + `,"targetId":"a","label":"here"}`},
		{&entry.LabelBody{TargetID: "a"}, `{"type":"label",` + base + `,"targetId":"a"}`},
		{&entry.SessionInfoBody{}, `{"type":"session_info",` + base + `,"name":""}`},
		{&entry.UsageBody{UsageKind: "k", Provider: "p", Model: "m", Usage: raw(`{"input":1}`), Note: "n"},
			`{"type":"usage",` + base + `,"kind":"k","provider":"p","model":"m","usage":{"input":1},"note":"n"}`},
		{&entry.ContextEditBody{TargetID: "a"}, `{"type":"context_edit",` + base + `,"targetId":"a","replacement":null}`},
		{&entry.TTSRInjectionBody{InjectedRules: []string{"r", "s"}},
			`{"type":"ttsr_injection",` + base + `,"injectedRules":["r","s"]}`},
		{&entry.SessionInitBody{
			SystemPrompt: "p", Task: "t", Tools: []string{"read"}, OutputSchema: raw(`{}`), Agent: "ag",
			ModelRole: "smol", ResolvedModel: "p/m", ReadOnly: ptr(true), OutputSchemaMode: "strict",
			RestrictToolNames: ptr(false), Spawns: "*", ReadSummarize: ptr(true), Advisor: "ad", Isolated: ptr(false),
			CompactionThreshold: raw(`{"thresholdPercent":80,"thresholdTokens":9}`),
		}, `{"type":"session_init",` + base + `,"systemPrompt":"p","task":"t","tools":["read"],"agent":"ag","modelRole":"smol",` +
			`"resolvedModel":"p/m","readOnly":true,"outputSchema":{},"outputSchemaMode":"strict","restrictToolNames":false,` +
			`"spawns":"*","readSummarize":true,"advisor":"ad","isolated":false,"compactionThreshold":{"thresholdPercent":80,"thresholdTokens":9}}`},
		{&entry.SessionInitBody{}, `{"type":"session_init",` + base + `,"systemPrompt":"","task":"","tools":[]}`},
		{&entry.ModeChangeBody{Mode: "plan", Data: raw(`{"f":1}`)}, `{"type":"mode_change",` + base + `,"mode":"plan","data":{"f":1}}`},
		{&entry.MCPToolSelectionBody{SelectedToolNames: []string{"t"}},
			`{"type":"mcp_tool_selection",` + base + `,"selectedToolNames":["t"]}`},
		{&entry.TitleChangeBody{Title: "N", Source: "user", PreviousTitle: "O", Trigger: "slash"},
			`{"type":"title_change",` + base + `,"title":"N","source":"user","previousTitle":"O","trigger":"slash"}`},
		{&entry.ModelUsageBody{Purpose: "title", Role: "smol", API: "a", Provider: "p", Model: "m", Usage: raw(`{}`), StopReason: "stop", ErrorMessage: "e"},
			`{"type":"model_usage",` + base + `,"purpose":"title","role":"smol","api":"a","provider":"p","model":"m","usage":{},"stopReason":"stop","errorMessage":"e"}`},
		{&entry.CredentialPinBody{Provider: "p", Hash: "h"}, `{"type":"credential_pin",` + base + `,"provider":"p","hash":"h"}`},
		{&entry.ResetBoundaryBody{}, `{"type":"reset_boundary",` + base + `}`},
		{&entry.Verbatim{Name: "gizmo", Members: raw(`{"b":1e400,"a":"\ud800","b":2}`)},
			`{"type":"gizmo",` + base + `,"b":2,"a":"\ud800"}`},
		{&entry.Verbatim{Name: "custom", Members: raw(`{"data":1,"customType":"x"}`)},
			`{"type":"custom","data":1,"customType":"x",` + base + `}`},
	}
}

func TestEncodeAndDecodeEveryBody(t *testing.T) {
	seen := map[entry.Kind]bool{}
	for _, c := range bodies() {
		line, err := entry.Encode([]byte("x"), entry.Stamp{ID: "b", Parent: ptr("a"), Time: at}, c.body)
		if err != nil {
			t.Fatalf("%T: %v", c.body, err)
		}
		if got := strings.TrimPrefix(string(line), "x"); got != c.line {
			t.Errorf("%T:\n got %s\nwant %s", c.body, got, c.line)
			continue
		}
		e, err := entry.Parse(line[1:])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		back, err := e.Body()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if entry.BodyKind(back) != entry.BodyKind(c.body) || entry.BodyType(back) != entry.BodyType(c.body) || entry.BodyKind(back).String() != e.Type && entry.BodyKind(back) != entry.Unknown {
			t.Errorf("%s: decoded as %v %q", line, entry.BodyKind(back), entry.BodyType(back))
		}
		if _, verbatim := c.body.(*entry.Verbatim); !verbatim {
			if d := cmp.Diff(c.body, back, cmp.FilterPath(func(p cmp.Path) bool {
				return strings.HasSuffix(p.String(), "rest.raw")
			}, cmp.Ignore()), cmp.Exporter(func(reflect.Type) bool { return true }), cmp.Transformer("nil", func(s []string) string { return strings.Join(s, "\n") })); d != "" {
				t.Errorf("%s: decoded differently (-given +decoded):\n%s", line, d)
			}
		}
		seen[e.Kind] = true
	}
	for k := entry.Unknown; k < 64; k++ {
		if k.String() != "" && !seen[k] && k != entry.Session && k != entry.Title {
			t.Errorf("no body of kind %q in the table", k)
		}
	}
}

func TestEncodeIsIdentityOnEveryVectorLine(t *testing.T) {
	all, err := vectors.All()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, v := range all {
		data, ok := vectors.File(v.Input)
		if !ok {
			continue
		}
		for line := range strings.SplitSeq(string(data), "\n") {
			if e, err := entry.Parse([]byte(line)); err == nil {
				n++
				identical(t, e)
			}
		}
	}
	if n < 250 {
		t.Errorf("only %d lines in the vectors", n)
	}
}

// identical checks that decoding and encoding gives the same bytes.
func identical(t *testing.T, e entry.Entry) {
	t.Helper()
	body, err := e.Body()
	if err != nil {
		t.Fatalf("%q: %v", e.Raw(), err)
	}
	got, err := entry.Encode(nil, e.Stamp(), body)
	if err != nil || string(got) != string(e.Raw()) {
		t.Errorf("%q was encoded as %q, %v", e.Raw(), got, err)
	}
}

func TestChangeOneFieldKeepsOtherBytes(t *testing.T) {
	const line = `{ "type":"label", "zzz":1.0e2,"id":"b","label":"old","targetId":5,"parentId":null,"timestamp":"2026-01-02T04:04:05+01:00" }`
	e, err := entry.Parse([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		stamp  func(*entry.Stamp)
		change func(*entry.LabelBody)
		old    string
		new    string
	}{
		{name: "nothing"},
		{name: "label", change: func(b *entry.LabelBody) { b.Label = "ne\"w" }, old: `"old"`, new: `"ne\"w"`},
		{name: "label removed", change: func(b *entry.LabelBody) { b.Label = "" }, old: `,"label":"old"`, new: ``},
		{name: "field of wrong type", change: func(b *entry.LabelBody) { b.TargetID = "t" }, old: `5`, new: `"t"`},
		{name: "extra", change: func(b *entry.LabelBody) { b.Extra[1].Value = entry.JSON("[\n1]") }, old: `1.0e2`, new: `[1]`},
		{name: "id", stamp: func(s *entry.Stamp) { s.ID = "c" }, old: `"b"`, new: `"c"`},
		{name: "parent", stamp: func(s *entry.Stamp) { s.Parent = ptr("p") }, old: `null`, new: `"p"`},
		{name: "time", stamp: func(s *entry.Stamp) { s.Time++ }, old: `2026-01-02T04:04:05+01:00`, new: `2026-01-02T03:04:05.001Z`},
	} {
		body, err := e.Body()
		if err != nil {
			t.Fatal(err)
		}
		label, stamp := body.(*entry.LabelBody), e.Stamp()
		if d := cmp.Diff([]entry.Member{{Key: "targetId", Value: entry.JSON("5")}, {Key: "zzz", Value: entry.JSON("1.0e2")}}, label.Extra); d != "" {
			t.Fatalf("extra members (-want +got):\n%s", d)
		}
		if c.change != nil {
			c.change(label)
		}
		if c.stamp != nil {
			c.stamp(&stamp)
		}
		got, err := entry.Encode(nil, stamp, label)
		if want := strings.Replace(line, c.old, c.new, 1); err != nil || string(got) != want {
			t.Errorf("%s:\n got %s, %v\nwant %s", c.name, got, err, want)
		}
	}
}

func TestParseBody(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"type":"message","message":{"role":"user","content":"x"}}`,
			`{"type":"message","id":"b","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"x"}}`},
		{" {\"z\": 1,\n \"type\" :\"gizmo\",\r\n\"id\":9,\"a\":[ 1,2 ], \"parentId\":\"p\",\"timestamp\":0}\n",
			`{"type":"gizmo","id":"b","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","z":1,"a":[1,2]}`},
		{`{"type":"custom","customType":"x"}`,
			`{"type":"custom","customType":"x","id":"b","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z"}`},
		{`{"type":"gizmo"}`, `{"type":"gizmo","id":"b","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z"}`},
	} {
		body, err := entry.ParseBody([]byte(c.in))
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		got, err := entry.Encode(nil, entry.Stamp{ID: "b", Time: at}, body)
		if err != nil || string(got) != c.want {
			t.Errorf("%q:\n got %s, %v\nwant %s", c.in, got, err, c.want)
		}
	}
}

func TestParseBodyRefuses(t *testing.T) {
	for _, in := range []string{
		`[]`, `3`, `null`, `{}`, `{"type":7}`, `{"type":"session","id":"x"}`, `{"type":"title"}`,
		`{"type":"message"}`, `{"type":"message","message":null}`, `{"type":"message","message":"x"}`,
		`{"type":"message","message":{}}`, `{"type":"message","message":{"role":1}}`,
	} {
		if b, err := entry.ParseBody([]byte(in)); !errors.Is(err, entry.ErrNotBody) {
			t.Errorf("%s: got %v, %v; want an error that is ErrNotBody", in, b, err)
		}
	}
	var syntax *jsonl.SyntaxError
	if _, err := entry.ParseBody([]byte(`{"type":"x"`)); !errors.As(err, &syntax) {
		t.Errorf("torn: got %v; want a syntax error", err)
	}
}

func TestEncodeRefuses(t *testing.T) {
	good := entry.Stamp{ID: "b", Time: at}
	for _, c := range []struct {
		name  string
		stamp entry.Stamp
		body  entry.Body
		want  error
	}{
		{"no id", entry.Stamp{Time: at}, &entry.ResetBoundaryBody{}, entry.ErrStamp},
		{"no time", entry.Stamp{ID: "b", Time: entry.NoTime}, &entry.ResetBoundaryBody{}, entry.ErrStamp},
		{"nil", good, nil, entry.ErrNotBody},
		{"broken JSON", good, &entry.MessageBody{Message: entry.JSON(`{"a":`)}, entry.ErrNotBody},
	} {
		got, err := entry.Encode([]byte("x"), c.stamp, c.body)
		if !errors.Is(err, c.want) || string(got) != "x" {
			t.Errorf("%s: got %q, %v; want %v and the bytes given", c.name, got, err, c.want)
		}
	}
	if b, err := (entry.Entry{}).Body(); err == nil {
		t.Errorf("body of the zero Entry: got %v; want an error", b)
	}
}

func FuzzEntry(f *testing.F) {
	for _, c := range bodies() {
		f.Add([]byte(c.line))
	}
	for _, s := range []string{
		`{}`, `{"type":"session","id":"x"}`, `{"type":"label","type":"custom","id":"a","id":"b","label":1,"label":"x"}`,
		"{\"type\":\"message\",\"message\":{\"role\":\"user\"},\"message\":null}\r",
		`{"type":"cus\u0074om","\u0069d":"x","data":{"__proto__":1}}`, "{\"type\":\"\xff\",\"\\ud800\":1}",
		`{"type":"compaction","tokensBefore":1.5,"summary":null,"fromHook":"x"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := entry.Parse(line)
		if err != nil || strings.ContainsRune(string(line), '\n') {
			return
		}
		identical(t, e)
		body, err := e.Body()
		if err != nil {
			t.Fatal(err)
		}
		moved, err := entry.Encode(nil, entry.Stamp{ID: "new", Parent: ptr("p"), Time: at}, body)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		again, err := entry.Parse(moved)
		if err != nil || again.ID != "new" || again.ParentID != "p" || again.Time != at || again.Type != e.Type {
			t.Fatalf("%q moved to %q, %+v, %v", line, moved, again, err)
		}
		if given, err := entry.ParseBody(line); err == nil {
			out, err := entry.Encode(nil, entry.Stamp{ID: "b", Time: at}, given)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if _, ok := jsonedit.Get(out, "type"); !ok || jsonl.Valid(out) != nil || strings.ContainsRune(string(out), '\n') {
				t.Fatalf("%q was appended as %q", line, out)
			}
		}
	})
}
