package serve_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/rpc"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/serve"
)

// reading are the methods that a token to read is for.
const reading = ` initialize rpc.discover open continueRecent list listAll getRecentSessions findMostRecentSession history.recent history.search
	isPersisted getCwd getSessionDir getSessionId getSessionFile getSessionName getHeader getLeafId getLeafEntry getEntry
	getEntries getChildren getLabel getBranch getTree getUsageStatistics
	buildSessionContext buildContextEntries getLatestCompactionEntry migrateSessionEntries parseSessionEntries convertToLlm
	getArtifactsDir getArtifacts getArtifactPath getBlob getAdditionalDirectories prepareCompaction
	isSessionOnDisk getDefaultSessionDir search resolve findById peekSessionInit usage.sum follow listOperations listDrafts
	branch resetLeaf captureState restoreState setSessionFile flush close `

// needed are values for the parameters that a method cannot do without, but for the
// handle.
func needed(method string) string {
	all, _ := jsonedit.Get(rpc.Document(""), "methods")
	var params []string
	for m := range jsonedit.Elements(all) {
		if name, _ := jsonedit.Text(m, "name"); name != method {
			continue
		}
		list, _ := jsonedit.Get(m, "params")
		for p := range jsonedit.Elements(list) {
			name, _ := jsonedit.Text(p, "name")
			required, _ := jsonedit.Get(p, "required")
			kind, _ := jsonedit.Path(p, "schema", "type")
			value, ok := map[string]string{
				`"string"`: `"/u1"`, `"integer"`: "1", `"boolean"`: "true", `"array"`: "[]", `"object"`: "{}", `["string","array"]`: `"/u1"`,
				`["string","null"]`: "null", "": "null",
			}[string(kind)]
			if enum, has := jsonedit.Path(p, "schema", "enum"); has {
				value = string(slices.Collect(jsonedit.Elements(enum))[0])
			}
			if string(required) == "true" && name != "handle" && name != "sourcePath" && ok {
				params = append(params, quoted(name)+":"+value)
			}
		}
	}
	return strings.Join(params, ",")
}

// onHandle reports whether a method needs a handle.
func onHandle(method string) bool {
	all, _ := jsonedit.Get(rpc.Document(""), "methods")
	for m := range jsonedit.Elements(all) {
		name, _ := jsonedit.Text(m, "name")
		params, _ := jsonedit.Get(m, "params")
		for p := range jsonedit.Elements(params) {
			if param, _ := jsonedit.Text(p, "name"); name == method && param == "handle" {
				required, _ := jsonedit.Get(p, "required")
				return string(required) == "true"
			}
		}
	}
	return false
}

// TestReadersWriteNothing calls every method with a token to read.
func TestReadersWriteNothing(t *testing.T) {
	x := start(t)
	path := x.session("1_a.jsonl")
	other := x.session("2_b.jsonl")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	opened := x.must(x.read, "", "open", `{"reinitialize":true,"path":`+quoted(path)+`}`)
	for _, signature := range rpc.Methods() {
		name, _, _ := strings.Cut(signature, "{")
		reads := strings.Contains(reading, " "+name+" ") || strings.Contains(reading, "\t"+name+" ") || strings.Contains(reading, " "+name+"\n")
		if rpc.Writes(name) == reads {
			t.Errorf("%s: writes %v", name, !reads)
		}
		if reads {
			continue
		}
		params := []string{needed(name)}
		if name == "forkFrom" {
			params = append(params, `"sourcePath":`+quoted(path))
		}
		if onHandle(name) {
			params = append(params, `"handle":"1"`)
		}
		r := x.call(x.read, opened.session(), name, "{"+strings.Trim(strings.Join(params, ","), ",")+"}")
		x.refused(r, http.StatusForbidden, "-32008")
		if scope, _ := jsonedit.Path(r.body, "error", "data", "scope"); string(scope) != `"write"` {
			t.Errorf("%s: %s", name, r.body)
		}
	}
	// In a batch it is an error of that call.
	r := x.ask("POST", "/rpc", x.read, "["+message("getLeafId", `{"handle":"1"}`)+","+message("append", `{"handle":"1","body":{}}`)+"]",
		"Cambium-Session", opened.session())
	if r.status != http.StatusOK || !strings.Contains(string(r.body), `"result":"a1"`) || !strings.Contains(string(r.body), "-32008") {
		t.Errorf("batch: %d %s", r.status, r.body)
	}
	x.must(x.read, opened.session(), "branch", `{"handle":"1","id":"u1"}`)
	x.must(x.read, opened.session(), "setSessionFile", `{"handle":"1","path":`+quoted(other)+`}`)
	x.must(x.read, opened.session(), "continueRecent", `{"cwd":"/w"}`)
	x.refused(x.call(x.read, opened.session(), "continueRecent", `{"cwd":"/w/none"}`), http.StatusOK, "-32001")
	x.refused(x.call(x.read, "", "open", pathParam(filepath.Join(x.sessions, "new.jsonl"))), http.StatusOK, "-32001")
	if err := x.ended(); err != nil {
		t.Error(err)
	}
	after, err := os.Stat(path)
	if err != nil || !after.ModTime().Equal(before.ModTime()) || strings.Join(x.lines(path), "\n")+"\n" != sample {
		t.Errorf("changed: %v, %v", after, err)
	}
	if files, _ := filepath.Glob(filepath.Join(x.sessions, "*", "*")); len(files) != 2 {
		t.Errorf("files %q", files)
	}
}

func TestTokensAtTheDoor(t *testing.T) {
	o, x := options(t)
	x.run(o)
	for _, token := range []string{"", "x", x.write + "x", strings.ToUpper(x.write)} {
		for _, path := range []string{"/events", "/metrics"} {
			if r := x.ask("GET", path, token); r.status != http.StatusUnauthorized || r.header.Get("WWW-Authenticate") == "" {
				t.Errorf("GET %s with %q: %d", path, token, r.status)
			}
		}
		x.refused(x.call(token, "", "listAll", "{}"), http.StatusUnauthorized, "-32008")
	}
	x.must(x.write, "", "listAll", "{}")

	// What is done to the file counts at once.
	late, err := serve.AddToken(t.Context(), o.Tokens, serve.Token{Name: "late", Scope: serve.Read}, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	x.must(late, "", "listAll", "{}")
	if err := serve.RemoveToken(t.Context(), o.Tokens, "late"); err != nil {
		t.Fatal(err)
	}
	x.refused(x.call(late, "", "listAll", "{}"), http.StatusUnauthorized, "-32008")
	x.must(x.write, "", "listAll", "{}")
	if err := os.WriteFile(o.Tokens+".new", []byte(`{"tokens":[]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(o.Tokens+".new", 0o644); err != nil { // others may read it
		t.Fatal(err)
	}
	if err := os.Rename(o.Tokens+".new", o.Tokens); err != nil {
		t.Fatal(err)
	}
	x.refused(x.call(x.write, "", "listAll", "{}"), http.StatusServiceUnavailable, "-32008")
	if r := x.ask("GET", "/readyz", ""); r.status != http.StatusServiceUnavailable {
		t.Errorf("ready without tokens: %d", r.status)
	}
	if r := x.ask("GET", "/healthz", ""); r.status != http.StatusOK {
		t.Errorf("alive: %d", r.status)
	}
}

// TestConnectionsBelongToTokens uses the id of a connection with another token.
func TestConnectionsBelongToTokens(t *testing.T) {
	x := start(t)
	h := x.must(x.write, "", "open", pathParam(x.session("1_a.jsonl")))
	if h.session() == "" {
		t.Fatal("no id")
	}
	x.must(x.write, h.session(), "getLeafId", `{"handle":"1"}`)
	x.refused(x.call(x.read, h.session(), "getLeafId", `{"handle":"1"}`), http.StatusNotFound, "-32007")
	x.refused(x.call(x.write, "nobody", "getLeafId", `{"handle":"1"}`), http.StatusNotFound, "-32007")
	if r := x.ask("DELETE", "/rpc", x.read, "Cambium-Session", h.session()); r.status != http.StatusNotFound {
		t.Errorf("ended another's connection: %d", r.status)
	}
	// Where nothing stays open there is no connection to come back to.
	if r := x.must(x.write, "", "listAll", "{}"); r.session() != "" {
		t.Errorf("connection %q", r.session())
	}
	if r := x.ask("DELETE", "/rpc", x.write, "Cambium-Session", h.session()); r.status != http.StatusNoContent {
		t.Errorf("ended: %d %s", r.status, r.body)
	}
	x.refused(x.call(x.write, h.session(), "getLeafId", `{"handle":"1"}`), http.StatusNotFound, "-32007")
	x.refused(x.ask("DELETE", "/rpc", x.write), http.StatusBadRequest, "-32600")
}

func TestTokensFile(t *testing.T) {
	path := filepath.Join(scratch.OwnDir(t), "dir", "tokens.json")
	var adding sync.WaitGroup
	for i := range 20 {
		adding.Go(func() {
			if _, err := serve.AddToken(t.Context(), path, serve.Token{Name: fmt.Sprint("n", i), Scope: serve.Read}, rand.Reader); err != nil {
				t.Error(err)
			}
		})
	}
	adding.Wait()
	secret, err := serve.AddToken(t.Context(), path, serve.Token{Name: "last", Scope: serve.Write, Created: time.Unix(1, 0)}, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if all, err := serve.Tokens(path); err != nil || len(all) != 21 || all[20].Scope != serve.Write || all[20].Created.Unix() != 1 {
		t.Errorf("%d tokens, %v", len(all), err)
	}
	data, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(data), secret) || strings.Contains(string(data), secret[8:]) || len(secret) < 40 {
		t.Errorf("%v, %q", err, secret)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	for _, bad := range []serve.Token{{Name: "last", Scope: serve.Read}, {Name: "", Scope: serve.Read}, {Name: "a b", Scope: serve.Read}, {Name: "x", Scope: "all"}} {
		if _, err := serve.AddToken(t.Context(), path, bad, rand.Reader); err == nil {
			t.Errorf("added %+v", bad)
		}
	}
	if err := serve.RemoveToken(t.Context(), path, "nobody"); !errors.Is(err, serve.ErrNoToken) {
		t.Errorf("removed nobody: %v", err)
	}
	if err := serve.RemoveToken(t.Context(), path, "n3"); err != nil {
		t.Error(err)
	}
	link := filepath.Join(scratch.OwnDir(t), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if all, err := serve.Tokens(link); err != nil || len(all) != 20 {
		t.Errorf("through a link: %d, %v", len(all), err)
	}
	for name, text := range map[string]string{"cut": string(data[:len(data)/2]), "no hash": `{"tokens":[{"name":"x","scope":"read"}]}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := serve.Tokens(path); !errors.Is(err, serve.ErrToken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := serve.Tokens(path); !errors.Is(err, serve.ErrToken) || !strings.Contains(err.Error(), "others can read it") {
		t.Errorf("readable by others: %v", err)
	}
	if err := errors.Join(os.Chmod(path, 0o600), os.Chmod(filepath.Dir(path), 0o770)); err != nil {
		t.Fatal(err)
	}
	if _, err := serve.Tokens(path); !errors.Is(err, serve.ErrToken) || !strings.Contains(err.Error(), "chmod go-w") {
		t.Errorf("in a directory of others: %v", err)
	}
	if _, err := serve.AddToken(t.Context(), path, serve.Token{Name: "more", Scope: serve.Read}, rand.Reader); !errors.Is(err, serve.ErrToken) {
		t.Errorf("added in a directory of others: %v", err)
	}
}

// TestTraversal names what lies outside of the homes, in every way there is.
func TestTraversal(t *testing.T) {
	o, x := options(t)
	root := filepath.Join(x.home, "shown")
	o.Roots = []string{root}
	x.run(o)
	inside := x.session("1_a.jsonl")
	shown := x.file(filepath.Join(root, "sub", "r.jsonl"), sample)
	outside := x.file(filepath.Join(x.home, "secret", "s.jsonl"), sample)
	for link, to := range map[string]string{
		"link.jsonl": outside, "nowhere.jsonl": filepath.Join(x.home, "secret", "made.jsonl"), "dir": filepath.Dir(outside),
		"notes.jsonl": x.file(filepath.Join(x.home, "secret", "notes.txt"), "text"),
	} {
		if err := os.Symlink(to, filepath.Join(x.sessions, link)); err != nil {
			t.Fatal(err)
		}
	}
	session := x.must(x.write, "", "open", pathParam(inside)).session()
	x.must(x.write, session, "open", pathParam(shown))
	x.must(x.write, session, "open", pathParam(filepath.Join(x.sessions, "--w--", "..", "--w--", "1_a.jsonl")))
	x.must(x.write, session, "list", `{"cwd":"/w","sessionDir":`+quoted(root)+`}`)

	files := []string{
		outside, "/etc/passwd", "/etc/passwd.jsonl", "../secret/s.jsonl", "./s.jsonl", "~/secret/s.jsonl", "file://" + outside,
		x.sessions + "/../../../secret/s.jsonl", x.sessions + "/--w--/../../../../secret/s.jsonl",
		x.sessions + "/%2e%2e/s.jsonl/../../../../../secret/s.jsonl",
		x.sessions + "/link.jsonl", x.sessions + "/nowhere.jsonl", x.sessions + "/dir/s.jsonl", x.sessions + "/dir/new.jsonl", x.sessions + "/notes.jsonl",
		x.sessions + "/x\x00.jsonl", x.sessions + "/--w--/notes.txt", x.sessions, x.sessions + ".jsonl", x.sessions + "2/a.jsonl",
		filepath.Join(x.home, ".cambium/agent/settings.jsonl"), o.Tokens, root + "/../secret/s.jsonl", "/.jsonl", "/",
		`..\secret\s.jsonl`,
	}
	refused := func(method, params string) {
		t.Helper()
		r := x.call(x.write, session, method, params)
		if r.status != http.StatusOK || r.code() != "-32008" {
			t.Errorf("%s %s: %d %s", method, params, r.status, r.body)
		}
		if text, _ := jsonedit.Path(r.body, "error", "message"); !strings.Contains(string(text), "not one of a session that this server shows") {
			t.Errorf("%s %s: %s", method, params, text)
		}
	}
	for _, path := range files {
		refused("open", pathParam(path))
		refused("open", `{"reinitialize":true,"path":`+quoted(path)+`}`)
		refused("setSessionFile", `{"handle":"1","path":`+quoted(path)+`}`)
		refused("forkFrom", `{"targetCwd":"/w","sourcePath":`+quoted(path)+`}`)
		refused("follow", `{"path":`+quoted(path)+`}`)
		refused("resolve", `{"session":`+quoted(path)+`}`)
		refused("peekSessionInit", `{"path":`+quoted(path)+`}`)
		refused("dropSession", `{"path":`+quoted(path)+`}`)
		refused("doctor", `{"fix":true,"path":`+quoted(path)+`}`)
		refused("restoreState", `{"handle":"1","state":{"sessionId":"0badc0de00000001","leafId":null,"path":`+quoted(path)+`}}`)
	}
	for _, dir := range []string{filepath.Dir(outside), "/", "..", x.sessions + "/..", x.sessions + "/dir", x.sessions + "/dir/sub", x.sessions + "x"} {
		d := `"sessionDir":` + quoted(dir)
		refused("create", `{"cwd":"/w",`+d+`}`)
		refused("continueRecent", `{"cwd":"/w",`+d+`}`)
		refused("list", `{"cwd":"/w",`+d+`}`)
		refused("listAll", `{`+d+`}`)
		refused("getRecentSessions", `{`+d+`}`)
		refused("findMostRecentSession", `{`+d+`}`)
		refused("usage.sum", `{`+d+`}`)
		refused("open", `{"path":`+quoted(inside)+`,`+d+`}`)
		refused("forkFrom", `{"targetCwd":"/w","sourcePath":`+quoted(inside)+`,`+d+`}`)
		refused("create", `{"cwd":"/w","agentDir":`+quoted(dir)+`}`)
		refused("createEmptySessionFile", `{"cwd":"/w",`+d+`}`)
		refused("search", `{"query":"x",`+d+`}`)
		refused("findById", `{"cwd":"/w","id":"x",`+d+`}`)
		refused("listAll", `{"agentDir":`+quoted(dir)+`}`)
	}
	for _, path := range []string{outside, filepath.Dir(outside) + "/new.jsonl", "/etc/new.jsonl"} {
		refused("convert", `{"handle":"1","to":"pi","path":`+quoted(path)+`}`)
	}
	// A working directory and an id become names, and never lead anywhere.
	x.refused(x.call(x.write, session, "create", `{"cwd":"/w","id":"../../../../secret/x"}`), http.StatusOK, "-32602")
	for _, cwd := range []string{"../../..", ".."} {
		x.refused(x.call(x.write, session, "create", `{"cwd":`+quoted(cwd)+`}`), http.StatusOK, "-32602")
	}
	for _, cwd := range []string{"/w/../../../..", "/", "/a/../../secret"} {
		h, _ := jsonedit.Text(x.must(x.write, session, "create", `{"cwd":`+quoted(cwd)+`}`).result(), "handle")
		path, _ := jsonedit.String(x.must(x.write, session, "getSessionFile", `{"handle":"`+h+`"}`).result())
		if !strings.HasPrefix(path, x.sessions+"/") || strings.Contains(path, "..") {
			t.Errorf("create in %q made %q", cwd, path)
		}
		x.must(x.write, session, "appendMessage", `{"handle":"`+h+`","message":{"role":"assistant","content":[]}}`)
	}
	if err := x.ended(); err != nil {
		t.Error(err)
	}
	var names []string
	entries, err := os.ReadDir(filepath.Dir(outside))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if err != nil || strings.Join(names, " ") != "notes.txt s.jsonl" || strings.Join(x.lines(outside), "\n")+"\n" != sample {
		t.Errorf("outside: %q, %v", names, err)
	}
}

// TestSocketIsTrusted opens what HTTP does not show: the user could, anyway.
func TestSocketIsTrusted(t *testing.T) {
	x := start(t)
	l := x.dial()
	path := x.file(filepath.Join(x.home, "elsewhere", "s.jsonl"), sample)
	if r := l.call("open", pathParam(path)); string(r.result()) != `{"handle":"1"}` {
		t.Errorf("answered %s", r.body)
	}
	if r := l.call("getLeafId", `{"handle":"1"}`); string(r.result()) != `"a1"` {
		t.Errorf("answered %s", r.body)
	}
	if info, err := os.Lstat(x.socket); err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
