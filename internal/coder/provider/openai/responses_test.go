package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/provider/openai"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/google/go-cmp/cmp"
)

// What servers make of Responses.
func TestResponsesStreams(t *testing.T) {
	const (
		delta  = `{"type":"response.output_text.delta","output_index":0,"delta":"Yes."}`
		text   = `{"id":"msg_1","type":"message","role":"assistant","phase":"final_answer","content":[{"type":"output_text","text":"Yes."}]}`
		call   = `{"id":"fc_1","type":"function_call","call_id":"call_1","name":"read","arguments":"{\"p\":1}"}`
		bare   = `{"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}`
		thinks = `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"A"},{"type":"summary_text","text":"B"}]}`
		sealed = `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gAAA"}`
	)
	done := func(index, item string) string {
		return `{"type":"response.output_item.done","output_index":` + index + `,"item":` + item + `}`
	}
	completed := func(items string) string {
		return `{"type":"response.completed","response":{"id":"r","status":"completed","output":[` + items + `],` +
			`"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":3,"cache_write_tokens":2},"output_tokens":4,"total_tokens":14}}}`
	}
	signed := "Yes. " + `{"v":1,"id":"msg_1","phase":"final_answer"}`
	tests := []struct {
		name   string
		events []string
		want   []string
		stop   message.StopReason
		cause  provider.Cause
	}{
		{"text without item events", []string{delta, bare}, []string{"Yes. "}, message.Stop, ""},
		{"items that only end", []string{done("0", text), done("1", call), completed("")},
			[]string{signed, `call_1|fc_1 {"p":1}`}, message.ToolUse, ""},
		{"all of it in the last event", []string{completed(thinks + "," + text + "," + call)},
			[]string{"A\n\nB " + thinks, signed, `call_1|fc_1 {"p":1}`}, message.ToolUse, ""},
		{"hidden reasoning", []string{done("0", sealed), done("1", text), bare}, []string{" " + sealed, signed}, message.Stop, ""},
		{"sealed in the last event alone", []string{done("0", thinks), done("1", text), completed(sealed + "," + text)},
			[]string{"A\n\nB " + strings.TrimSuffix(thinks, "}") + `,"encrypted_content":"gAAA"}`, signed}, message.Stop, ""},
		{"reasoning that says nothing", []string{done("0", `{"id":"","type":"reasoning","summary":[]}`), done("1", text), bare},
			[]string{` {"id":"","type":"reasoning","summary":[]}`, signed}, message.Stop, ""},
		{"a call with one id", []string{done("0", strings.Replace(call, `"call_id":"call_1",`, "", 1)), bare},
			[]string{`fc_1 {"p":1}`}, message.ToolUse, ""},
		{"an empty message", []string{done("0", `{"id":"msg_1","type":"message","content":[]}`), bare}, nil, message.Stop, ""},
		{"what is not known", []string{
			`{"type":"response.web_search_call.searching","output_index":0}`, `{"type":"keepalive"}`, `{}`,
			`{"type":"response.output_item.added","output_index":0,"item":{"id":"ws_1","type":"web_search_call"}}`,
			done("0", `{"id":"ws_1","type":"web_search_call"}`), done("1", text), bare,
		}, []string{signed}, message.Stop, ""},
		{"deltas for another kind", []string{
			`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{"}`, delta,
			`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{"}`, done("0", text), bare,
		}, []string{signed}, message.Stop, ""},
		{"cancelled", []string{delta, `{"type":"response.cancelled","response":{"status":"cancelled"}}`}, []string{"Yes. "}, message.Error, provider.Refused},
		{"incomplete without a reason", []string{delta, `{"type":"response.incomplete","response":{}}`}, []string{"Yes. "}, message.Length, ""},
		{"failed: overflow", []string{`{"type":"response.failed","response":{"status":"failed","error":{"code":"context_length_exceeded","message":"Too long."}}}`},
			nil, message.Error, provider.Overflow},
		{"error with an object", []string{`{"type":"error","error":{"type":"invalid_request_error","code":"x","message":"No."}}`},
			nil, message.Error, provider.Refused},
		{"error without a word", []string{`{"type":"error"}`}, nil, message.Error, provider.Busy},
	}
	for _, test := range tests {
		s := wiretest.New(t, wiretest.Reply{Stream: []byte("data: " + strings.Join(test.events, "\n\ndata: ") + "\n\n")})
		h := ask(t, openai.NewResponses(options()), apis()[1].request(s))
		var got []string
		for _, b := range h.m.Content {
			switch b := b.(type) {
			case *message.TextBlock:
				got = append(got, b.Text+" "+b.TextSignature)
			case *message.Thinking:
				got = append(got, b.Thinking+" "+b.ThinkingSignature)
			case *message.ToolCall:
				got = append(got, b.ID+" "+string(b.Arguments))
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
		if h.m.StopReason != test.stop || cause(h.err) != test.cause {
			t.Errorf("%s: stop %q, %v", test.name, h.m.StopReason, h.err)
		}
		if u := h.m.Usage; u.TotalTokens != 0 && (u.Input != 5 || u.CacheRead != 3 || u.CacheWrite != 2 || u.Output != 4) {
			t.Errorf("%s: usage %+v", test.name, u)
		}
	}
}

// What of an answer goes back, and under which ids.
func TestResponsesReplay(t *testing.T) {
	const (
		sealed = `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gAAA"}`
		open   = `{"id":"rs_2","type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"T"}]}`
	)
	think := func(signature string) message.Block {
		return &message.Thinking{Thinking: "T", ThinkingSignature: signature}
	}
	text := func(signature string) message.Block {
		return &message.TextBlock{Text: "Yes.", TextSignature: signature}
	}
	call := func(id string) message.Block {
		return &message.ToolCall{ID: id, Name: "ls", Arguments: message.JSON("{}")}
	}
	long := strings.Repeat("x", 70)
	tests := []struct {
		name   string
		url    string
		blocks []message.Block
		want   []string // type, id and call_id of the items
	}{
		{"all of it", "", []message.Block{think(sealed), text("msg_1"), call("call_1|fc_1")},
			[]string{"reasoning rs_1 ", "message msg_1 ", "function_call fc_1 call_1"}},
		{"reasoning that OpenAI did not store", "", []message.Block{think(open), text("msg_1"), call("call_1|fc_1")},
			[]string{"message  ", "function_call  call_1"}},
		{"the same elsewhere", "http://localhost:1/v1", []message.Block{think(open), text("msg_1"), call("call_1|fc_1")},
			[]string{"reasoning rs_2 ", "message msg_1 ", "function_call fc_1 call_1"}},
		{"one of two", "", []message.Block{think(sealed), think("reasoning_content"), text("msg_1"), call("call_1|fc_1")},
			[]string{"message  ", "function_call  call_1"}},
		{"without reasoning", "", []message.Block{text(`{"v":1,"id":"msg_1"}`), call("call_1|fc_1")},
			[]string{"message msg_1 ", "function_call fc_1 call_1"}},
		{"reasoning that nothing follows", "", []message.Block{text("msg_1"), think(sealed)}, []string{"message msg_1 "}},
		{"reasoning alone", "", []message.Block{think(sealed)}, nil},
		{"ids of others", "", []message.Block{text("sig"), text("msg_" + long), call("call_1|ctc_1"), call("a+b"), call(long)},
			[]string{"message  ", "message  ", "function_call  call_1", "function_call  " + provider.CallID("a+b", 64), "function_call  " + provider.CallID(long, 64)}},
		{"two items of a call", "", []message.Block{call("call_1|fc_1"), call("call_1|fc_2")},
			[]string{"function_call fc_1 call_1", "function_call fc_2 " + provider.CallID("call_1|fc_2", 64)}},
	}
	for _, test := range tests {
		p := &reply{status: http.StatusTeapot}
		o := options()
		o.Transport = p
		r := apis()[1].request(nil)
		r.Model.BaseURL = test.url
		r.Messages = append(r.Messages, message.Encode(&message.Assistant{
			API: "openai-responses", Provider: "local", Model: "gpt-test", Content: test.blocks, StopReason: message.Stop,
		}))
		ask(t, openai.NewResponses(o), r)
		var got, results []string
		input, _ := jsonedit.Get(message.JSON(p.bodies[0]), "input")
		for item := range jsonedit.Elements(input) {
			kind, _ := jsonedit.Text(item, "type")
			id, _ := jsonedit.Text(item, "id")
			callID, _ := jsonedit.Text(item, "call_id")
			switch kind {
			case "": // of the user
			case "function_call_output":
				results = append(results, callID)
			default:
				got = append(got, kind+" "+id+" "+callID)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
		var calls []string
		for _, item := range got {
			if rest, ok := strings.CutPrefix(item, "function_call "); ok {
				calls = append(calls, rest[strings.Index(rest, " ")+1:])
			}
		}
		if diff := cmp.Diff(calls, results); diff != "" {
			t.Errorf("%s: results do not answer the calls:\n%s", test.name, diff)
		}
	}
}
