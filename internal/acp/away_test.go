package acp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/offline/offlinetest"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
	sdk "github.com/coder/acp-go-sdk"
)

// TestStoreIsAway tells a store that does not answer from one that has nothing: in an
// error of its own, and beside what was found.
func TestStoreIsAway(t *testing.T) {
	far := offlinetest.New()
	work := ""
	connect := func(dir string) *rig {
		r := newRig(t)
		d := far.Offline(t, dir)
		r.opt.Offline, r.opt.Session.Store, r.opt.Catalog.Store = d, d, d
		r.opt.Session.FirstWrite = session.Immediately
		r.opt.Catalog.SessionDir, r.opt.Session.Dir = "/sessions", "/sessions"
		return r.connect()
	}
	dir := t.TempDir()
	near, before, strange := connect(dir), connect(dir), connect(t.TempDir())
	work = near.dir
	o := near.opt.Session
	o.ID = "known"
	s, err := session.Create(t.Context(), work, o)
	if err == nil {
		_, err = s.Append(t.Context(), &entry.MessageBody{Message: message.Encode(&message.User{Content: message.TextContent("something new"), Timestamp: 1})})
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	list := func(r *rig, cwd string) (map[string]any, error) {
		x, err := r.client.ListSessions(t.Context(), sdk.ListSessionsRequest{Cwd: &cwd})
		if err == nil && (len(x.Sessions) == 1) != (cwd == work) {
			t.Errorf("listed %v of %s", x.Sessions, cwd)
		}
		return x.Meta, err
	}
	resume := func(r *rig, id sdk.SessionId) (map[string]any, error) {
		x, err := r.client.ResumeSession(t.Context(), sdk.ResumeSessionRequest{SessionId: id, Cwd: work})
		return x.Meta, err
	}
	load := func(r *rig, id sdk.SessionId) (map[string]any, error) {
		x, err := r.client.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: id, Cwd: work, McpServers: []sdk.McpServer{}})
		return x.Meta, err
	}
	want := func(what string, meta map[string]any, err error, code_ int, text string) {
		t.Helper()
		told, jerr := json.Marshal(meta)
		if jerr != nil {
			t.Fatal(jerr)
		}
		if err != nil {
			told = []byte(err.Error())
		}
		if code(err) != code_ || !strings.Contains(string(told), text) {
			t.Errorf("%s: %d, %s, want %d, %s", what, code(err), told, code_, text)
		}
	}
	meta, err := list(near, work)
	want("there, a list", meta, err, 0, "null")
	meta, err = list(near, "/nowhere")
	want("there, an empty list", meta, err, 0, "null")
	meta, err = load(near, "nobody")
	want("there, nobody", meta, err, -32002, "")
	meta, err = load(before, "known")
	want("there, a session", meta, err, 0, "null")
	far.Away.Store(true)
	const kept = `{"cambium":{"away":[{"error":"no answer","kept":1,"store":"far://store"}]}}`
	meta, err = list(near, work)
	want("what is kept", meta, err, 0, kept)
	meta, err = list(near, "/nowhere")
	want("nothing kept of a directory", meta, err, -32010, "cannot be reached: no answer")
	meta, err = load(near, "nobody")
	want("a session that is not kept", meta, err, -32010, "cannot be reached: no answer")
	meta, err = load(near, "known")
	want("a session that is kept", meta, err, 0, kept)
	for name, try := range map[string]func(*rig, sdk.SessionId) (map[string]any, error){"load": load, "resume": resume} {
		meta, err = try(strange, "known")
		want(name+" where nothing is kept", meta, err, -32010, "far://store")
	}
	meta, err = list(strange, work)
	want("a list where nothing is kept", meta, err, -32010, "far://store")
	far.Away.Store(false)
	meta, err = list(strange, work)
	want("back", meta, err, 0, "null")
}
