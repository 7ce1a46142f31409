//go:build unix

package shellhook_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/settings"
	"github.com/cambium-dev/cambium/internal/shellhook"
	"github.com/cambium-dev/cambium/session"
)

// parsed reads a line as an entry.
func parsed(t *testing.T, line string) entry.Entry {
	t.Helper()
	e, err := entry.Parse([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// prepared is a compaction of the stage's session that keeps as little as can be.
func (st *stage) prepared() agent.SessionBeforeCompact {
	st.t.Helper()
	list, path := st.session.Snapshot()
	p, err := compaction.RulesOf(st.session.Dialect()).Prepare(list, path, compact.Settings{KeepRecent: 1})
	if err != nil {
		st.t.Fatal(err)
	}
	return agent.SessionBeforeCompact{
		Preparation: p, BranchEntries: []entry.Entry{parsed(st.t, line1), parsed(st.t, line2), parsed(st.t, line3)},
	}
}

func ptr[T any](v T) *T { return &v }

func TestEveryEventIsTold(t *testing.T) {
	st := newStage(t)
	before := st.prepared()
	compacting := before
	compacting.CustomInstructions = "keep\nthe names"
	tests := []struct {
		event agent.Event
		want  string // what it has of its own
	}{
		{agent.SessionStart{Reason: agent.ForStartup}, `"reason":"startup"`},
		{agent.SessionBeforeSwitch{Reason: agent.ForResume, TargetSessionFile: "/a b/\u2028.jsonl"}, `"reason":"resume","targetSessionFile":"/a b/` + "\u2028" + `.jsonl"`},
		{agent.SessionBeforeSwitch{Reason: agent.ForNew}, `"reason":"new"`},
		{agent.SessionSwitch{Reason: agent.ForFork, PreviousSessionFile: "/was.jsonl"}, `"reason":"fork","previousSessionFile":"/was.jsonl"`},
		{agent.SessionSwitch{Reason: agent.ForResume}, `"reason":"resume"`},
		{agent.SessionBeforeBranch{EntryID: "u2"}, `"entryId":"u2"`},
		{agent.SessionBranch{PreviousSessionFile: "/was.jsonl"}, `"previousSessionFile":"/was.jsonl"`},
		{agent.SessionBeforeTree{Preparation: agent.TreePreparation{TargetID: "u1"}},
			`"preparation":{"targetId":"u1","oldLeafId":null,"commonAncestorId":null,"entriesToSummarize":[],"userWantsSummary":false}`},
		{agent.SessionBeforeTree{Preparation: agent.TreePreparation{
			TargetID: "u1", OldLeafID: ptr("u2"), CommonAncestorID: ptr("u1"), EntriesToSummarize: []entry.Entry{parsed(t, line1), parsed(t, line2)},
			UserWantsSummary: true, CustomInstructions: "short",
		}}, `"preparation":{"targetId":"u1","oldLeafId":"u2","commonAncestorId":"u1","entriesToSummarize":[` + line1 + "," + line2 + `],"userWantsSummary":true,"customInstructions":"short"}`},
		{agent.SessionTree{NewLeafID: ptr("u1"), OldLeafID: ptr("u2")}, `"newLeafId":"u1","oldLeafId":"u2"`},
		{agent.SessionTree{OldLeafID: ptr("u2"), SummaryEntry: "b1", FromExtension: true}, `"newLeafId":null,"oldLeafId":"u2","summaryEntry":` + line3 + `,"fromExtension":true`},
		{before, `"preparation":` + string(before.Preparation.JSON()) + `,"branchEntries":[` + line1 + "," + line2 + "," + line3 + `]`},
		{compacting, `"preparation":` + string(before.Preparation.JSON()) + `,"branchEntries":[` + line1 + "," + line2 + "," + line3 + `],"customInstructions":"keep\nthe names"`},
		{agent.SessionCompacting{SessionID: "s1", Messages: []entry.JSON{entry.JSON(`{"role":"user"}`), entry.JSON(`{}`)}},
			`"sessionId":"s1","messages":[{"role":"user"},{}]`},
		{agent.SessionCompact{CompactionEntry: "u2"}, `"compactionEntry":` + line2 + `,"fromExtension":false`},
		{agent.SessionCompact{CompactionEntry: "none", FromExtension: true}, `"compactionEntry":{"id":"none"},"fromExtension":true`},
		{agent.SessionShutdown{}, ``},
	}
	told := map[string]bool{}
	for _, test := range tests {
		name := agent.Name(test.event)
		told[name] = true
		remove := st.run(name, `cat > told; printf '%s|%s|%s' "$CAMBIUM_EVENT" "$CAMBIUM_SESSION_FILE" "$(pwd -P)" > env`)
		if r := st.hooks.Emit(ctx, test.event); r.Cancel {
			t.Errorf("%s: reply %+v", name, r)
		}
		remove()
		own := test.want
		if own != "" {
			own = "," + own
		}
		id := `"sessionId":"s1",`
		if name == "session.compacting" {
			id = ""
		}
		want := fmt.Sprintf(`{"type":%q%s,%s"sessionFile":%q,"cwd":%q}`+"\n", name, own, id, st.session.Path(), st.dir)
		if got := st.file("told"); got != want {
			t.Errorf("%s: told\n%swant\n%s", name, got, want)
		}
		if got, want := st.file("env"), name+"|"+st.session.Path()+"|"+st.dir; got != want {
			t.Errorf("%s: environment and directory %q, want %q", name, got, want)
		}
	}
	if said := st.reports(); said != "" {
		t.Error(said)
	}
	for _, name := range settings.Events() {
		if !told[name] {
			t.Errorf("settings know of %s, the agent does not", name)
		}
		delete(told, name)
	}
	for name := range told {
		t.Errorf("settings do not know of %s", name)
	}
}

// Where there is no session, commands run where they are told to.
func TestWithoutSession(t *testing.T) {
	st := newStage(t)
	o := st.options()
	o.Session = func() *session.Session { return nil }
	o.Hooks = []settings.Hook{{Event: "session_shutdown", Command: `cat > told; pwd -P > where; printf %s "${CAMBIUM_SESSION_FILE-unset}" > file`}}
	remove := shellhook.Register(st.hooks, o)
	st.hooks.Emit(ctx, agent.SessionShutdown{})
	remove()
	if got, want := st.file("told"), fmt.Sprintf(`{"type":"session_shutdown","cwd":%q}`+"\n", st.dir); got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	if got := st.file("where") + st.file("file"); got != st.dir+"\n" {
		t.Errorf("where and file: %q", got)
	}
	mem, err := session.InMemory(st.dir, session.Options{Env: env(st.dir)})
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	o.Session = func() *session.Session { return mem }
	shellhook.Register(st.hooks, o)
	st.hooks.Emit(ctx, agent.SessionShutdown{})
	if got := st.file("told"); strings.Contains(got, "sessionFile") || !strings.Contains(got, mem.ID()) {
		t.Errorf("told of a session in memory: %s", got)
	}
	if said := st.reports(); said != "" {
		t.Error(said)
	}
}

// TestNotWhereTheSessionSays: commands run where the agent works, and are told
// that directory, whatever the header of the session has.
func TestNotWhereTheSessionSays(t *testing.T) {
	st := newStage(t)
	far, err := session.InMemory(t.TempDir(), session.Options{Env: env(st.dir)})
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	o := st.options()
	o.Session = func() *session.Session { return far }
	o.Hooks = []settings.Hook{{Event: "session_shutdown", Command: `cat > told; pwd -P > where`}}
	defer shellhook.Register(st.hooks, o)()
	st.hooks.Emit(ctx, agent.SessionShutdown{})
	if got, want := st.file("told"), fmt.Sprintf(`"cwd":%q}`+"\n", st.dir); !strings.HasSuffix(got, want) || st.file("where") != st.dir+"\n" {
		t.Errorf("told %q in %q, want %q", got, st.file("where"), want)
	}
	if said := st.reports(); said != "" {
		t.Error(said)
	}
}

// In the order of the settings, and the first that cancels is the last.
func TestOrderAndCancel(t *testing.T) {
	st := newStage(t)
	st.run("session_before_switch", `echo 1 >> order`, `echo 2 >> order; echo '{"cancel":true}'`, `echo 3 >> order`)
	st.run("session_switch", `echo 4 >> order; echo '{"cancel":true}'`, `echo 5 >> order`)
	if r := st.hooks.Emit(ctx, agent.SessionBeforeSwitch{}); !r.Cancel {
		t.Errorf("reply %+v", r)
	}
	st.hooks.Emit(ctx, agent.SessionSwitch{})
	if got := strings.Fields(st.file("order")); !slices.Equal(got, []string{"1", "2", "4", "5"}) || st.reports() != "" {
		t.Errorf("run: %q", got)
	}
}

// A command that says no keeps a real agent where it is.
func TestAgentAsksCommands(t *testing.T) {
	st := newStage(t)
	if err := st.session.Close(); err != nil {
		t.Fatal(err)
	}
	var a *agent.Agent
	o := st.options()
	o.Session = func() *session.Session { return a.Session() }
	o.Hooks = []settings.Hook{
		{Event: "session_start", Command: `cat > start`},
		{Event: "session_before_switch", Command: `if grep -q '"targetSessionFile":"[^"]*/s2.jsonl"'; then echo '{"cancel":true}'; fi`},
		{Event: "session_shutdown", Command: `cat > end`},
	}
	shellhook.Register(st.hooks, o)
	a = agent.New(agent.Options{Driver: still{}, Hooks: st.hooks, Session: session.Options{Env: env(st.dir)}})
	if err := a.Start(ctx, agent.Start{Path: "s1.jsonl"}); err != nil {
		t.Fatal(err)
	}
	second := filepath.Join(st.dir, "s2.jsonl")
	if err := os.WriteFile(second, []byte(header("s2", st.dir)+"\n"+line1+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if ok, err := a.Switch(ctx, "s2.jsonl"); ok || err != nil || a.Session().ID() != "s1" {
		t.Errorf("Switch: %t, %v", ok, err)
	}
	if ok, err := a.Switch(ctx, "s1.jsonl"); !ok || err != nil {
		t.Errorf("Switch: %t, %v", ok, err)
	}
	if err := a.Close(context.Background()); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"start", "end"} {
		if got := st.file(name); !strings.Contains(got, `"sessionId":"s1"`) {
			t.Errorf("%s: told %s", name, got)
		}
	}
	if said := st.reports(); said != "" {
		t.Error(said)
	}
}
