package openai_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"pgregory.net/rapid"
)

// Events lost, doubled, in another order, of other streams or cut: no panic, and
// what is returned is whole and is what was told.
func TestGarbledStreams(t *testing.T) {
	for _, a := range apis() {
		var events []string
		for _, name := range wiretest.Files(a.protocol) {
			text, err := wiretest.File(a.protocol, name)
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, strings.Split(string(text), "\n\n")...)
		}
		events = append(events,
			"data: "+call("0", "a", "read", `{"p":`), "data: "+call("", "", "ls", ""), "data: "+call("1", "a", "", "}"),
			"data: "+call("", "", "", "1}"), "data: "+finish("length"), "data: [DONE]", "data: {}", "data: null", ": nothing",
			`data: {"type":"response.output_item.added","output_index":1,"item":{"type":"function_call"}}`,
			`data: {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning"}}`,
			`data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message"}}`,
			`data: {"type":"response.output_text.delta","output_index":0,"delta":1}`,
			`data: {"type":"response.completed"}`)
		rapid.Check(t, func(rt *rapid.T) {
			body := strings.Join(rapid.SliceOfN(rapid.SampledFrom(events), 0, 30).Draw(rt, "events"), "\n\n") + "\n\n"
			body = body[:rapid.IntRange(0, len(body)).Draw(rt, "length")]
			o := options()
			o.Transport = &reply{body: body}
			ask(t, a.new(o), a.request(nil))
		})
	}
}
