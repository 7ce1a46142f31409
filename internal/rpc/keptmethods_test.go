package rpc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// omp begins a session of omp that is written at once.
func (p *pair) omp() string {
	p.t.Helper()
	return p.open("create", `{"cwd":"/w","agent":"omp","firstWrite":"immediately"}`)
}

// says compares the answer of a call on a handle.
func (p *pair) says(handle, method, params, want string) {
	p.t.Helper()
	if got := string(p.on(handle, method, params)); got != want {
		p.t.Errorf("%s{%s} = %s, want %s", method, params, got, want)
	}
}

// keptTests are of the methods about what a session keeps beside its entries.
func keptTests() map[string]func(p *pair) {
	artifacts := func(p *pair) {
		h := p.omp()
		dir := unquoted(p.on(h, "getArtifactsDir", ""))
		p.says(h, "getArtifacts", "", "[]")
		p.says(h, "saveArtifact", `"content":"all of it","toolType":"bash"`, `"0"`)
		path := filepath.Join(dir, "0.bash.log")
		p.says(h, "getArtifactPath", `"id":"0"`, quoted(path))
		if data, err := os.ReadFile(path); err != nil || string(data) != "all of it" {
			p.t.Errorf("kept %q, %v", data, err)
		}
		made := p.on(h, "allocateArtifactPath", `"toolType":"read"`)
		next := filepath.Join(dir, "1.read.log")
		if string(made) != `{"id":"1","path":`+quoted(next)+`}` {
			p.t.Errorf("made %s", made)
		}
		p.says(h, "getArtifacts", "", `[{"id":"0","path":`+quoted(path)+`,"size":9},{"id":"1","path":`+quoted(next)+`,"size":0}]`)
		p.says(h, "getArtifactPath", `"id":"2"`, "null")
		p.says(h, "getArtifactPath", `"id":"x"`, "null")
		mem := p.open("inMemory", `{}`)
		p.says(mem, "getArtifactsDir", "", "null")
		p.says(mem, "saveArtifact", `"content":"x","toolType":"bash"`, "null")
		p.says(mem, "allocateArtifactPath", `"toolType":"bash"`, "null")
	}
	blobs := func(p *pair) {
		h := p.omp()
		ref := p.on(h, "putBlob", `"data":"aGVsbG8="`)
		p.says(h, "getBlob", `"ref":`+string(ref), `"aGVsbG8="`)
		p.refused(-32602, "putBlob", onHandle(h, `"data":"?"`))
		p.refused(-32001, "getBlob", onHandle(h, `"ref":"blob:sha256:`+strings.Repeat("0", 64)+`"`))
	}
	typed := func(p *pair) {
		h := p.omp()
		p.says(h, "consumeDraft", "", "null")
		p.says(h, "saveDraft", `"text":"half"`, "null")
		p.says(h, "consumeDraft", "", `"half"`)
		p.says(h, "consumeDraft", "", "null")
	}
	directories := func(p *pair) {
		h := p.omp()
		p.says(h, "addWorkspaceDirectory", `"directory":"more"`, `"/w/more"`)
		p.says(h, "addWorkspaceDirectory", `"directory":"/w/more"`, "null")
		fault := p.refused(-32603, "addWorkspaceDirectory", onHandle(h, `"directory":"/w"`))
		if text, _ := jsonedit.Text(fault, "message"); text != "The current working directory is already the primary workspace root." {
			p.t.Errorf("message %q", text)
		}
		p.says(h, "setAdditionalDirectories", `"directories":["/a","b"]`, "null")
		p.says(h, "getAdditionalDirectories", "", `["/a","/w/b"]`)
		p.says(h, "removeWorkspaceDirectory", `"directory":"b"`, `"/w/b"`)
		p.says(h, "removeWorkspaceDirectory", `"directory":"b"`, "null")
		if head := fileLines(p.t, unquoted(p.on(h, "getSessionFile", "")))[0]; !strings.Contains(head, `"additionalDirectories":["/a"]`) {
			p.t.Errorf("header %s", head)
		}
	}
	return map[string]func(p *pair){
		"getArtifactsDir": artifacts, "getArtifacts": artifacts, "getArtifactPath": artifacts, "allocateArtifactPath": artifacts, "saveArtifact": artifacts,
		"putBlob": blobs, "getBlob": blobs, "saveDraft": typed, "consumeDraft": typed,
		"getAdditionalDirectories": directories, "addWorkspaceDirectory": directories, "removeWorkspaceDirectory": directories, "setAdditionalDirectories": directories,
		"discardEntryDurably": func(p *pair) {
			h := p.omp()
			first := p.on(h, "appendMessage", `"message":{"role":"user","content":"q"}`)
			second := p.on(h, "appendMessage", `"message":{"role":"user","content":"by mistake"}`)
			p.says(h, "discardEntryDurably", `"entryId":`+string(second), "null")
			leaf := p.on(h, "getLeafEntry", "")
			if parent, _ := jsonedit.Get(leaf, "parentId"); string(parent) != string(first) || !strings.Contains(string(leaf), `"discarded-entry-branch"`) {
				p.t.Errorf("leaf %s", leaf)
			}
		},
	}
}

// seekTests are of the methods that find something without opening it.
func seekTests() map[string]func(p *pair) {
	home := func(p *pair) string {
		return p.write(".cambium/agent/sessions/--w-one--/2026-02-16T10-20-30-000Z_0badc0de00000001.jsonl", sample)
	}
	return map[string]func(p *pair){
		"search": func(p *pair) {
			path := home(p)
			got := p.call("search", `{"query":"other"}`)
			if id, _ := jsonedit.Text(first(got), "entryId"); jsonedit.Len(got) != 1 || id != "u3" || !strings.Contains(string(got), quoted(path)) {
				p.t.Errorf("found %s", got)
			}
			if got := p.call("search", `{"query":"two","cwd":"/w/two"}`); string(got) != "[]" {
				p.t.Errorf("elsewhere %s", got)
			}
			if got := p.call("search", `{"query":"re:.","limit":2,"perSession":0}`); jsonedit.Len(got) != 2 {
				p.t.Errorf("limited %s", got)
			}
			p.refused(-32602, "search", `{"query":"re:("}`)
		},
		"usage.sum": func(p *pair) {
			home(p)
			total := func(params string) string {
				got := p.call("usage.sum", params)
				sum, _ := jsonedit.Get(got, "total")
				calls, _ := jsonedit.Get(sum, "calls")
				cost, _ := jsonedit.Get(sum, "cost")
				return string(calls) + " " + string(cost)
			}
			for params, want := range map[string]string{
				`{}`: "2 0.750000", `{"by":["model","hour"],"timeZone":"Asia/Tokyo"}`: "2 0.750000", `{"agent":"pi"}`: "0 0.000000",
				`{"from":"2026-02-16T10:21:05Z"}`: "1 0.500000", `{"until":"2026-02-16T10:21:05.000Z","active":true}`: "1 0.250000",
				`{"project":"ONE","model":"p/m"}`: "2 0.750000", `{"project":"nobody"}`: "0 0.000000",
			} {
				if got := total(params); got != want {
					p.t.Errorf("%s: %s, want %s", params, got, want)
				}
			}
			if got := p.call("usage.sum", `{"by":["day","agent"],"timeZone":"UTC"}`); !strings.Contains(string(got), `{"group":{"day":"2026-02-16","agent":"cambium"},"calls":2,"answers":2,"input":15,"output":3,`) {
				p.t.Errorf("by day and agent: %s", got)
			}
			for _, params := range []string{`{"by":["luck"]}`, `{"from":"soon"}`, `{"timeZone":"Mars"}`} {
				p.refused(-32602, "usage.sum", params)
			}
		},
		"resolve": func(p *pair) {
			path := home(p)
			for _, arg := range []string{"0badc0de", "First", path} {
				got := p.call("resolve", `{"session":`+quoted(arg)+`}`)
				if found, _ := jsonedit.Text(got, "path"); found != path {
					p.t.Errorf("%s is %s", arg, got)
				}
			}
			p.refused(-32001, "resolve", `{"session":"nobody"}`)
		},
		"findById": func(p *pair) {
			path := home(p)
			for params, want := range map[string]string{
				`{"cwd":"/w/one","id":"0badc0de00000001"}`: quoted(path), `{"cwd":"/w/one","id":"0badc0de"}`: "null",
				`{"cwd":"/w/two","id":"0badc0de00000001"}`: "null",
			} {
				if got := p.call("findById", params); string(got) != want {
					p.t.Errorf("%s: %s", params, got)
				}
			}
		},
		"peekSessionInit": func(p *pair) {
			params := `{"path":` + quoted(p.path) + `}`
			if got := p.call("peekSessionInit", params); string(got) != `{"cwd":"/w/one","init":null}` {
				p.t.Errorf("peeked %s", got)
			}
			p.on(p.handle, "appendSessionInit", `"systemPrompt":"s","task":"t","tools":["x"]`)
			if got := p.call("peekSessionInit", params); string(got) != `{"cwd":"/w/one","init":{"systemPrompt":"s","task":"t","tools":["x"]}}` {
				p.t.Errorf("peeked %s", got)
			}
			if got := p.call("peekSessionInit", `{"path":`+quoted(p.write("none.jsonl", "text\n"))+`}`); string(got) != "null" {
				p.t.Errorf("peeked %s", got)
			}
			if got := p.call("peekSessionInit", `{"path":`+quoted(filepath.Join(p.home, "missing.jsonl"))+`}`); string(got) != "null" {
				p.t.Errorf("peeked %s", got)
			}
		},
		"getDefaultSessionDir": func(p *pair) {
			for agent, want := range map[string]string{"pi": ".pi/agent/sessions/--w-new--", "cambium": ".cambium/agent/sessions/--w-new--"} {
				if got := unquoted(p.call("getDefaultSessionDir", `{"cwd":"/w/new","agent":`+quoted(agent)+`}`)); got != filepath.Join(p.home, want) {
					p.t.Errorf("%s keeps it in %q", agent, got)
				}
			}
		},
		"createEmptySessionFile": func(p *pair) {
			path := unquoted(p.call("createEmptySessionFile", `{"cwd":"/w/new","agent":"omp"}`))
			if n := len(fileLines(p.t, path)); n != 1 || !strings.HasPrefix(path, filepath.Join(p.home, ".omp")) {
				p.t.Errorf("%q has %d lines", path, n)
			}
			p.says(p.handle, "setSessionFile", `"path":`+quoted(path), "null")
			p.says(p.handle, "getCwd", "", `"/w/new"`)
		},
	}
}

// tendTests are of the methods that look after sessions.
func tendTests() map[string]func(p *pair) {
	undone := func(p *pair) {
		p.on(p.handle, "close", "")
		dropped := p.call("dropSession", `{"path":`+quoted(p.path)+`}`)
		if _, err := os.Stat(p.path); err == nil {
			p.t.Error("still there")
		}
		if got := p.call("listOperations", `{}`); string(got) != "["+string(dropped)+"]" {
			p.t.Errorf("operations %s, dropped %s", got, dropped)
		}
		id, _ := jsonedit.Get(dropped, "undoId")
		got := p.call("undo", `{"id":`+string(id)+`}`)
		if path, _ := jsonedit.Text(got, "path"); path != p.path {
			p.t.Errorf("undone %s", got)
		}
		sameFile(p.t, p.path, p.lib.Path())
		p.refused(-32001, "undo", `{}`)
		if got := p.call("dropSession", `{"path":`+quoted(p.path+"x.jsonl")+`}`); string(got) != "null" {
			p.t.Errorf("nothing dropped: %s", got)
		}
	}
	compacted := func(p *pair) {
		for range 3 {
			p.on(p.handle, "appendMessage", `"message":{"role":"user","content":"q"}`)
			p.on(p.handle, "appendMessage", `"message":{"role":"assistant","content":[{"type":"text","text":"r"}]}`)
		}
		plan := p.on(p.handle, "prepareCompaction", `"keepRecentTokens":1`)
		kept, _ := jsonedit.Get(plan, "firstKeptEntryId")
		e := p.on(p.handle, "compact", `"summary":"so far","keepRecentTokens":1,"stored":true`)
		if got, _ := jsonedit.Get(e, "firstKeptEntryId"); string(got) != string(kept) || !strings.Contains(string(e), "so far") {
			p.t.Errorf("compacted %s, planned %s", e, plan)
		}
		p.says(p.handle, "prepareCompaction", "", "null")
		p.refused(-32005, "compact", onHandle(p.handle, `"summary":"again"`))
	}
	return map[string]func(p *pair){
		"dropSession": undone, "undo": undone, "listOperations": undone, "prepareCompaction": compacted, "compact": compacted,
		"listDrafts": func(p *pair) {
			h := p.open("create", `{"cwd":"/w"}`)
			p.on(h, "appendMessage", `"message":{"role":"user","content":"q"}`)
			got := p.call("listDrafts", `{}`)
			id, _ := jsonedit.Get(first(got), "id")
			if jsonedit.Len(got) != 1 || string(id) != string(p.on(h, "getSessionId", "")) {
				p.t.Errorf("drafts %s", got)
			}
		},
		"doctor": func(p *pair) {
			torn := p.write("torn.jsonl", sample+`{"type":"message","id":"t1","par`)
			params := `{"path":` + quoted(torn)
			got := p.call("doctor", params+`}`)
			if kind, _ := jsonedit.Text(first(got), "kind"); kind != "torn" {
				p.t.Errorf("found %s", got)
			}
			fixed := p.call("doctor", params+`,"fix":true}`)
			if done, _ := jsonedit.Get(first(fixed), "fixed"); string(done) != "true" {
				p.t.Errorf("fixed %s", fixed)
			}
			if again := p.call("doctor", params+`}`); strings.Contains(string(again), `"torn"`) {
				p.t.Errorf("again %s", again)
			}
		},
		"convert": func(p *pair) {
			path := filepath.Join(p.home, "as-pi.jsonl")
			got := p.on(p.handle, "convert", `"to":"pi","path":`+quoted(path))
			if to, _ := jsonedit.Path(got, "report", "to"); unquoted(to) != "pi" {
				p.t.Errorf("converted %s", got)
			}
			h := p.open("open", `{"readOnly":true,"path":`+quoted(path)+`}`)
			if n := jsonedit.Len(p.on(h, "getEntries", "")); n < 10 {
				p.t.Errorf("%d entries", n)
			}
		},
	}
}

// TestFollowed: who follows a session is told the entries that others append.
func TestFollowed(t *testing.T) {
	c := start(t, "CAMBIUM_RPC_TEST_POLL=1")
	path := c.write("s.jsonl", sample)
	c.open("follow", `{"path":`+quoted(path)+`}`)
	const line = `{"type":"custom","customType":"theirs","id":"theirs01","parentId":"a3","timestamp":"2026-02-16T11:00:00.000Z"}`
	appendTo(t, path, line)
	for {
		m := c.read()
		if kind, _ := jsonedit.Path(m, "params", "kind"); unquoted(kind) != "appended" {
			continue
		}
		entries, _ := jsonedit.Path(m, "params", "entries")
		if string(entries) != "["+line+"]" {
			t.Errorf("told %s", m)
		}
		return
	}
}
