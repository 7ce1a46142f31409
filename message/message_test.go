package message_test

import (
	"errors"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

type raw = entry.JSON

// samples has a message of every role with every field that a program writes,
// and what stored sessions do wrong. It feeds the table and the fuzz target.
var samples = []string{
	`{"role":"user","content":"hi","timestamp":1}`,
	`{"role":"user","content":[{"type":"text","text":"a","textSignature":"s"},{"type":"image","data":"AA==","mimeType":"image/png","detail":"low","url":"u","providerFile":{"id":1}}],"synthetic":true,"steering":true,"attribution":"agent","providerPayload":{"type":"openaiResponsesHistory","provider":"p","dt":true,"items":[{"a":1}]},"historyRewriteAt":5,"timestamp":1}`,
	`{"role":"assistant","content":[{"type":"thinking","thinking":"t","thinkingSignature":"s","redacted":true,"itemId":"i"},{"type":"redactedThinking","data":"d"},{"type":"toolCall","id":"1","name":"bash","arguments":{"command":"ls"},"thoughtSignature":"x","namespace":"n","intent":"look","rawBlock":{},"customWireName":"w","providerMetadata":{}},{"type":"fallback","from":"a","to":"b"},{"type":"anthropicServerTool","block":{"x":1}}],"api":"messages","provider":"p","model":"m","responseModel":"m2","responseId":"r","upstreamProvider":"up","upstreamModel":"um","providerThinkingLevel":"high","diagnostics":[],"usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cacheWrite1h":1,"reasoning":1,"totalTokens":10,"cost":{"input":0.1,"output":0.2,"cacheRead":0,"cacheWrite":0,"total":0.30000000000000004},"premiumRequests":1,"orchestration":{},"credits":2},"stopReason":"toolUse","stopDetails":{},"deferred":{},"errorMessage":"e","rawStopReason":"tool_use","endTurn":false,"providerPayload":{"type":"anthropicMessage"},"contextSnapshot":{},"retryRecovery":true,"timestamp":2,"duration":12.5,"ttft":3}`,
	`{"role":"toolResult","toolCallId":"1","toolName":"bash","content":[{"type":"text","text":"ok"}],"details":{"d":1},"usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"isError":false,"prunedAt":9,"attribution":"agent","providerMetadata":{},"timestamp":3}`,
	`{"role":"system","content":"base","sections":{"a":"A","b":null},"toolsAdded":[{"name":"x"}],"toolsRemoved":[{"name":"y"}],"timestamp":4}`,
	`{"role":"developer","content":"d","attribution":"agent","providerPayload":{"type":"t","items":[]},"timestamp":5}`,
	`{"role":"bashExecution","command":"ls","output":"o","exitCode":0,"cancelled":false,"truncated":true,"fullOutputPath":"/t/o","meta":{"truncation":{}},"images":[{"type":"image","data":"AA==","mimeType":"image/png"}],"timestamp":6,"excludeFromContext":true}`,
	`{"role":"pythonExecution","code":"1","output":"","exitCode":null,"cancelled":true,"truncated":false,"meta":{},"timestamp":7,"excludeFromContext":true}`,
	`{"role":"custom","customType":"c","content":"b","display":true,"details":{"a":1},"attribution":"user","timestamp":8}`,
	`{"role":"hookMessage","customType":"c","content":[],"display":false,"timestamp":9}`,
	`{"role":"fileMention","files":[{"path":"a","content":"x","lineCount":1,"byteSize":1,"skippedReason":"tooLarge","image":{"type":"image","data":"","mimeType":""}}],"timestamp":10}`,
	`{"role":"branchSummary","summary":"s","fromId":"root","timestamp":11}`,
	`{"role":"compactionSummary","summary":"s","shortSummary":"t","tokensBefore":12,"tokensAfter":3,"method":"remote","providerPayload":{"type":"t"},"blocks":[{"type":"text","text":"b"}],"warning":"w","timestamp":12}`,
	`{"role":"mystery","content":"m","timestamp":13}`,
	// What should not be there.
	`{"role":"user","content":null,"timestamp":null}`,
	`{"role":"user"}`,
	`{"role":"user","content":5,"timestamp":"yesterday","synthetic":"yes"}`,
	`{"role":"user","content":[null,5,"x",[],{},{"type":7},{"type":"text","text":null},{"type":"text","text":{}},{"type":"new","x":[1]}]}`,
	`{"role":"assistant","content":null,"usage":null,"stopReason":1}`,
	`{"role":"assistant","content":"text","usage":{"cost":null,"input":"many"}}`,
	`{"role":"assistant","content":[{"type":"toolCall","id":null,"name":4,"arguments":null},{"type":"toolCall","arguments":"{}"}]}`,
	`{"role":"system","content":null,"sections":{"a":1},"toolsAdded":{}}`,
	`{"role":"fileMention","files":[null,{"path":1}]}`,
	`{"role":"fileMention","files":null}`,
	`{"role":null,"timestamp":1}`,
	`{}`,
	`{"role":"user","content":"a","content":"b","x":1,"x":2,"timestamp":1}`,
	"{ \"timestamp\" : 1.50 ,\t\"content\" : \"\\ud83d\\u0041\\/\" , \"role\" : \"user\", \"\\u0072\":1 }",
	"{\"role\":\"user\",\"content\":\"\xff\xed\xa0\x80\",\"timestamp\":12345678901234567890}",
	`{"role":"toolResult","content":[],"details":{"big":123456789012345678901234567890,"e":1e400},"isError":1}`,
}

func TestRoundTrip(t *testing.T) {
	for _, s := range samples {
		m, err := message.Decode(raw(s))
		if err != nil {
			t.Errorf("Decode(%s): %v", s, err)
			continue
		}
		if got := string(message.Encode(m)); got != s {
			t.Errorf("round trip of %s\ngot %s", s, got)
		}
		if string(m.(interface{ Raw() raw }).Raw()) != s {
			t.Errorf("Raw differs for %s", s)
		}
	}
}

// remade returns m built anew from its fields, without the text it came from.
func remade(t *testing.T, s string) raw {
	t.Helper()
	m, err := message.Decode(raw(s))
	if err != nil {
		t.Fatal(err)
	}
	switch m.(type) {
	case *message.User, *message.Assistant, *message.ToolResult, *message.System, *message.Developer,
		*message.BashExecution, *message.CompactionSummary:
		message.Forget(m)
		return message.Encode(m)
	}
	return nil
}

func TestNewMessagesAreWrittenInOrder(t *testing.T) {
	for _, s := range samples[:14] {
		if got := remade(t, s); got != nil && string(got) != s {
			t.Errorf("built anew:\ngot  %s\nwant %s", got, s)
		}
	}
	code := int64(3)
	unknown := &message.Unknown{Name: "x"}
	unknown.Extra = []message.Member{{Key: "y", Value: raw("1")}}
	tests := []struct {
		m    message.Message
		want string
	}{
		{&message.User{Content: message.TextContent("a<b"), Timestamp: 5}, `{"role":"user","content":"a<b","timestamp":5}`},
		{&message.Hook{CustomType: "c"}, `{"role":"hookMessage","customType":"c","content":[],"display":false,"timestamp":0}`},
		{&message.BashExecution{Command: "ls", ExitCode: &code}, `{"role":"bashExecution","command":"ls","output":"","exitCode":3,"cancelled":false,"truncated":false,"timestamp":0}`},
		{
			&message.Assistant{Content: []message.Block{nil, &message.ToolCall{ID: "1", Name: "n", Arguments: raw("{}")}}, StopReason: message.Stop},
			`{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"n","arguments":{}}],"api":"","provider":"","model":"","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":0}`,
		},
		{&message.FileMention{Files: []*message.File{nil, {Path: "p"}}}, `{"role":"fileMention","files":[{"path":"p","content":""}],"timestamp":0}`},
		{unknown, `{"role":"x","y":1}`},
	}
	for _, tt := range tests {
		if got := string(message.Encode(tt.m)); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

func TestChangesKeepTheRest(t *testing.T) {
	decode := func(s string) message.Message {
		m, err := message.Decode(raw(s))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	user := decode(`{ "x":1, "content":"\ud83d", "role":"user" , "timestamp": 1.50, "content" : "old" }`).(*message.User)
	user.Content = message.TextContent("new")
	user.Attribution = "user"
	block := decode(`{"role":"assistant","content":[ {"text":"\u0041", "type":"text","y":2} ,{"type":"text","text":"b"}],"z":[1, 2],"usage":{"input":1,"w":3}}`).(*message.Assistant)
	block.Content[1].(*message.TextBlock).Text = "c"
	block.Usage.Output = 7
	gone := decode(`{"role":"toolResult","prunedAt":5,"x":1,"details":{"a":1},"isError":false}`).(*message.ToolResult)
	gone.PrunedAt, gone.Details, gone.Extra = 0, nil, nil
	null := decode(`{"role":"user","content":null,"timestamp":1}`).(*message.User)
	null.Content.Blocks = append(null.Content.Blocks, &message.TextBlock{Text: "t"})
	odd := decode(`{"role":"user","content":5}`).(*message.User)
	odd.Content = message.TextContent("six")
	tests := []struct {
		name string
		m    message.Message
		want string
	}{
		{"field and new field", user, `{ "x":1, "content":"\ud83d", "role":"user" , "timestamp": 1.50, "content" : "new","attribution":"user" }`},
		{"inside a block and the usage", block, `{"role":"assistant","content":[{"text":"\u0041", "type":"text","y":2},{"type":"text","text":"c"}],"z":[1, 2],"usage":{"input":1,"output":7,"w":3}}`},
		{"taken away", gone, `{"role":"toolResult","isError":false}`},
		{"null content", null, `{"role":"user","content":[{"type":"text","text":"t"}],"timestamp":1}`},
		{"wrong type", odd, `{"role":"user","content":"six"}`},
	}
	for _, tt := range tests {
		if got := string(message.Encode(tt.m)); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestDecodeFields(t *testing.T) {
	m, err := message.Decode(raw(samples[2]))
	if err != nil {
		t.Fatal(err)
	}
	a := m.(*message.Assistant)
	if a.StopReason != message.ToolUse || a.Usage.Cost.Total != 0.30000000000000004 || a.Duration != 12.5 || len(a.Extra) != 0 {
		t.Errorf("assistant is %+v", a)
	}
	var types []string
	for _, b := range a.Content {
		types = append(types, message.Type(b))
	}
	want := []string{"thinking", "redactedThinking", "toolCall", "fallback", "anthropicServerTool"}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	calls := message.ToolCalls(a)
	if len(calls) != 1 || calls[0].Name != "bash" || string(calls[0].Arguments) != `{"command":"ls"}` || calls[0].Intent != "look" {
		t.Errorf("calls are %+v", calls)
	}
	twice, _ := message.Decode(raw(`{"role":"user","content":"a","content":"b"}`))
	if got := message.Text(twice); got != "b" {
		t.Errorf("of two contents %q was read", got)
	}
	odd, _ := message.Decode(raw(`{"role":"user","content":5,"synthetic":"yes","a":1,"timestamp":null}`))
	var keys []string
	for _, e := range odd.(*message.User).Extra {
		keys = append(keys, e.Key+"="+string(e.Value))
	}
	if diff := cmp.Diff([]string{"content=5", `synthetic="yes"`, "a=1"}, keys); diff != "" {
		t.Errorf("extra members (-want +got):\n%s", diff)
	}
}

func TestDecodeRefusesWhatIsNoObject(t *testing.T) {
	for _, s := range []string{"null", "5", `"user"`, "[]", "true", ""} {
		m, err := message.Decode(raw(s))
		if !errors.Is(err, message.ErrNotObject) {
			t.Errorf("Decode(%q): error %v", s, err)
		}
		if got := string(message.Encode(m)); got != s {
			t.Errorf("Decode(%q) encodes as %q", s, got)
		}
		if message.Text(m) != "" || message.Estimate(m) != 0 || message.Role(m) != "" {
			t.Errorf("%q says something", s)
		}
	}
}

func TestTextAndEstimate(t *testing.T) {
	tests := []struct {
		in, text string
		tokens   int
	}{
		{`{"role":"user","content":"12345"}`, "12345", 2},
		{`{"role":"user","content":"😀😀"}`, "😀😀", 1},
		{`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","data":"x"},{"type":"text","text":"b"}]}`, "a\nb", 1201},
		{`{"role":"assistant","content":[{"type":"thinking","thinking":"1234"},{"type":"text","text":"56"},{"type":"toolCall","name":"ls","arguments":{ "a" : 1 }}]}`, "56", 4},
		{`{"role":"bashExecution","command":"1234","output":"56"}`, "1234\n56", 2},
		{`{"role":"pythonExecution","code":"1234","output":""}`, "1234", 1},
		{`{"role":"system","content":"12","sections":{"a":"34","b":null},"toolsAdded":[{"n":1}]}`, "12\n34", 4},
		{`{"role":"branchSummary","summary":"12345678"}`, "12345678", 2},
		{`{"role":"compactionSummary","summary":"1"}`, "1", 1},
		{`{"role":"fileMention","files":[{"path":"a","content":"bcd"},{"path":"e","image":{"type":"image"}}]}`, "a\ne", 1202},
		{`{"role":"custom","content":"1234"}`, "1234", 1},
		{`{"role":"hookMessage","content":"1234"}`, "1234", 1},
		{`{"role":"developer","content":"1234"}`, "1234", 1},
		{`{"role":"toolResult","content":[{"type":"image"}]}`, "", 1200},
		{`{"role":"mystery","content":"1234"}`, "", 0},
	}
	for _, tt := range tests {
		m, err := message.Decode(raw(tt.in))
		if err != nil {
			t.Fatal(err)
		}
		if got := message.Text(m); got != tt.text {
			t.Errorf("Text(%s) = %q, want %q", tt.in, got, tt.text)
		}
		if got := message.Estimate(m); got != tt.tokens {
			t.Errorf("Estimate(%s) = %d, want %d", tt.in, got, tt.tokens)
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v := raw(b)
		if !jsontext.Value(v).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
			return
		}
		before := string(b)
		m, err := message.Decode(v)
		if (err == nil) != (jsonedit.Kind(v) == '{') {
			t.Fatalf("Decode(%q): %v", b, err)
		}
		message.Text(m)
		message.Estimate(m)
		message.ToolCalls(m)
		if got := string(message.Encode(m)); got != before {
			t.Fatalf("round trip of %q gives %q", before, got)
		}
		if string(b) != before {
			t.Fatalf("the text was changed: %q is now %q", before, b)
		}
	})
}
