package acp_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/acp"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// FuzzServe has a client say anything: the server ends when the client goes away,
// says nothing but messages (an id comes back as it is), and answers each call once. DIR stands for the
// directory in what the client says.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		initialize,
		initialize + `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"DIR","mcpServers":[]}}` + "\n",
		`{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cwd":"DIR","cursor":"MTIgL3g"}}` + "\n",
		`{"jsonrpc":"2.0","id":"a","method":"session/load","params":{"sessionId":"1f2e3d4c","cwd":"DIR","mcpServers":[]}}` + "\n",
		`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"x","prompt":[{"type":"text","text":"/name x"}]}}` + "\n" +
			`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"x"}}` + "\n",
		`{"jsonrpc":"2.0","id":4,"method":"session/set_config_option","params":{"sessionId":"x","configId":"mode","value":"plan"}}` + "\n" +
			`{"jsonrpc":"2.0","id":5,"method":"session/fork","params":{"sessionId":"x","cwd":"DIR"}}` + "\n",
		`{"jsonrpc":"2.0","id":6,"method":"session/close","params":{"sessionId":"x"}}` + "\n" + `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":6}}` + "\n",
		`{"id":1,"id":2,"method":"authenticate","params":{"methodId":"x"},"method":"x"}` + "\n",
		`{"jsonrpc":"2.0","id":1.5e3,"method":"x"}` + "\n" + `{"jsonrpc":"2.0","id":{},"method":"x"}` + "\n" + `{"jsonrpc":"2.0","id":true,"method":7}` + "\n",
		`{"jsonrpc":"2.0","id":null,"method":"x"}` + "\n" + `{"id":7}` + "\n" + `{"id":7,"result":1,"error":{}}` + "\n" + "[]\n7\n\"\n\x00\xff\n",
		`{"ID":1,"Method":"initialize","PARAMS":{"protocolVersion":1}}` + "\n" + `{"id":"\ud800","method":"initialize","params":{"protocolVersion":1}}` + "\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(bytes.ToLower(data), []byte("command")) || bytes.Contains(data, []byte(`\u`)) && bytes.Contains(data, []byte("mcpServers")) {
			return // programs are started by that name
		}
		r := newRig(t, wiretest.Reply{Say: &wiretest.Say{Text: "yes"}, Always: true})
		said := bytes.ReplaceAll(data, []byte("DIR"), []byte(r.dir))
		var out strings.Builder
		if err := acp.Serve(r.ctx, bytes.NewReader(said), &out, r.opt); err != nil {
			t.Fatalf("Serve: %v", err)
		}
		answers := map[string]int{}
		for line := range strings.Lines(out.String()) {
			v := entry.JSON(strings.TrimSuffix(line, "\n"))
			version, _ := jsonedit.Text(v, "jsonrpc")
			if !jsontext.Value(v).IsValid(jsontext.AllowInvalidUTF8(true)) || jsonedit.Kind(v) != '{' || version != "2.0" {
				t.Fatalf("said %q", line)
			}
			id, answer := jsonedit.Get(v, "id")
			if _, asks := jsonedit.Get(v, "method"); answer && !asks {
				answers[string(id)]++
			}
		}
		for id, n := range asked(said) {
			if answers[id] != n {
				t.Errorf("%d calls with the id %s have %d answers", n, id, answers[id])
			}
		}
	})
}

// asked counts the calls in what a client says, by their ids; those that are
// plain, for what else stands in a message may make it another one.
func asked(said []byte) map[string]int {
	all, plain := map[string]int{}, true
	for line := range bytes.Lines(said) {
		v := entry.JSON(bytes.TrimSpace(line))
		if !jsontext.Value(v).IsValid() || jsonedit.Kind(v) != '{' || len(v) > 10<<20-64 {
			continue
		}
		id, called := jsonedit.Get(v, "id")
		name, ok := jsonedit.Text(v, "method")
		if _, err := strconv.ParseUint(string(id), 10, 31); err != nil || !called || !ok || name == "" {
			plain = plain && !called
			continue
		}
		all[string(id)]++
	}
	if !plain {
		return nil
	}
	return all
}
