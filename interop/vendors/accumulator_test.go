//go:build peers

package vendors_test

import (
	"net/http"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/provider/anthropic"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
)

func request(url string) provider.Request {
	m := model.Model{Provider: "anthropic", ID: "claude", API: model.Anthropic, BaseURL: url}
	return provider.Request{Model: m, Messages: []message.JSON{message.JSON(`{"role":"user","content":"hi"}`)}}
}

// TestTheVendorsAccumulatorAgrees reads every file with the vendor's own types.
func TestTheVendorsAccumulatorAgrees(t *testing.T) {
	for _, name := range wiretest.Files(wiretest.Anthropic) {
		if name == "unknown_events" || name == "overloaded" || name == "invalid_arguments" || name == "max_tokens" {
			continue // those it refuses
		}
		s := wiretest.New(t, wiretest.FromFile(name), wiretest.FromFile(name))
		ours, _ := anthropic.New(anthropic.Options{}).Stream(t.Context(), request(s.URL), nil)
		res, err := http.Post(s.URL+"/v1/messages", "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		theirs := sdk.Message{}
		events := ssestream.NewStream[sdk.MessageStreamEventUnion](ssestream.NewDecoder(res), nil)
		for events.Next() {
			if err := theirs.Accumulate(events.Current()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		res.Body.Close()
		var text, thinking, calls strings.Builder
		for _, b := range theirs.Content {
			text.WriteString(b.Text)
			thinking.WriteString(b.Thinking + b.Signature + b.Data)
			if b.Type == "tool_use" {
				calls.Write(b.Input)
			}
		}
		var ourText, ourThinking, ourCalls strings.Builder
		for _, b := range ours.Content {
			switch b := b.(type) {
			case *message.TextBlock:
				ourText.WriteString(b.Text)
			case *message.Thinking:
				ourThinking.WriteString(b.Thinking + b.ThinkingSignature)
			case *message.RedactedThinking:
				ourThinking.WriteString(b.Data)
			case *message.ToolCall:
				ourCalls.Write(b.Arguments)
			}
		}
		if text.String() != ourText.String() || thinking.String() != ourThinking.String() || calls.String() != ourCalls.String() ||
			string(theirs.StopReason) != ours.RawStopReason || theirs.ID != ours.ResponseID || float64(theirs.Usage.OutputTokens) != ours.Usage.Output {
			t.Errorf("%s: theirs %+v\nours %s", name, theirs, message.Encode(ours))
		}
	}
}
