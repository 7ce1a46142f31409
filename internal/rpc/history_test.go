package rpc_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/rpc"
	"github.com/cambium-dev/cambium/prompts"
)

func historyTests() map[string]func(p *pair) {
	return map[string]func(p *pair){
		"history.add":    testAddPrompt,
		"history.recent": testRecentPrompts,
		"history.search": testSearchPrompts,
	}
}

// typed returns the prompts of an answer, joined.
func typed(answer entry.JSON) string {
	var all []string
	for v := range jsonedit.Elements(answer) {
		text, _ := jsonedit.Text(v, "prompt")
		all = append(all, text)
	}
	return strings.Join(all, ",")
}

// testAddPrompt adds in one process and finds it in another.
func testAddPrompt(p *pair) {
	if got := p.call("history.add", `{"prompt":" one \n","cwd":"/w","sessionId":"s-1"}`); string(got) != "null" {
		p.t.Errorf("answer %s", got)
	}
	p.call("history.add", `{"prompt":"one","cwd":null}`)
	p.call("session.history.add", `{"prompt":"two"}`)
	p.call("history.add", `{"prompt":""}`)
	if code := p.end(); code != 0 {
		p.t.Errorf("exit code %d", code)
	}
	if _, err := os.Stat(filepath.Join(p.home, ".cambium/agent/history.db")); err != nil {
		p.t.Error(err)
	}
	got := startIn(p.t, p.home).call("history.recent", `{}`)
	if typed(got) != "two,one" {
		p.t.Errorf("recent %s", got)
	}
	for v := range jsonedit.Elements(got) {
		var keys []string
		for key := range jsonedit.Members(v) {
			keys = append(keys, key)
		}
		want := "prompt,createdAt,cwd,agent"
		if cwd, _ := jsonedit.Text(v, "cwd"); cwd == "/w" {
			want += ",sessionId"
		}
		if strings.Join(keys, ",") != want {
			p.t.Errorf("%s has the keys %q", v, keys)
		}
	}
}

func testRecentPrompts(p *pair) {
	for _, text := range []string{"a", "b", "c"} {
		p.call("history.add", `{"prompt":`+quoted(text)+`}`)
	}
	for limit, want := range map[string]string{"2": "c,b", "1.9": "c", "0": "", "-1": "", "1e300": "c,b,a", "null": "c,b,a"} {
		if got := p.call("history.recent", `{"limit":`+limit+`}`); typed(got) != want {
			p.t.Errorf("limit %s: %s", limit, got)
		}
	}
}

// testSearchPrompts finds own prompts and those of omp, each in its way.
func testSearchPrompts(p *pair) {
	o := prompts.Options{Own: prompts.Source{Path: filepath.Join(p.home, ".omp/agent/history.db")}}
	theirs, err := prompts.Open(p.t.Context(), o)
	if err != nil {
		p.t.Fatal(err)
	}
	theirs.Add("commit theirs", "", "")
	if err := theirs.Close(); err != nil {
		p.t.Fatal(err)
	}
	p.call("history.add", `{"prompt":"commit ours"}`)
	for query, want := range map[string]string{"comm": "commit ours,commit theirs", "mit": "commit theirs", `"`: "", "ours comm": "commit ours"} {
		if got := p.call("history.search", `{"query":`+quoted(query)+`}`); typed(got) != want && query != "comm" || jsonedit.Len(got) != strings.Count(want, "commit") {
			p.t.Errorf("search %q: %s, want %s", query, got, want)
		}
	}
	if got := p.call("history.search", `{"query":"commit","limit":1}`); jsonedit.Len(got) != 1 {
		p.t.Errorf("limit 1: %s", got)
	}
}

func TestNoHistory(t *testing.T) {
	l := serve(t, rpc.Options{})
	for method, params := range map[string]string{"history.add": `{"prompt":"x"}`, "history.recent": `{}`, "history.search": `{"query":"x"}`} {
		l.refused(-32603, method, params)
	}
}

// TestPromptsOfOneServer adds through a history that the server does not close.
func TestPromptsOfOneServer(t *testing.T) {
	h, err := prompts.Open(context.Background(), prompts.Options{Own: prompts.Source{Agent: "cambium", Path: filepath.Join(t.TempDir(), "h.db")}})
	if err != nil {
		t.Fatal(err)
	}
	l := serve(t, rpc.Options{History: h})
	l.call("history.add", `{"prompt":"x","cwd":"/w"}`)
	l.stop()
	<-l.serve
	if all, err := h.Recent(t.Context(), 5); err != nil || len(all) != 1 || all[0].CWD != "/w" {
		t.Errorf("%+v, %v", all, err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// TestPromptsAreKeptInTheOrderOfTheirComing: of two that are sent at once the
// second is the newer.
func TestPromptsAreKeptInTheOrderOfTheirComing(t *testing.T) {
	p := start(t)
	var calls, want []string
	for i := range 50 {
		calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","method":"history.add","params":{"prompt":"p%d"}}`, i))
		want = append([]string{fmt.Sprintf("p%d", i)}, want...)
	}
	p.send("[" + strings.Join(calls, ",") + "]")
	if code := p.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if got := typed(startIn(t, p.home).call("history.recent", `{}`)); got != strings.Join(want, ",") {
		t.Errorf("%s, want %s", got, strings.Join(want, ","))
	}
}
