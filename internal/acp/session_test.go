package acp_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/session"
	sdk "github.com/coder/acp-go-sdk"
)

// The sessions of every dialect are listed, loaded, gone on with, resumed and
// forked, and stay of their dialect.
func TestEveryDialect(t *testing.T) {
	for name, want := range map[string]struct {
		title, user, said, thought string
		calls                      int
		image                      bool
	}{
		"cambium": {"Winter mode", "valves", "", "", 1, false},
		"pi":      {"Watering an hour late", "hour", "", "summed up", 3, true},
		"omp":     {"Draw soil moisture as a chart", "chart", "", "summed up", 3, true},
		"xcsh":    {"Forecast from the cache when offline", "", "", "", 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, wiretest.Text("Here I am."), wiretest.Text("And here.")).connect()
			r.examples(name)
			list, err := r.client.ListSessions(r.ctx, sdk.ListSessionsRequest{Cwd: &r.dir})
			if err != nil || len(list.Sessions) == 0 {
				t.Fatalf("%+v, %v", list, err)
			}
			at := slices.IndexFunc(list.Sessions, func(s sdk.SessionInfo) bool {
				return strings.HasPrefix(want.title, strings.TrimSuffix(*s.Title, "…"))
			})
			if at < 0 {
				t.Fatalf("%+v", list.Sessions)
			}
			one := list.Sessions[at]
			meta := one.Meta["cambium"].(map[string]any)
			path := meta["path"].(string)
			if meta["agent"] != name || one.Cwd != r.dir || one.UpdatedAt == nil {
				t.Errorf("%+v", one)
			}
			before, _ := os.ReadFile(path)
			load := sdk.LoadSessionRequest{SessionId: one.SessionId, Cwd: r.dir, McpServers: []sdk.McpServer{}}
			x, err := r.client.LoadSession(r.ctx, load)
			if err != nil || x.Models == nil || x.Modes == nil || len(x.ConfigOptions) == 0 {
				t.Fatalf("%+v, %v", x, err)
			}
			all := r.editor.updates()
			said, thought, user := words(all)
			if !strings.Contains(strings.ToLower(user), want.user) || said == "" || !strings.Contains(thought, want.thought) {
				t.Errorf("user %q\nsaid %q\nthought %q", user, said, thought)
			}
			if !strings.Contains(thought, "Could not restore model") {
				t.Errorf("nothing is said of the model that is not there: %q", thought)
			}
			r.whole(all, want.calls, want.image)
			if _, err := r.client.LoadSession(r.ctx, load); err != nil {
				t.Errorf("again: %v", err)
			}
			if again := r.editor.updates(); len(unnoted(again)) != len(unnoted(all)) {
				t.Errorf("%d updates, and %d when it is loaded again", len(all), len(again))
			}
			r.must(one.SessionId, "go on", sdk.StopReasonEndTurn)
			after, _ := os.ReadFile(path)
			if name != "omp" && !bytes.HasPrefix(after, before) { // the title slot of omp may be written
				t.Error("what was there has changed")
			}
			s := r.read(path)
			if string(s.Dialect()) != name {
				t.Errorf("it is of %s now", s.Dialect())
			}
			if got := r.transcript(path); got[len(got)-1] != "assistant: Here I am. [stop]" || got[len(got)-2] != "user: go on" {
				t.Errorf("transcript %q", got)
			}
			if _, err := r.client.CloseSession(r.ctx, sdk.CloseSessionRequest{SessionId: one.SessionId}); err != nil {
				t.Error(err)
			}
			if _, err := r.say(one.SessionId, "closed?"); code(err) != -32002 {
				t.Errorf("prompt of a closed session: %v", err)
			}
			r.editor.updates()
			if _, err := r.client.ResumeSession(r.ctx, sdk.ResumeSessionRequest{SessionId: one.SessionId, Cwd: r.dir}); err != nil {
				t.Fatal(err)
			}
			if all := r.editor.updates(); len(unnoted(all)) > 0 {
				t.Errorf("resume told %d updates", len(all))
			}
			f, err := r.client.UnstableForkSession(r.ctx, sdk.UnstableForkSessionRequest{SessionId: one.SessionId, Cwd: r.dir})
			if err != nil || f.SessionId == one.SessionId || f.Models == nil || len(f.ConfigOptions) == 0 {
				t.Fatalf("%+v, %v", f, err)
			}
			r.must(f.SessionId, "in the fork", sdk.StopReasonEndTurn)
			if kept, _ := os.ReadFile(path); !bytes.Equal(kept, after) && name != "omp" {
				t.Error("the fork changed what it is of")
			}
			r.forked(name, string(f.SessionId))
		})
	}
}

// unnoted are updates without notices and the list of commands.
func unnoted(all []sdk.SessionUpdate) []sdk.SessionUpdate {
	return slices.DeleteFunc(slices.Clone(all), func(u sdk.SessionUpdate) bool {
		return u.AgentThoughtChunk != nil && u.AgentThoughtChunk.Meta != nil || u.AvailableCommandsUpdate != nil
	})
}

// whole checks the calls and pictures of a history.
func (r *rig) whole(all []sdk.SessionUpdate, atLeast int, image bool) {
	r.t.Helper()
	open, met, pictures := map[sdk.ToolCallId]bool{}, 0, 0
	for _, u := range all {
		switch {
		case u.ToolCall != nil:
			met++
			if open[u.ToolCall.ToolCallId] {
				r.t.Errorf("call %s was told twice", u.ToolCall.ToolCallId)
			}
			open[u.ToolCall.ToolCallId] = u.ToolCall.Status == sdk.ToolCallStatusPending
			if u.ToolCall.Kind == sdk.ToolKindEdit && len(u.ToolCall.Content) == 0 {
				r.t.Errorf("no difference in %+v", u.ToolCall)
			}
		case u.ToolCallUpdate != nil:
			if !open[u.ToolCallUpdate.ToolCallId] {
				r.t.Errorf("update of %s, which is not open", u.ToolCallUpdate.ToolCallId)
			}
			delete(open, u.ToolCallUpdate.ToolCallId)
			for _, c := range u.ToolCallUpdate.Content {
				if c.Content != nil && c.Content.Content.Image != nil {
					pictures++
				}
			}
		case u.UserMessageChunk != nil && u.UserMessageChunk.Content.Image != nil,
			u.AgentMessageChunk != nil && u.AgentMessageChunk.Content.Image != nil:
			pictures++
		}
	}
	for id, is := range open {
		if is {
			r.t.Errorf("call %s never ended", id)
		}
	}
	if met < atLeast || image && pictures == 0 {
		r.t.Errorf("%d calls, %d pictures", met, pictures)
	}
}

// forked checks that a fork is of the dialect of what it was made of.
func (r *rig) forked(name, id string) {
	r.t.Helper()
	for _, path := range r.sessions() {
		if s := r.read(path); s.ID() == id {
			if string(s.Dialect()) != name || s.CWD() != r.dir {
				r.t.Errorf("the fork is of %s, in %s", s.Dialect(), s.CWD())
			}
			return
		}
	}
	r.t.Errorf("there is no session %s", id)
}

func TestList(t *testing.T) {
	r := newRig(t)
	r.opt.Page = 3
	var want int
	for _, name := range []string{"cambium", "pi", "omp", "xcsh"} {
		want += len(r.examples(name))
	}
	other := filepath.Join(t.TempDir(), "other")
	pi := r.examples("pi")[0]
	data, _ := os.ReadFile(pi)
	copied := filepath.Join(filepath.Dir(pi), "copy_of_it.jsonl") // with the same id
	if err := os.WriteFile(copied, bytes.ReplaceAll(data, []byte(`"cwd":"`+r.dir+`"`), []byte(`"cwd":"`+other+`"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	same := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, path := range r.sessions() {
		_ = os.Chtimes(path, same, same)
	}
	r.connect()
	seen := map[sdk.SessionId]int{}
	var cursor *string
	for pages := 0; ; pages++ {
		x, err := r.client.ListSessions(r.ctx, sdk.ListSessionsRequest{Cursor: cursor})
		if err != nil || len(x.Sessions) > 3 || pages > 10 {
			t.Fatalf("page %d: %+v, %v", pages, x, err)
		}
		for _, s := range x.Sessions {
			seen[s.SessionId]++
		}
		if cursor = x.NextCursor; cursor == nil {
			break
		}
	}
	if len(seen) != want+1 || seen[sdk.SessionId(copied)] != 1 || seen[sdk.SessionId(pi)] != 1 {
		t.Errorf("of %d sessions: %v", want+1, seen)
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("session %s came %d times", id, n)
		}
	}
	if x, err := r.client.ListSessions(r.ctx, sdk.ListSessionsRequest{Cwd: &other}); err != nil || len(x.Sessions) != 1 || x.Sessions[0].Cwd != other {
		t.Errorf("of one directory: %+v, %v", x, err)
	}
	for _, p := range []sdk.ListSessionsRequest{{Cursor: sdk.Ptr("no cursor")}, {Cwd: sdk.Ptr("relative")}} {
		if _, err := r.client.ListSessions(r.ctx, p); code(err) != -32602 {
			t.Errorf("%+v: %v", p, err)
		}
	}
	load := sdk.LoadSessionRequest{SessionId: sdk.SessionId(pi), Cwd: r.dir, McpServers: []sdk.McpServer{}}
	if _, err := r.client.LoadSession(r.ctx, load); err != nil {
		t.Errorf("load by path: %v", err)
	}
}

// A session of another directory is refused, and what lies in no home is not
// there, whatever it is.
func TestSomebodyElsesSession(t *testing.T) {
	r := newRig(t, wiretest.Text("Here I am."))
	pi := r.examples("pi")[0]
	elsewhere := t.TempDir()
	outside := filepath.Join(elsewhere, "outside.jsonl")
	data, _ := os.ReadFile(pi)
	if err := os.WriteFile(outside, data, 0o600); err != nil {
		t.Fatal(err)
	}
	id := sdk.SessionId(r.read(pi).ID())
	r.connect()
	for _, c := range []struct {
		id   sdk.SessionId
		cwd  string
		more []string
		want int
	}{
		{id: id, cwd: elsewhere, want: -32005},
		{id: sdk.SessionId(pi), cwd: elsewhere, want: -32005},
		{id: sdk.SessionId(outside), cwd: r.dir, want: -32002},
		{id: "../../../etc/passwd", cwd: r.dir, want: -32002},
		{id: "/etc/passwd", cwd: r.dir, want: -32002},
		{id: id[:8], cwd: r.dir, want: -32002},
		{id: "nothing", cwd: r.dir, want: -32002},
		{id: id, cwd: "work", want: -32602},
		{id: id, cwd: filepath.Join(elsewhere, "gone"), want: -32602},
		{id: id, cwd: pi, want: -32602},
		{id: id, cwd: r.dir, more: []string{elsewhere}, want: -32602},
	} {
		load := sdk.LoadSessionRequest{SessionId: c.id, Cwd: c.cwd, AdditionalDirectories: c.more, McpServers: []sdk.McpServer{}}
		if _, err := r.client.LoadSession(r.ctx, load); code(err) != c.want {
			t.Errorf("load %q in %q: %v", c.id, c.cwd, err)
		}
		resume := sdk.ResumeSessionRequest{SessionId: c.id, Cwd: c.cwd, AdditionalDirectories: c.more}
		if _, err := r.client.ResumeSession(r.ctx, resume); code(err) != c.want {
			t.Errorf("resume %q in %q: %v", c.id, c.cwd, err)
		}
	}
	if len(r.editor.updates()) > 0 {
		t.Error("something was told")
	}
	if now, _ := os.ReadFile(pi); !bytes.Equal(now, data) {
		t.Error("the session was changed")
	}
	f, err := r.client.UnstableForkSession(r.ctx, sdk.UnstableForkSessionRequest{SessionId: id, Cwd: elsewhere})
	if err != nil {
		t.Fatal(err)
	}
	r.must(f.SessionId, "go on here", sdk.StopReasonEndTurn)
	if _, err := r.client.ResumeSession(r.ctx, sdk.ResumeSessionRequest{SessionId: f.SessionId, Cwd: r.dir}); code(err) != -32005 {
		t.Errorf("an open session of another directory: %v", err)
	}
}

func TestDamagedSessions(t *testing.T) {
	r := newRig(t, wiretest.Text("Here I am."))
	pi := r.examples("pi")[0]
	good, _ := os.ReadFile(pi)
	id := sdk.SessionId(r.read(pi).ID())
	lines := bytes.SplitAfter(good, []byte("\n"))
	put := func(data []byte) {
		if err := os.WriteFile(pi, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.connect()
	load := sdk.LoadSessionRequest{SessionId: id, Cwd: r.dir, McpServers: []sdk.McpServer{}}

	torn := slices.Clone(lines)
	torn[4] = append(slices.Clone(torn[4][:len(torn[4])/2]), '\n')
	put(bytes.Join(torn, nil))
	if _, err := r.client.LoadSession(r.ctx, load); err != nil {
		t.Fatalf("a line that is torn: %v", err)
	}
	all := r.editor.updates()
	if said, thought, _ := words(all); said == "" || !strings.Contains(thought, "damaged") {
		t.Errorf("said %q, thought %q", said, thought)
	}
	r.must(id, "go on", sdk.StopReasonEndTurn)
	if _, err := r.client.CloseSession(r.ctx, sdk.CloseSessionRequest{SessionId: id}); err != nil {
		t.Error(err)
	}

	put(bytes.Replace(good, []byte(`"version":3`), []byte(`"version":4`), 1))
	r.editor.updates()
	if _, err := r.client.LoadSession(r.ctx, load); err != nil {
		t.Fatalf("a newer version: %v", err)
	}
	if said, thought, _ := words(r.editor.updates()); said == "" || !strings.Contains(thought, "can only be read") {
		t.Errorf("said %q, thought %q", said, thought)
	}
	if _, err := r.say(id, "go on"); code(err) != -32005 {
		t.Errorf("prompt of what can only be read: %v", err)
	}
	if _, err := r.client.SetSessionMode(r.ctx, sdk.SetSessionModeRequest{SessionId: id, ModeId: "yes"}); code(err) != -32005 {
		t.Errorf("mode of what can only be read: %v", err)
	}
	if _, err := r.client.CloseSession(r.ctx, sdk.CloseSessionRequest{SessionId: id}); err != nil {
		t.Error(err)
	}

	for _, data := range []string{"", "hello\n", `{"type":"session","id":"x`} {
		put([]byte(data))
		for _, id := range []sdk.SessionId{id, sdk.SessionId(pi)} {
			load.SessionId = id
			if _, err := r.client.LoadSession(r.ctx, load); err == nil {
				t.Errorf("%q was loaded as %q", data, id)
			}
		}
		if now, _ := os.ReadFile(pi); string(now) != data {
			t.Errorf("%q became %q", data, now)
		}
	}
}

func TestModelsAndOptions(t *testing.T) {
	r := newRig(t, wiretest.Text("one"), wiretest.Text("two")).connect()
	x := r.begin()
	var names []string
	for _, m := range x.Models.AvailableModels {
		names = append(names, string(m.ModelId)+"="+m.Name)
	}
	if !slices.Contains(names, "p/m=M") || !slices.Contains(names, "p/big=BIG") || strings.Contains(fmt.Sprint(names), "locked") {
		t.Errorf("models %q", names)
	}
	id := x.SessionId
	r.must(id, "hello", sdk.StopReasonEndTurn)
	if !bytes.Contains(r.wire.Last().Body, []byte(`"model":"m"`)) {
		t.Errorf("asked %.200s", r.wire.Last().Body)
	}
	r.editor.updates()
	if _, err := r.client.UnstableSetSessionModel(r.ctx, sdk.UnstableSetSessionModelRequest{SessionId: id, ModelId: "p/big"}); err != nil {
		t.Fatal(err)
	}
	told := r.editor.updates()
	if len(told) != 1 || told[0].ConfigOptionUpdate == nil || values(told[0].ConfigOptionUpdate.ConfigOptions) != "mode=ask model=p/big thinking=off" {
		t.Errorf("told %+v", told)
	}
	for _, c := range []struct {
		name, value, want string
	}{
		{"thinking", "low", "mode=ask model=p/big thinking=low"},
		{"model", "p/m", "mode=ask model=p/m thinking=low"},
		{"mode", "yes", "mode=yes model=p/m thinking=low"},
	} {
		got, err := r.client.SetSessionConfigOption(r.ctx, setting(id, c.name, c.value))
		if err != nil || values(got.ConfigOptions) != c.want {
			t.Errorf("%s: %s, %v", c.name, values(got.ConfigOptions), err)
		}
	}
	for _, c := range [][2]string{{"thinking", "much"}, {"thinking", "medium"}, {"model", "p/none"}, {"model", "locked/x"}, {"mode", "maybe"}, {"colour", "red"}} {
		if _, err := r.client.SetSessionConfigOption(r.ctx, setting(id, c[0], c[1])); code(err) != -32602 {
			t.Errorf("%q: %v", c, err)
		}
	}
	if _, err := r.client.UnstableSetSessionModel(r.ctx, sdk.UnstableSetSessionModelRequest{SessionId: id, ModelId: "none"}); code(err) != -32602 {
		t.Errorf("a model that there is not: %v", err)
	}
	if _, err := r.client.SetSessionMode(r.ctx, sdk.SetSessionModeRequest{SessionId: id, ModeId: "maybe"}); code(err) != -32602 {
		t.Errorf("a mode that there is not: %v", err)
	}
	if _, err := r.client.SetSessionConfigOption(r.ctx, setting("none", "mode", "ask")); code(err) != -32002 {
		t.Errorf("a session that is not open: %v", err)
	}
	r.must(id, "again", sdk.StopReasonEndTurn)
	c, err := r.read(r.sessions()[0]).Context(r.ctx, session.ContextOptions{})
	if err != nil || c.Model == nil || c.Model.ModelID != "m" || c.ThinkingLevel != "low" {
		t.Errorf("the session says %+v, %s, %v", c.Model, c.ThinkingLevel, err)
	}
}

// values are the options' present values in short.
func values(all []sdk.SessionConfigOption) string {
	var list []string
	for _, o := range all {
		list = append(list, string(o.Select.Id)+"="+string(o.Select.CurrentValue))
	}
	return strings.Join(list, " ")
}

// The todos of a session are told as its plan.
func TestPlan(t *testing.T) {
	r := newRig(t)
	omp := r.examples("omp")[0]
	s, err := session.Open(r.ctx, omp, r.opt.Session)
	if err != nil {
		t.Fatal(err)
	}
	id := sdk.SessionId(s.ID())
	leaf, _ := s.Leaf()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(omp, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(f, `{"type":"custom","id":"0a0b0c0d","parentId":%q,"timestamp":"2026-04-12T00:00:00.000Z","customType":"user_todo_edit","data":{"phases":[{"name":"A","tasks":[{"content":"dig","status":"completed"},{"content":"water","status":"in_progress"},{"content":"wait","status":"blocked"},{"content":"sow","status":"abandoned"},{"content":"mow","done":true}]}]}}`+"\n", leaf)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	r.connect()
	if _, err := r.client.LoadSession(r.ctx, sdk.LoadSessionRequest{SessionId: id, Cwd: r.dir, McpServers: []sdk.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, u := range r.editor.updates() {
		if u.Plan != nil {
			for _, e := range u.Plan.Entries {
				got = append(got, e.Content+" "+string(e.Status))
			}
		}
	}
	if !slices.Equal(got, []string{"dig completed", "water in_progress", "wait pending", "sow completed", "mow completed"}) {
		t.Errorf("plan %q", got)
	}
}
