package rpc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

func openTests() map[string]func(p *pair) {
	return map[string]func(p *pair){
		"create":         testCreate,
		"open":           testOpen,
		"continueRecent": testContinueRecent,
		"inMemory":       testInMemory,
		"follow": func(p *pair) {
			h := p.open("follow", `{"path":`+quoted(p.path)+`}`)
			p.refused(-32005, "appendCustomEntry", onHandle(h, `"customType":"x"`))
		},
		"forkFrom":              testForkFrom,
		"list":                  testList,
		"listAll":               testListAll,
		"getRecentSessions":     testRecent,
		"findMostRecentSession": testMostRecent,
	}
}

func testCreate(p *pair) {
	h := p.open("create", `{"cwd":"/w/new","id":"chosen-1","agent":"xcsh"}`)
	path := unquoted(p.on(h, "getSessionFile", ""))
	if !strings.HasPrefix(path, filepath.Join(p.home, ".xcsh/agent/sessions")+"/") || !strings.HasSuffix(path, "_chosen-1.jsonl") {
		p.t.Errorf("path %q", path)
	}
	if _, err := os.Stat(path); err == nil {
		p.t.Error("written before the first answer")
	}
	p.on(h, "appendMessage", `"message":{"role":"user","content":"q"}`)
	p.on(h, "appendMessage", `"message":{"role":"assistant","content":[]}`)
	o := p.options()
	o.ReadOnly = true
	s, err := session.Open(p.t.Context(), path, o)
	if err != nil {
		p.t.Fatal(err)
	}
	if s.Len() != 2 || s.CWD() != "/w/new" || s.ID() != "chosen-1" || s.Dialect() != "xcsh" {
		p.t.Errorf("the library sees %d entries, %q, %q, %q", s.Len(), s.CWD(), s.ID(), s.Dialect())
	}
	dir := filepath.Join(p.home, "flat")
	h = p.open("create", `{"cwd":"/w/new","sessionDir":`+quoted(dir)+`}`)
	if got := filepath.Dir(unquoted(p.on(h, "getSessionFile", ""))); got != dir {
		p.t.Errorf("made in %q, want %q", got, dir)
	}
	p.refused(-32602, "create", `{"cwd":"/w","agent":"emacs"}`)
	p.refused(-32602, "create", `{"cwd":"/w","id":"../x"}`)
}

func testOpen(p *pair) {
	before, err := os.ReadFile(p.path)
	if err != nil {
		p.t.Fatal(err)
	}
	h := p.open("open", `{"readOnly":true,"path":`+quoted(p.path)+`}`)
	p.refused(-32005, "appendMessage", onHandle(h, `"message":{"role":"user","content":"q"}`))
	if after, _ := os.ReadFile(p.path); string(after) != string(before) {
		p.t.Error("opening to read changed the file")
	}
	missing := filepath.Join(p.home, "new/s.jsonl")
	p.refused(-32001, "open", `{"readOnly":true,"path":`+quoted(missing)+`}`)
	h = p.open("open", `{"path":`+quoted(missing)+`}`)
	if got := len(fileLines(p.t, missing)); got != 1 {
		p.t.Errorf("a missing file became one of %d lines", got)
	}
	p.on(h, "close", "")

	text := p.write("text.jsonl", "just text\n")
	p.refused(-32003, "open", `{"path":`+quoted(text)+`}`)
	if p.over != "http" { // there it is not the name of a session
		p.refused(-32003, "open", `{"path":`+quoted(p.home)+`}`)
	}
	h = p.open("open", `{"reinitialize":true,"path":`+quoted(text)+`}`)
	if got := unquoted(p.on(h, "getSessionFile", "")); got != text {
		p.t.Errorf("reinitialized %q", got)
	}
	newer := p.write("newer.jsonl", `{"type":"session","version":4,"id":"n","timestamp":"2026-02-16T10:20:30.000Z","cwd":"/w"}`+"\n")
	h = p.open("open", `{"path":`+quoted(newer)+`}`)
	p.refused(-32005, "appendCustomEntry", onHandle(h, `"customType":"x"`))
	p.on(h, "close", "")

	// By id, as on the command line.
	inHome := p.write(".cambium/agent/sessions/--w--/2026-02-16T10-20-30-000Z_0badc0de00000001.jsonl", sample)
	h = p.open("open", `{"path":"0BADC0DE"}`)
	if got := unquoted(p.on(h, "getSessionFile", "")); got != inHome {
		p.t.Errorf("opened %q by id", got)
	}
	fault := p.refused(-32001, "open", `{"path":"nobody"}`)
	if got, _ := jsonedit.Text(fault, "message"); got != `Session "nobody" not found.` {
		p.t.Errorf("message %q", got)
	}
	other := strings.ReplaceAll(sample, "0badc0de00000001", "0badc0de00000002")
	p.write(".cambium/agent/sessions/--w--/2026-02-16T10-20-30-000Z_0badc0de00000002.jsonl", other)
	fault = p.refused(-32002, "open", `{"path":"0badc0de"}`)
	if candidates, _ := jsonedit.Path(fault, "data", "candidates"); jsonedit.Len(candidates) != 2 {
		p.t.Errorf("candidates %s", candidates)
	}
}

func testContinueRecent(p *pair) {
	p.open("open", `{"path":`+quoted(p.path)+`}`)
	h := p.open("continueRecent", `{"cwd":"/w/one"}`)
	if got := unquoted(p.on(h, "getSessionFile", "")); got != p.path {
		p.t.Errorf("continued %q, want what was opened last", got)
	}
	h = p.open("continueRecent", `{"cwd":"/w/none"}`)
	if got := p.on(h, "getEntries", ""); string(got) != "[]" {
		p.t.Errorf("nothing to continue, and yet %s", got)
	}
	older := p.write(".cambium/agent/sessions/--w-one--/1_old.jsonl", sample)
	newer := p.write(".cambium/agent/sessions/--w-one--/2_new.jsonl", sample)
	elsewhere := p.write(".cambium/agent/sessions/--w-one--/3_other.jsonl", strings.Replace(sample, "/w/one", "/w/two", 1))
	for i, path := range []string{older, newer, elsewhere} {
		at := fixedClock()().AddDate(0, 0, i)
		if err := os.Chtimes(path, at, at); err != nil {
			p.t.Fatal(err)
		}
	}
	h = p.open("continueRecent", `{"cwd":"/w/one"}`)
	if got := unquoted(p.on(h, "getSessionFile", "")); got != newer {
		p.t.Errorf("continued %q, want the newest of the directory", got)
	}
	p.write(".cambium/agent/terminal-sessions/tmux-%7", "/w/one\n"+older+"\n")
	h = p.open("continueRecent", `{"cwd":"/w/one"}`)
	if got := unquoted(p.on(h, "getSessionFile", "")); got != older {
		p.t.Errorf("continued %q, want what the terminal used last", got)
	}
	flat := p.write("flat/s.jsonl", sample)
	p.write(".cambium/agent/terminal-sessions/tmux-%7", "/w/two\n"+older+"\n")
	h = p.open("continueRecent", `{"cwd":"/w/one","sessionDir":`+quoted(filepath.Dir(flat))+`}`)
	if got := unquoted(p.on(h, "getSessionFile", "")); got != flat {
		p.t.Errorf("continued %q, want that of the named directory", got)
	}
}

func testInMemory(p *pair) {
	h := p.open("inMemory", `{"cwd":"/w/mem"}`)
	p.on(h, "appendMessage", `"message":{"role":"assistant","content":[]}`)
	for method, want := range map[string]string{
		"getSessionFile": "null", "getSessionDir": `""`, "getCwd": `"/w/mem"`, "isPersisted": "false", "fork": "null", "newSession": "null",
	} {
		if got := p.on(h, method, ""); string(got) != want {
			p.t.Errorf("%s = %s, want %s", method, got, want)
		}
	}
	h = p.open("inMemory", `{}`)
	if got := unquoted(p.on(h, "getCwd", "")); got != filepath.Join(p.home, "work") {
		p.t.Errorf("working directory %q", got)
	}
}

func testForkFrom(p *pair) {
	h := p.open("forkFrom", `{"targetCwd":"/w/two","sessionDir":`+quoted(filepath.Join(p.home, "flat"))+`,"sourcePath":`+quoted(p.path)+`}`)
	path := unquoted(p.on(h, "getSessionFile", ""))
	o := p.options()
	o.Dir = filepath.Join(p.home, "flat2")
	s, err := session.ForkFrom(p.t.Context(), p.lib.Path(), "/w/two", o)
	if err != nil {
		p.t.Fatal(err)
	}
	sameFile(p.t, path, s.Path())
	head, want := entry.JSON(fileLines(p.t, path)[0]), s.Header()
	if cwd, _ := jsonedit.Text(head, "cwd"); cwd != want.CWD || filepath.Dir(path) != filepath.Join(p.home, "flat") {
		p.t.Errorf("fork %q has header %s", path, head)
	}
	if parent, _ := jsonedit.Text(head, "parentSession"); parent != want.ParentSession {
		p.t.Errorf("parent %q, the library says %q", parent, want.ParentSession)
	}
	missing := filepath.Join(p.home, "gone.jsonl")
	fault := p.refused(-32001, "forkFrom", `{"targetCwd":"/w","sourcePath":`+quoted(missing)+`}`)
	if got, _ := jsonedit.Text(fault, "message"); got != "Cannot fork: source session file is empty or invalid: "+missing {
		p.t.Errorf("message %q", got)
	}
}

// listed checks a list against the library's.
func listed(p *pair, got entry.JSON, want []catalog.Info) {
	p.t.Helper()
	if jsonedit.Len(got) != len(want) {
		p.t.Fatalf("%d sessions, the library has %d: %s", jsonedit.Len(got), len(want), got)
	}
	n := 0
	for v := range jsonedit.Elements(got) {
		w := want[n]
		n++
		var o jsonedit.Object
		o.String("path", w.Path).String("id", w.ID).String("agent", string(w.Agent)).String("cwd", w.CWD)
		o.String("title", w.Title)
		o.String("created", jsonedit.FormatTime(w.Created.UnixMilli())).String("modified", jsonedit.FormatTime(w.Modified.UnixMilli()))
		o.Int("messageCount", int64(w.Messages)).String("firstMessage", w.FirstMessage).String("allMessagesText", w.Text)
		o.Int("size", w.Size).String("status", string(w.Status))
		if u := w.Usage; u.Messages > 0 {
			o.Add("usage", entry.JSON(fmt.Sprintf(`{"input":%v,"output":%v,"cacheRead":%v,"cacheWrite":%v,"premiumRequests":%v,"cost":%v}`,
				u.Input, u.Output, u.CacheRead, u.CacheWrite, u.PremiumRequests, u.Cost)))
		}
		if diff := cmp.Diff(string(o.Value()), string(v)); diff != "" {
			p.t.Errorf("session %d (-library +server):\n%s", n, diff)
		}
	}
}

func testList(p *pair) {
	p.write(".cambium/agent/sessions/--w-one--/1_a.jsonl", sample)
	p.write(".cambium/agent/sessions/--w-one--/2_b.jsonl", strings.Replace(sample, "/w/one", "/w/two", 1))
	p.write(".pi/agent/sessions/--w-one--/3_c.jsonl", sample)
	p.write(".cambium/agent/sessions/--w-one--/4_d.jsonl", strings.SplitAfter(sample, "\n")[0])
	want := find(p, catalog.Options{CWD: "/w/one", Text: true})
	if len(want) != 2 {
		p.t.Fatalf("the library lists %d", len(want))
	}
	listed(p, p.call("list", `{"cwd":"/w/one"}`), want)
	if last := string(p.told[len(p.told)-1]); !strings.Contains(last, `"method":"$/progress"`) {
		p.t.Errorf("no progress: %s", p.told)
	}
	dir := filepath.Dir(p.path)
	listed(p, p.call("list", `{"cwd":"/w/one","sessionDir":`+quoted(dir)+`}`), find(p, catalog.Options{CWD: "/w/one", SessionDir: dir, Text: true}))
	if got := p.call("list", `{"cwd":"/w/one","sessionDir":"/nowhere"}`); string(got) != "[]" {
		p.t.Errorf("a directory that is not there: %s", got)
	}
}

func testListAll(p *pair) {
	p.write(".cambium/agent/sessions/--w-one--/1_a.jsonl", sample)
	p.write(".omp/agent/sessions/-w-two/2_b.jsonl", strings.Replace(sample, "/w/one", "/w/two", 1))
	want := find(p, catalog.Options{Text: true})
	if len(want) != 2 {
		p.t.Fatalf("the library lists %d", len(want))
	}
	listed(p, p.call("listAll", `{}`), want)
	dir := filepath.Dir(p.path)
	listed(p, p.call("listAll", `{"sessionDir":`+quoted(dir)+`}`), find(p, catalog.Options{SessionDir: dir, Text: true}))
}

func testRecent(p *pair) {
	now := fixedClock()()
	for name, minutes := range map[string]int{"a": 0, "b": -90, "c": -60 * 24 * 3, "d": -60 * 24 * 9} {
		text := strings.Replace(sample, `"title":"First",`, "", 1)
		if name == "b" {
			text = strings.Replace(sample, `"First"`, `"A title\u0007 that is longer than forty characters, by far\nand more"`, 1)
		}
		path := p.write("flat/"+name+".jsonl", text)
		at := now.Add(time.Duration(minutes)*time.Minute - 30*time.Second)
		if err := os.Chtimes(path, at, at); err != nil {
			p.t.Fatal(err)
		}
	}
	c := startOver(p.t, p.over, "CAMBIUM_RPC_TEST_FIXED=1")
	dir := quoted(filepath.Join(p.home, "flat"))
	var got []string
	for v := range jsonedit.Elements(c.call("getRecentSessions", `{"sessionDir":`+dir+`,"limit":9}`)) {
		path, _ := jsonedit.Text(v, "path")
		name, _ := jsonedit.Text(v, "name")
		ago, _ := jsonedit.Text(v, "timeAgo")
		mtime, _ := jsonedit.Text(v, "mtime")
		if _, ok := jsonedit.ParseTime(mtime); !ok {
			p.t.Errorf("mtime %q", mtime)
		}
		got = append(got, filepath.Base(path)+"|"+name+"|"+ago)
	}
	want := []string{
		"a.jsonl|one \ufffd <&>|just now", "b.jsonl|A title that is longer than forty chara…|1h ago",
		"c.jsonl|one \ufffd <&>|3d ago", "d.jsonl|one \ufffd <&>|2025-05-23",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Errorf("recent sessions (-want +got):\n%s", diff)
	}
	for limit, n := range map[string]int{``: 3, `,"limit":0`: 0, `,"limit":1`: 1, `,"limit":null`: 3} {
		if all := c.call("getRecentSessions", `{"sessionDir":`+dir+limit+`}`); jsonedit.Len(all) != n {
			p.t.Errorf("with %q %d sessions, want %d", limit, jsonedit.Len(all), n)
		}
	}
	c.refused(-32602, "getRecentSessions", `{"sessionDir":`+dir+`,"limit":-1}`)
	if got := c.call("getRecentSessions", `{"sessionDir":"/nowhere"}`); string(got) != "[]" {
		p.t.Errorf("a directory that is not there: %s", got)
	}
}

func testMostRecent(p *pair) {
	if got := unquoted(p.call("findMostRecentSession", `{"sessionDir":`+quoted(filepath.Dir(p.path))+`}`)); got != p.path {
		p.t.Errorf("most recent %q", got)
	}
	for _, dir := range []string{"/nowhere", filepath.Join(p.home, "work")} {
		if got := p.call("findMostRecentSession", `{"sessionDir":`+quoted(dir)+`}`); string(got) != "null" {
			p.t.Errorf("most recent of %q: %s", dir, got)
		}
	}
}

func wholeTests() map[string]func(p *pair) {
	return map[string]func(p *pair){
		"ensureOnDisk": func(p *pair) {
			h := p.open("create", `{"cwd":"/w"}`)
			p.says(h, "isSessionOnDisk", "", "false")
			path := unquoted(p.on(h, "ensureOnDisk", ""))
			if n := len(fileLines(p.t, path)); n != 1 {
				p.t.Errorf("%d lines", n)
			}
			p.says(h, "isSessionOnDisk", "", "true")
			if got := p.on(p.open("inMemory", `{}`), "ensureOnDisk", ""); string(got) != "null" {
				p.t.Errorf("in memory %s", got)
			}
		},
		"newSession": func(p *pair) {
			path := unquoted(p.on(p.handle, "newSession", `"parentSession":"anything"`))
			if filepath.Dir(path) != filepath.Dir(p.path) || path == p.path {
				p.t.Errorf("new session %q", path)
			}
			p.on(p.handle, "appendMessage", `"message":{"role":"assistant","content":[]}`)
			if got, _ := jsonedit.Text(entry.JSON(fileLines(p.t, path)[0]), "parentSession"); got != "anything" {
				p.t.Errorf("parent %q", got)
			}
		},
		"setSessionFile": func(p *pair) {
			p.same("setSessionFile", `"path":`+quoted(p.lib.Path()), null, nil)
			p.same("getSessionFile", "", jsonedit.Quoted(p.lib.Path()), nil)
			p.refused(-32003, "setSessionFile", onHandle(p.handle, `"path":`+quoted(p.write("x.jsonl", "text\n"))))
			p.same("getSessionFile", "", jsonedit.Quoted(p.lib.Path()), nil)
		},
		"setSessionName": func(p *pair) {
			p.same("setSessionName", `"name":" New \u0007 name","source":"user"`, entry.JSON("true"), nil)
			if ok, err := p.lib.Rename(p.t.Context(), " New \a name", session.Title{Source: "user"}); !ok || err != nil {
				p.t.Fatal(ok, err)
			}
			when := regexp.MustCompile(`"at":"[^"]*"`)
			if got, want := fileLines(p.t, p.path), fileLines(p.t, p.lib.Path()); when.ReplaceAllString(got[0], "") != when.ReplaceAllString(want[0], "") {
				p.t.Errorf("header\n got %s\nwant %s", got[0], want[0])
			}
			p.same("getHeader", "", entry.JSON(fileLines(p.t, p.path)[0]), nil)
			p.same("setSessionName", `"name":"auto","source":"auto"`, entry.JSON("false"), nil)
			p.same("setSessionName", `"name":" "`, entry.JSON("false"), nil)
			p.refused(-32602, "setSessionName", onHandle(p.handle, `"name":"x","source":"cat"`))
		},
		"branch": func(p *pair) {
			p.same("branch", `"id":"u2"`, null, nil)
			if err := p.lib.MoveLeaf("u2"); err != nil {
				p.t.Fatal(err)
			}
			p.appended("appendMessage", `"message":{"role":"user","content":"q"}`, &entry.MessageBody{Message: entry.JSON(`{"role":"user","content":"q"}`)})
			fault := p.refused(-32001, "branch", onHandle(p.handle, `"id":"gone"`))
			if got, _ := jsonedit.Text(fault, "message"); got != "Entry gone not found" {
				p.t.Errorf("message %q", got)
			}
			if id, _ := jsonedit.Path(fault, "data", "id"); unquoted(id) != "gone" {
				p.t.Errorf("data of %s", fault)
			}
		},
		"resetLeaf": func(p *pair) {
			p.same("resetLeaf", "", null, nil)
			p.lib.ResetLeaf()
			p.appended("appendCustomEntry", `"customType":"e"`, &entry.CustomBody{CustomType: "e"})
		},
		"branchWithSummary": func(p *pair) {
			target, no := "u2", false
			p.wrote("branchWithSummary", `"id":"u2","summary":"s","details":{"k":1.0},"fromExtension":false`, func() (entry.ID, error) {
				return p.lib.BranchWithSummary(p.t.Context(), session.BranchSummary{
					Target: &target, Summary: "s", Details: entry.JSON(`{"k":1.0}`), FromExtension: &no,
				})
			})
			p.wrote("branchWithSummary", `"id":null,"summary":"s"`, func() (entry.ID, error) {
				return p.lib.BranchWithSummary(p.t.Context(), session.BranchSummary{Summary: "s"})
			})
			p.refused(-32001, "branchWithSummary", onHandle(p.handle, `"id":"gone","summary":"s"`))
		},
		"createBranchedSession": func(p *pair) {
			path := unquoted(p.on(p.handle, "createBranchedSession", `"leafId":"u2"`))
			lib, err := p.lib.SaveBranch(p.t.Context(), "u2")
			if err != nil {
				p.t.Fatal(err)
			}
			got, want := fileLines(p.t, path), fileLines(p.t, lib)
			last := len(want) - 1 // the label, given anew
			if diff := cmp.Diff(want[1:last], got[1:last]); diff != "" || len(got) != len(want) {
				p.t.Errorf("branch (-library +server):\n%s", diff)
			}
			p.refused(-32001, "createBranchedSession", onHandle(p.handle, `"leafId":"gone"`))
		},
		"fork": func(p *pair) {
			got := p.on(p.handle, "fork", "")
			old, _ := jsonedit.Text(got, "oldSessionFile")
			now, _ := jsonedit.Text(got, "newSessionFile")
			_, lib, err := p.lib.Fork(p.t.Context())
			if err != nil || old != p.path {
				p.t.Fatalf("fork %s, %v", got, err)
			}
			sameFile(p.t, now, lib)
			p.same("getSessionFile", "", jsonedit.Quoted(now), nil)
		},
		"moveTo": func(p *pair) {
			p.same("moveTo", `"cwd":"/w/moved"`, null, nil)
			if err := p.lib.Move(p.t.Context(), "/w/moved"); err == nil {
				p.t.Fatal("two sessions of one name in one place")
			}
			path := unquoted(p.on(p.handle, "getSessionFile", ""))
			if cwd, _ := jsonedit.Text(entry.JSON(fileLines(p.t, path)[0]), "cwd"); cwd != "/w/moved" || path == p.path {
				p.t.Errorf("moved to %q, cwd %q", path, cwd)
			}
			sameFile(p.t, path, p.lib.Path())
			p.same("getCwd", "", jsonedit.Quoted("/w/moved"), nil)
		},
		"captureState": func(p *pair) {
			p.same("captureState", "", entry.JSON(`{"path":`+quoted(p.path)+`,"sessionId":"0badc0de00000001","leafId":"a3","entries":10}`), nil)
		},
		"restoreState": testRestoreState,
		"rewriteEntries": func(p *pair) {
			const line = `{"type":"message","id":"u2","parentId":"t1","timestamp":"2026-02-16T10:21:04.000Z","message":{"role":"user","content":"TWO","timestamp":2}}`
			p.same("rewriteEntries", `"entries":[`+line+`]`, null, nil)
			err := p.lib.Rewrite(p.t.Context(), func(e entry.Entry) ([]byte, error) {
				if e.ID == "u2" {
					return []byte(line), nil
				}
				return nil, nil
			})
			if err != nil {
				p.t.Fatal(err)
			}
			sameFile(p.t, p.path, p.lib.Path())
			want, err := rawEntry(p.lib.Entry("u2"))
			p.same("getEntry", `"id":"u2"`, want, err)
			all := string(p.on(p.handle, "getEntries", ""))
			p.same("rewriteEntries", `"entries":`+all, null, nil)
			sameFile(p.t, p.path, p.lib.Path())
			p.refused(-32001, "rewriteEntries", onHandle(p.handle, `"entries":[{"type":"custom","id":"gone"}]`))
			p.refused(-32602, "rewriteEntries", onHandle(p.handle, `"entries":[{"type":"custom"}]`))
			p.refused(-32602, "rewriteEntries", onHandle(p.handle, `"entries":[7]`))
		},
		"flush": func(p *pair) {
			p.same("flush", "", null, nil)
			h := p.open("create", `{"cwd":"/w"}`)
			p.on(h, "appendMessage", `"message":{"role":"user","content":"q"}`)
			p.on(h, "flush", "")
			if _, err := os.Stat(unquoted(p.on(h, "getSessionFile", ""))); err == nil {
				p.t.Error("flush wrote a session that nobody answered in")
			}
		},
		"close": func(p *pair) {
			p.same("close", "", null, nil)
			fault := p.refused(-32007, "close", onHandle(p.handle, ""))
			if name, _ := jsonedit.Path(fault, "data", "handle"); string(name) != p.handle {
				p.t.Errorf("data of %s", fault)
			}
			if code := p.end(); code != 0 {
				p.t.Errorf("exit code %d", code)
			}
		},
	}
}

func testRestoreState(p *pair) {
	state := string(p.on(p.handle, "captureState", ""))
	p.on(p.handle, "branch", `"id":"u1"`)
	p.on(p.handle, "fork", "")
	p.same("restoreState", `"state":`+state, null, nil)
	p.same("captureState", "", entry.JSON(state), nil)

	// A session without a file is remembered by the handle.
	h := p.open("inMemory", `{}`)
	p.on(h, "appendCustomEntry", `"customType":"one"`)
	first := string(p.on(h, "captureState", ""))
	p.on(h, "newSession", "")
	if got := p.on(h, "getEntries", ""); string(got) != "[]" {
		p.t.Errorf("a new session has %s", got)
	}
	p.on(h, "restoreState", `"state":`+first)
	if got := p.on(h, "getEntries", ""); jsonedit.Len(got) != 1 {
		p.t.Errorf("restored session has %s", got)
	}
	p.refused(-32001, "restoreState", onHandle(p.handle, `"state":`+first))
	p.refused(-32602, "restoreState", onHandle(h, `"state":{"sessionId":7,"leafId":null}`))
	p.refused(-32602, "restoreState", onHandle(h, `"state":{"sessionId":"x","leafId":null,"more":1}`))
	p.refused(-32001, "restoreState", onHandle(h, `"state":`+strings.Replace(first, `"leafId":"`, `"leafId":"x`, 1)))
}
