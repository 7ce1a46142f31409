package rpc_test

import (
	"os"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/session"
)

// contextTests are of the methods about what a model sees.
func contextTests() map[string]func(p *pair) {
	return map[string]func(p *pair){
		"buildSessionContext": func(p *pair) {
			p.same("buildSessionContext", "", libContext(p, session.ContextOptions{}), nil)
			leaf := "u2"
			p.same("buildSessionContext", `"leafId":"u2"`, libContext(p, session.ContextOptions{Leaf: &leaf}), nil)
			p.same("buildSessionContext", `"leafId":null`, libContext(p, session.ContextOptions{Root: true}), nil)
			got := p.on(p.handle, "buildSessionContext", `"leafId":"u2","llm":true`)
			if n, _ := jsonedit.Path(got, "cleaned", "surrogates"); string(n) != "1" {
				p.t.Errorf("cleaned for a model: %s", got)
			}
			messages, _ := jsonedit.Get(got, "messages")
			if jsonedit.Len(messages) != 3 || strings.Contains(string(messages), `\ud800`) {
				p.t.Errorf("messages for a model: %s", messages)
			}
			got = p.on(p.handle, "buildSessionContext", `"leafId":null,"llm":true`)
			if messages, _ := jsonedit.Get(got, "messages"); string(messages) != "[]" {
				p.t.Errorf("messages for a model before any entry: %s", messages)
			}
			testHandedContext(p)
			testMarks(p)
			testTranscript(p)
		},
		"isSessionOnDisk": func(p *pair) { p.says(p.handle, "isSessionOnDisk", "", "true") },
		"buildContextEntries": func(p *pair) {
			p.ids("c1 u3 x1 a3", p.on(p.handle, "buildContextEntries", ""))
			p.ids("u1 a1 m1 t1 u2", p.on(p.handle, "buildContextEntries", `"leafId":"u2"`))
			p.ids("", p.on(p.handle, "buildContextEntries", `"leafId":null`))
			p.ids("c1 u3 x1 a3", p.call("buildContextEntries", `{"entries":`+entriesOf(p)+`}`))
			p.refused(-32602, "buildContextEntries", `{}`)
		},
		"getLatestCompactionEntry": func(p *pair) {
			got := p.call("getLatestCompactionEntry", `{"entries":`+entriesOf(p)+`}`)
			if id, _ := jsonedit.Text(got, "id"); id != "c1" {
				p.t.Errorf("latest %s", got)
			}
		},
		"migrateSessionEntries": func(p *pair) {
			const old = `{"type":"session","id":"0badc0de00000001","timestamp":"2026-02-16T10:20:30.000Z","cwd":"/w"},` +
				`{"type":"message","timestamp":"2026-02-16T10:20:31.000Z","message":{"role":"user","content":"q"}}`
			path := p.write("old.jsonl", strings.ReplaceAll(old, "},{", "}\n{")+"\n")
			got := p.call("migrateSessionEntries", `{"entries":[`+old+`]}`)
			h := p.open("open", `{"readOnly":true,"path":`+quoted(path)+`}`)
			all := p.on(h, "getEntries", "")
			head := p.on(h, "getHeader", "")
			if want := "[" + string(head) + "," + strings.TrimPrefix(string(all), "["); string(got) != want {
				p.t.Errorf("migrated %s, want %s", got, want)
			}
		},
		"parseSessionEntries": func(p *pair) {
			got := p.call("parseSessionEntries", `{"content":`+quoted("{\"a\":1}\n\nnonsense\r\n{\"b\":[2]}")+`}`)
			if string(got) != `[{"a":1},{"b":[2]}]` {
				p.t.Errorf("parsed %s", got)
			}
		},
		"convertToLlm": func(p *pair) {
			const said = `{"messages":[{"role":"compactionSummary","summary":"so far","timestamp":1},{"role":"nobody","timestamp":2}]`
			got := p.call("convertToLlm", said+`,"agent":"pi"}`)
			if role, _ := jsonedit.Text(first(got), "role"); jsonedit.Len(got) != 1 || role != "user" {
				p.t.Errorf("converted %s", got)
			}
			p.on(p.handle, "convertToLlm", said[1:])
		},
	}
}

func first(array entry.JSON) entry.JSON {
	for v := range jsonedit.Elements(array) {
		return v
	}
	return nil
}

// entriesOf returns the entries of the session, as they are answered.
func entriesOf(p *pair) string { return string(p.on(p.handle, "getEntries", "")) }

// ids compares the ids of entries.
func (p *pair) ids(want string, entries entry.JSON) {
	p.t.Helper()
	var got []string
	for e := range jsonedit.Elements(entries) {
		id, _ := jsonedit.Text(e, "id")
		got = append(got, id)
	}
	if strings.Join(got, " ") != want {
		p.t.Errorf("entries %v, want %s", got, want)
	}
}

// testHandedContext: entries that are handed in have the context that the session
// has whose they are.
func testHandedContext(p *pair) {
	p.t.Helper()
	for _, more := range []string{"", `,"leafId":"u2"`, `,"leafId":null`, `,"llm":true`} {
		want := p.on(p.handle, "buildSessionContext", strings.TrimPrefix(more, ","))
		got := p.call("buildSessionContext", `{"agent":"cambium","entries":`+entriesOf(p)+more+`}`)
		if string(got) != string(want) {
			p.t.Errorf("handed in%s:\n%s\nwant %s", more, got, want)
		}
	}
	p.refused(-32602, "buildSessionContext", `{}`)
	p.refused(-32602, "buildSessionContext", onHandle(p.handle, `"entries":[]`))
}

// testMarks: who has a mark gets what is new, and all when what he has is not so any
// more.
func testMarks(p *pair) {
	p.t.Helper()
	whole := func(params string) (n, from int64, mark string) {
		p.t.Helper()
		got := p.on(p.handle, "buildSessionContext", params)
		messages, _ := jsonedit.Get(got, "messages")
		at, _ := jsonedit.Get(got, "from")
		from, _ = jsonedit.Int(at)
		mark, _ = jsonedit.Text(got, "mark")
		return int64(jsonedit.Len(messages)), from, mark
	}
	n, from, mark := whole(`"since":""`)
	if n == 0 || from != 0 || mark == "" {
		p.t.Fatalf("first: %d from %d, mark %q", n, from, mark)
	}
	if again, from, same := whole(`"since":` + quoted(mark)); again != 0 || from != n || same != mark {
		p.t.Errorf("nothing new: %d from %d, mark %q, was %q", again, from, same, mark)
	}
	p.on(p.handle, "appendMessage", `"message":{"role":"user","content":"more"}`)
	if more, from, _ := whole(`"since":` + quoted(mark)); more != 1 || from != n {
		p.t.Errorf("one more: %d from %d", more, from)
	}
	if all, from, _ := whole(`"leafId":"u2","since":` + quoted(mark)); all == 0 || from != 0 {
		p.t.Errorf("another branch: %d from %d", all, from)
	}
	if all, from, _ := whole(`"since":"nonsense"`); all != n+1 || from != 0 {
		p.t.Errorf("no mark: %d from %d", all, from)
	}
}

// testTranscript: a person is shown the whole branch.
func testTranscript(p *pair) {
	p.t.Helper()
	got := p.on(p.handle, "buildSessionContext", `"transcript":true,"leafId":"a3"`)
	messages, _ := jsonedit.Get(got, "messages")
	var roles []string
	for m := range jsonedit.Elements(messages) {
		role, _ := jsonedit.Text(m, "role")
		roles = append(roles, role)
	}
	if strings.Join(roles, " ") != "user assistant user compactionSummary assistant" {
		p.t.Errorf("transcript %v", roles)
	}
	if explained, _ := jsonedit.Get(got, "cacheMissExplainedAt"); string(explained) != "[false,false,false,false,true]" {
		p.t.Errorf("explained %s", explained)
	}
	p.refused(-32602, "buildSessionContext", onHandle(p.handle, `"transcript":true,"llm":true`))
}

// TestOpeningParameters: what a session begins with, and what is told of it.
func TestOpeningParameters(t *testing.T) {
	c := start(t)
	for policy, want := range map[string]string{"immediately": "there", "user": "with the prompt", "assistant": "with the answer"} {
		h := c.open("create", `{"cwd":"/w","firstWrite":`+quoted(policy)+`,"parentSession":"one before","agentDir":`+quoted(c.home+"/mine")+`}`)
		path := unquoted(c.on(h, "getSessionFile", ""))
		if !strings.HasPrefix(path, c.home+"/mine/") {
			t.Errorf("made at %q", path)
		}
		got := ""
		there := func(when string) {
			if _, err := os.Stat(path); err == nil && got == "" {
				got = when
			}
		}
		there("there")
		c.on(h, "appendMessage", `"message":{"role":"user","content":"q"}`)
		there("with the prompt")
		c.on(h, "appendMessage", `"message":{"role":"assistant","content":[]}`)
		if there("with the answer"); got != want {
			t.Errorf("%s: written %s", policy, got)
		}
		if head := c.on(h, "getHeader", ""); !strings.Contains(string(head), `"parentSession":"one before"`) {
			t.Errorf("header %s", head)
		}
		c.on(h, "close", "")
	}
	h := c.open("inMemory", `{"id":"chosen","entries":[{"type":"message","id":"u1","parentId":null,"timestamp":"2026-02-16T10:20:31.000Z","message":{"role":"user","content":"q"}}]}`)
	if id := unquoted(c.on(h, "getSessionId", "")); id != "chosen" {
		t.Errorf("id %q", id)
	}
	if leaf := unquoted(c.on(h, "getLeafId", "")); leaf != "u1" {
		t.Errorf("leaf %q", leaf)
	}
	for _, params := range []string{`{"cwd":"/w","id":""}`, `{"cwd":"/w","id":"-x"}`} {
		fault := c.refused(-32602, "create", params)
		const says = "Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.', and start and end with an alphanumeric character"
		if got, _ := jsonedit.Text(fault, "message"); got != says {
			t.Errorf("%s: %q", params, got)
		}
	}
	c.refused(-32602, "newSession", onHandle(h, `"id":""`))
	c.on(h, "newSession", `"id":"another"`)
	if id := unquoted(c.on(h, "getSessionId", "")); id != "another" {
		t.Errorf("id %q", id)
	}
	c.refused(-32001, "open", `{"throwIfMissing":true,"path":`+quoted(c.home+"/none.jsonl")+`}`)
	c.refused(-32602, "open", `{"path":"none.jsonl"}`)
	c.refused(-32602, "create", `{"cwd":"w"}`)
	c.refused(-32602, "list", `{"cwd":"."}`)
}

// TestOwnEvents: a client that knows what it did is not told of it.
func TestOwnEvents(t *testing.T) {
	c := start(t)
	said := func() (kinds []string) {
		for _, m := range c.told {
			kind, _ := jsonedit.Path(m, "params", "kind")
			kinds = append(kinds, unquoted(kind))
		}
		c.told = nil
		return kinds
	}
	write := func(h string) {
		c.on(h, "appendMessage", `"message":{"role":"user","content":"q"}`)
		c.on(h, "setSessionName", `"name":"a name"`)
		c.on(h, "flush", "")
	}
	h := c.open("create", `{"cwd":"/w"}`)
	write(h)
	if got := strings.Join(said(), " "); got != "appended renamed" {
		t.Errorf("told %s", got)
	}
	h = c.open("create", `{"cwd":"/w","ownEvents":false}`)
	write(h)
	c.call("initialize", `{"ownEvents":false}`)
	h = c.open("create", `{"cwd":"/w"}`)
	write(h)
	if got := said(); len(got) > 0 {
		t.Errorf("told %v", got)
	}
}

// TestStored: an append answers with the entry when it is asked to.
func TestStored(t *testing.T) {
	c := start(t)
	h := c.open("create", `{"cwd":"/w","agent":"pi","firstWrite":"immediately"}`)
	path := unquoted(c.on(h, "getSessionFile", ""))
	for _, call := range [][2]string{
		{"append", `"body":{"type":"custom","customType":"x"}`}, {"appendMessage", `"message":{"role":"user","content":"q"}`},
		{"appendCompaction", `"summary":"s","firstKeptEntryId":null,"tokensBefore":1,"usage":{"input":1}`},
		{"appendSessionInfo", `"name":"n"`}, {"branchWithSummary", `"id":null,"summary":"s","usage":{"input":2}`},
	} {
		got := c.on(h, call[0], call[1]+`,"stored":true`)
		if want := lastLine(t, path); string(got) != string(want) {
			t.Errorf("%s: %s, stored %s", call[0], got, want)
		}
		if call[0] == "appendCompaction" {
			id, _ := jsonedit.Text(got, "id")
			if kept, _ := jsonedit.Text(got, "firstKeptEntryId"); kept != id || !strings.Contains(string(got), `"usage":{"input":1}`) {
				t.Errorf("compaction %s", got)
			}
		}
	}
}
