package rpc_test

import (
	"crypto/rand"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/offline/offlinetest"
	"github.com/cambium-dev/cambium/internal/rpc"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/storefs"
	"github.com/cambium-dev/cambium/session"
)

// keeper keeps what was done to sessions.
func keeper(t *testing.T) session.Recorder {
	return state.New(state.Options{Dir: t.TempDir(), Now: time.Now, Random: rand.Reader})
}

// asked sends a call and returns the whole answer, which is as described.
func (c *client) asked(method, params string) entry.JSON {
	c.t.Helper()
	c.request(method, params)
	all := c.answer()
	result, _ := jsonedit.Get(all, "result")
	fault, _ := jsonedit.Get(all, "error")
	if err := conform(method, entry.JSON(params), result, fault); err != nil {
		c.t.Error(err)
	}
	if away, ok := jsonedit.Get(all, "away"); ok {
		schema, _ := jsonedit.Path(document(), "x-beside-result", "properties", "away")
		if err := valid(schema, away, method+" away"); err != nil || schema == nil {
			c.t.Errorf("not as described: %v", err)
		}
	}
	return all
}

// TestStoreIsAway tells a store that does not answer from one that has nothing: in an
// error of its own, and beside the result where there is one.
func TestStoreIsAway(t *testing.T) {
	d := offlinetest.New()
	dir := t.TempDir()
	begin := func(dir string) *local {
		s := d.Offline(t, dir)
		return serve(t, rpc.Options{Agent: dialect.Cambium, AgentDir: "/agent", Undo: keeper(t), Store: s, FS: storefs.New(t.Context(), s), Offline: s})
	}
	near, strange := begin(dir), begin(t.TempDir())
	h := near.open("create", `{"cwd":"/work","id":"known"}`)
	path := unquoted(near.on(h, "getSessionFile", ""))
	near.on(h, "appendMessage", `"message":{"role":"user","content":"something new","timestamp":1}`)
	at := `{"sessionDir":` + quoted(filepath.Dir(path))
	calls := []struct{ method, params string }{
		{"list", `{"cwd":"/work"}`}, {"listAll", `{}`}, {"getRecentSessions", at + `}`}, {"findMostRecentSession", at + `}`},
		{"search", `{"query":"something"}`}, {"resolve", `{"session":"known"}`}, {"findById", `{"cwd":"/work","id":"known"}`},
		{"peekSessionInit", `{"path":"known"}`}, {"open", `{"path":"known"}`}, {"open", `{"path":` + quoted(path) + `}`},
	}
	empty := []struct{ method, params string }{
		{"list", `{"cwd":"/elsewhere"}`}, {"findById", `{"cwd":"/work","id":"nobody"}`}, {"search", `{"query":"nowhere"}`},
		{"resolve", `{"session":"nobody"}`}, {"dropSession", `{"path":"nobody"}`},
		{"doctor", `{}`}, // a copy is not what is to be looked after
	}
	for _, c := range append(calls, empty...) {
		if got := string(near.asked(c.method, c.params)); strings.Contains(got, `"away"`) || strings.Contains(got, "-32010") {
			t.Errorf("there, %s answers %s", c.method, got)
		}
	}
	d.Away.Store(true)
	for _, c := range calls {
		got := near.asked(c.method, c.params)
		result, _ := jsonedit.Get(got, "result")
		away, _ := jsonedit.Get(got, "away")
		if jsonedit.IsNull(result) || result == nil || string(away) != `[{"store":"far://store","error":"no answer","kept":1}]` {
			t.Errorf("away, %s of what is kept answers %s", c.method, got)
		}
	}
	for _, c := range empty {
		wantAway(t, c.method, near.asked(c.method, c.params), 1)
	}
	for _, c := range calls {
		wantAway(t, c.method, strange.asked(c.method, c.params), 0)
	}
	d.Away.Store(false)
	if got := string(strange.asked("list", `{"cwd":"/work"}`)); !strings.Contains(got, "something new") || strings.Contains(got, `"away"`) {
		t.Errorf("back, it lists %s", got)
	}
	d.Away.Store(true)
	if got := string(near.asked("appendMessage", onHandle(h, `"message":{"role":"user","content":"waits","timestamp":2}`))); !strings.Contains(got, `"away"`) {
		t.Errorf("what waits here is answered with %s", got)
	}
	if got := string(near.asked("getEntries", onHandle(h, ``))); strings.Contains(got, `"away"`) {
		t.Errorf("what asks nothing of the store is answered with %s", got)
	}
}

// wantAway wants the error that says that the store cannot be reached.
func wantAway(t *testing.T, method string, answer entry.JSON, kept int) {
	t.Helper()
	code, _ := jsonedit.Path(answer, "error", "code")
	text, _ := jsonedit.Path(answer, "error", "message")
	store, _ := jsonedit.Path(answer, "error", "data", "away")
	want := `[{"store":"far://store","error":"no answer","kept":` + string(rune('0'+kept)) + `}]`
	if string(code) != "-32010" || !strings.Contains(string(text), "cannot be reached: no answer") || string(store) != want {
		t.Errorf("away, %s answers %s", method, answer)
	}
}
