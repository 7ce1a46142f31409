package openai_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/provider/openai"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/message"
	"github.com/google/go-cmp/cmp"
)

func call(index, id, name, args string) string {
	var b strings.Builder
	b.WriteString(`{"tool_calls":[{`)
	if index != "" {
		fmt.Fprintf(&b, `"index":%s,`, index)
	}
	if id != "" {
		fmt.Fprintf(&b, `"id":%q,`, id)
	}
	b.WriteString(`"type":"function","function":{`)
	if name != "" {
		fmt.Fprintf(&b, `"name":%q,`, name)
	}
	fmt.Fprintf(&b, `"arguments":%q}}]}`, args)
	return delta(b.String())
}

// What servers make of tool calls.
func TestChatCalls(t *testing.T) {
	tests := []struct {
		name   string
		chunks []string
		want   []string // id, name and arguments; id ? is one of our own
	}{
		{"OpenAI: by index", []string{
			call("0", "a", "read", ""), call("0", "", "", `{"p":`), call("1", "b", "ls", ""), call("0", "", "", `1}`), call("1", "", "", `{}`),
		}, []string{`a read {"p":1}`, `b ls {}`}},
		{"Ollama: whole calls, all with index 0", []string{
			call("0", "a", "read", `{"p":1}`), call("0", "b", "ls", `{}`),
		}, []string{`a read {"p":1}`, `b ls {}`}},
		{"whole calls without index", []string{
			call("", "a", "read", `{"p":1}`), call("", "b", "ls", `{}`),
		}, []string{`a read {"p":1}`, `b ls {}`}},
		{"whole calls without index and id", []string{
			call("", "", "read", `{"p":1}`), call("", "", "read", `{"p":2}`),
		}, []string{`? read {"p":1}`, `? read {"p":2}`}},
		{"whole calls with index 0 and no id", []string{
			call("0", "", "read", `{"p":1}`), call("0", "", "read", `{"p":2}`),
		}, []string{`? read {"p":1}`, `? read {"p":2}`}},
		{"no ids, by index", []string{
			call("0", "", "read", `{"p"`), call("1", "", "ls", ``), call("0", "", "", `:1}`),
		}, []string{`? read {"p":1}`, `? ls {}`}},
		{"id and name in each piece", []string{
			call("0", "a", "read", ``), call("0", "a", "read", `{"p":`), call("0", "a", "read", `1}`), call("0", "a", "read", ``),
		}, []string{`a read {"p":1}`}},
		{"by id, interleaved, without index", []string{
			call("", "a", "read", `{"p":`), call("", "b", "ls", `{`), call("", "a", "", `1}`), call("", "b", "", `}`),
		}, []string{`a read {"p":1}`, `b ls {}`}},
		{"pieces without index, id and name", []string{
			call("", "a", "read", `{"p":`), call("", "", "", `1}`),
		}, []string{`a read {"p":1}`}},
		{"the same id for all", []string{
			call("0", "call_0", "read", `{"p":1}`), call("1", "call_0", "ls", `{}`),
		}, []string{`call_0 read {"p":1}`, `? ls {}`}},
		{"id and name late", []string{
			call("0", "", "", ``), call("0", "a", "", ``), call("0", "", "read", `{}`),
		}, []string{`a read {}`}},
		{"arguments as an object", []string{
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":{"p": 1}}}]}`),
		}, []string{`a read {"p": 1}`}},
		{"before there were tools", []string{
			delta(`{"function_call":{"name":"read","arguments":"{\"p\":"}}`), delta(`{"function_call":{"arguments":"1}"}}`),
		}, []string{`? read {"p":1}`}},
		{"on several lines", []string{
			call("0", "a", "read", "\n{\n  \"p\": \"a  b\\u00e9\\n\",\n  \"n\": 1.50,\n  \"m\": 1e400\n}\n"),
		}, []string{`a read {"p":"a  b\u00e9\n","n":1.50,"m":1e400}`}},
	}
	for _, test := range tests {
		for _, reason := range []string{"tool_calls", "stop", "function_call", ""} {
			chunks := test.chunks
			if reason != "" {
				chunks = append(chunks[:len(chunks):len(chunks)], finish(reason))
			}
			s := wiretest.New(t, wiretest.Reply{Stream: stream(chunks...)})
			h := ask(t, openai.NewChat(options()), apis()[0].request(s))
			if h.err != nil {
				t.Errorf("%s: %v", test.name, h.err)
				continue
			}
			var got []string
			ids := map[string]bool{}
			for i, b := range h.m.Content {
				c := b.(*message.ToolCall)
				if ids[c.ID] {
					t.Errorf("%s: id %q twice", test.name, c.ID)
				}
				ids[c.ID] = true
				id := c.ID
				if i < len(test.want) && strings.HasPrefix(test.want[i], "? ") && strings.HasPrefix(id, "call_") {
					id = "?"
				}
				got = append(got, id+" "+c.Name+" "+string(c.Arguments))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s, finished by %q:\n%s", test.name, reason, diff)
			}
			if h.m.StopReason != message.ToolUse || h.m.RawStopReason != reason {
				t.Errorf("%s: stop reason %q (%q)", test.name, h.m.StopReason, h.m.RawStopReason)
			}
		}
	}
}

// What servers make of text and reasoning.
func TestChatText(t *testing.T) {
	const usage = `{"id":"c1","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14%s}}`
	tests := []struct {
		name   string
		stream string
		want   []string
		stop   message.StopReason
		input  float64
		cached float64
	}{
		{"llama.cpp", string(stream(
			delta(`{"role":"assistant","content":null}`), delta(`{"reasoning_content":"Hm"}`), delta(`{"reasoning_content":"m."}`),
			delta(`{"content":"Yes"}`), delta(`{"content":"."}`), finish("stop"), fmt.Sprintf(usage, `,"prompt_tokens_details":{"cached_tokens":4}`),
		)), []string{"reasoning_content: Hmm.", "Yes."}, message.Stop, 6, 4},
		{"vLLM, both members", string(stream(
			delta(`{"reasoning":"Hm.","reasoning_content":"Hm."}`), delta(`{"content":"Yes."}`), finish("stop"), fmt.Sprintf(usage, ""),
		)), []string{"reasoning_content: Hm.", "Yes."}, message.Stop, 10, 0},
		{"Ollama", string(stream(
			delta(`{"role":"assistant","content":"","reasoning":"Hm."}`), delta(`{"role":"assistant","content":"Yes."}`), finish("stop"),
		)), []string{"reasoning: Hm.", "Yes."}, message.Stop, 0, 0},
		{"thinks again", string(stream(
			delta(`{"reasoning":"A"}`), delta(`{"content":"B"}`), delta(`{"reasoning":"C"}`), delta(`{"content":"D"}`), finish("length"),
		)), []string{"reasoning: A", "B", "reasoning: C", "D"}, message.Length, 0, 0},
		{"no reason to finish", string(stream(delta(`{"content":"Yes."}`))), []string{"Yes."}, message.Stop, 0, 0},
		{"a reason to finish and no [DONE]", strings.TrimSuffix(string(stream(
			delta(`{"content":"Yes."}`), finish("stop"),
		)), "data: [DONE]\n\n"), []string{"Yes."}, message.Stop, 0, 0},
		{"comments, other members, other events", ": OPENROUTER PROCESSING\n\n" + "event: ping\ndata: {}\n\n" + string(stream(
			`{"choices":null}`, `{"choices":[{"index":0}]}`, `{"choices":[{"index":0,"delta":null,"finish_reason":null}],"error":null}`,
			delta(`{"content":"Yes.","audio":{}}`), finish("stop"), fmt.Sprintf(usage, `,"prompt_cache_hit_tokens":3`),
		)), []string{"Yes."}, message.Stop, 7, 3},
		{"usage in the choice", string(stream(
			delta(`{"content":"Yes."}`),
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":10,"cached_tokens":2,"completion_tokens":1}}]}`,
		)), []string{"Yes."}, message.Stop, 8, 2},
		{"nothing", string(stream(finish("stop"))), nil, message.Stop, 0, 0},
		{"a promise without a call", string(stream(delta(`{"content":"Yes."}`), finish("tool_calls"))), []string{"Yes."}, message.Stop, 0, 0},
		{"the limit in a call", string(stream(
			delta(`{"content":"Yes."}`), call("0", "a", "read", `{"p":"ab`), finish("length"),
		)), []string{"Yes.", `{"$malformed":"{\"p\":\"ab"}`}, message.Length, 0, 0},
	}
	for _, test := range tests {
		p := &reply{body: test.stream}
		o := options()
		o.Transport = p
		h := ask(t, openai.NewChat(o), apis()[0].request(nil))
		if h.err != nil {
			t.Errorf("%s: %v", test.name, h.err)
			continue
		}
		var got []string
		for _, b := range h.m.Content {
			switch b := b.(type) {
			case *message.TextBlock:
				got = append(got, b.Text)
			case *message.Thinking:
				got = append(got, b.ThinkingSignature+": "+b.Thinking)
			case *message.ToolCall:
				got = append(got, string(b.Arguments))
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
		if u := h.m.Usage; h.m.StopReason != test.stop || u.Input != test.input || u.CacheRead != test.cached {
			t.Errorf("%s: stop %q, usage %+v", test.name, h.m.StopReason, u)
		}
	}
}

// Servers that do not stream when asked to.
func TestWholeAnswer(t *testing.T) {
	tests := []struct {
		api  int
		body string
	}{
		{0, `{"id":"c1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Yes.",` +
			`"tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}}]},"finish_reason":"tool_calls"}],` +
			`"usage":{"prompt_tokens":3,"completion_tokens":2}}`},
		{1, `{"id":"c1","object":"response","model":"m","status":"completed","output":[` +
			`{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Yes."}]},` +
			`{"type":"function_call","id":"fc_1","call_id":"a","name":"ls","arguments":"{}"}],"usage":{"input_tokens":3,"output_tokens":2}}`},
	}
	for _, test := range tests {
		a := apis()[test.api]
		p := &reply{header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}, body: test.body}
		o := options()
		o.Transport = p
		h := ask(t, a.new(o), a.request(nil))
		if h.err != nil || len(h.m.Content) != 2 || h.m.StopReason != message.ToolUse || h.m.Usage.Input != 3 || h.m.ResponseID != "c1" {
			t.Errorf("%s: %s", a.name, h.text())
		}
		p.body = p.body[:len(p.body)-9]
		if h := ask(t, a.new(o), a.request(nil)); cause(h.err) != provider.Malformed {
			t.Errorf("%s, cut: %v", a.name, h.err)
		}
	}
}

// Arguments that are no object are kept for the loop to answer, unless the
// answer failed in them.
func TestMalformedArguments(t *testing.T) {
	for _, a := range apis() {
		for _, args := range []string{`{"p":`, `[1]`, `"text"`, `{"p":1}}`, `null`, `{p:1}`, "{\"p\":\"a\nb\"}"} {
			for _, stop := range []string{"", "length", "refusal"} {
				s := wiretest.New(t, wiretest.Answer(wiretest.Say{
					Text: "Reading.", Stop: stop,
					Calls: []wiretest.Call{{ID: "a", Name: "read", Arguments: wiretest.Arguments(args)}},
				}))
				h := ask(t, a.new(options()), a.request(s))
				if stop == "refusal" && a.protocol == wiretest.Chat {
					if len(h.m.Content) != 1 {
						t.Errorf("%s, %s, %s: %s", a.name, args, stop, h.text())
					}
					continue
				}
				c, _ := h.m.Content[len(h.m.Content)-1].(*message.ToolCall)
				if c == nil {
					t.Errorf("%s, %s: %s", a.name, args, h.text())
				} else if text, ok := provider.MalformedArguments(c); !ok || text != args {
					t.Errorf("%s, %s: arguments %s", a.name, args, c.Arguments)
				}
			}
		}
	}
}
