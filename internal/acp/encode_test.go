package acp_test

import (
	"bytes"
	"encoding/json" // as the SDK
	"testing"

	"github.com/cambium-dev/cambium/internal/acp"
	sdk "github.com/coder/acp-go-sdk"
	"github.com/google/go-cmp/cmp"
)

// What is written without the SDK is what it would write.
func TestEncodesAsTheSDK(t *testing.T) {
	const hard = "a \"quoted\" \\ line\nand\ttab <b>&amp; \x01 \u2028 \U0001F600 \xff end"
	call := func(opts ...sdk.ToolCallUpdateOpt) sdk.SessionUpdate {
		return sdk.UpdateToolCall("call \"1\"", opts...)
	}
	start := sdk.SessionUpdateToolCall{ToolCallId: "c", Title: hard, Kind: sdk.ToolKindEdit, Status: sdk.ToolCallStatusPending,
		Locations: []sdk.ToolCallLocation{{Path: "/a b"}, {Path: "/c", Line: sdk.Ptr(7)}},
		Content:   []sdk.ToolCallContent{sdk.ToolDiffContent("/a", "new\n", hard), sdk.ToolDiffContent("/new", "x"), sdk.ToolContent(sdk.TextBlock("t"))},
		RawInput:  json.RawMessage("{ \"a\": [1, 2.5, \"\\u00e9\"],\n \"b\": null }")}
	odd := start
	odd.RawInput = json.RawMessage(`{"a":1,"a":2}`)
	for _, c := range []struct {
		name  string
		u     sdk.SessionUpdate
		known bool
	}{
		{"prompt", sdk.UpdateUserMessageText(hard), true},
		{"answer", sdk.UpdateAgentMessageText(hard), true},
		{"thought", sdk.UpdateAgentThoughtText(""), true},
		{"answer of a message", sdk.SessionUpdate{AgentMessageChunk: &sdk.SessionUpdateAgentMessageChunk{Content: sdk.TextBlock(hard), MessageId: sdk.Ptr("m")}}, true},
		{"picture", sdk.UpdateAgentMessage(sdk.ImageBlock("AAAA", "image/png")), false},
		{"note", sdk.SessionUpdate{AgentThoughtChunk: &sdk.SessionUpdateAgentThoughtChunk{Content: sdk.TextBlock("n"), Meta: map[string]any{"x": 1}}}, false},
		{"call", sdk.SessionUpdate{ToolCall: &start}, true},
		{"call of two meanings", sdk.SessionUpdate{ToolCall: &odd}, false},
		{"call without anything", sdk.SessionUpdate{ToolCall: &sdk.SessionUpdateToolCall{ToolCallId: "c"}}, true},
		{"state", call(sdk.WithUpdateStatus(sdk.ToolCallStatusFailed)), true},
		{"result", call(sdk.WithUpdateStatus(sdk.ToolCallStatusCompleted), sdk.WithUpdateContent([]sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(hard)), sdk.ToolContent(sdk.TextBlock(""))}),
			sdk.WithUpdateRawOutput(json.RawMessage(`"out"`)), sdk.WithUpdateTitle("t"), sdk.WithUpdateKind(sdk.ToolKindRead)), true},
		{"result that is no JSON", call(sdk.WithUpdateRawOutput(map[string]any{"x": 1})), false},
		{"picture of a tool", call(sdk.WithUpdateContent([]sdk.ToolCallContent{sdk.ToolContent(sdk.ImageBlock("AAAA", "image/png"))})), false},
		{"plan", sdk.UpdatePlan(sdk.PlanEntry{Content: "x"}), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, known := acp.Encoded("s \"1\"", c.u)
			if known != c.known {
				t.Fatalf("known %v: %s", known, got)
			}
			if !known {
				return
			}
			if n := bytes.IndexByte(got, '\n'); n != len(got)-1 {
				t.Errorf("%q is not one line", got)
			}
			want, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": sdk.ClientMethodSessionUpdate, "params": sdk.SessionNotification{SessionId: "s \"1\"", Update: c.u}})
			if err != nil {
				t.Fatal(err)
			}
			var g, w any
			if err := json.Unmarshal(got, &g); err != nil {
				t.Fatalf("%v: %s", err, got)
			}
			if err := json.Unmarshal(want, &w); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(w, g); d != "" {
				t.Errorf("%s\n%s", got, d)
			}
		})
	}
}
