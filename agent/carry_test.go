package agent_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

// able is a driver that can be told everything.
type able struct {
	*driver
	tier, dir string
	tools     []string
}

func (d *able) Remember() func() {
	was, back := *d, d.driver.Remember()
	return func() {
		d.tier, d.dir, d.tools = was.tier, was.dir, was.tools
		back()
	}
}

func (d *able) SetServiceTier(_ context.Context, tier entry.JSON) error {
	d.tier = string(tier)
	return d.step("tier %s", tier)
}

func (d *able) SelectTools(_ context.Context, names []string) error {
	d.tools = names
	return d.step("tools %q", names)
}

func (d *able) SetDirectory(_ context.Context, dir string) error {
	d.dir = dir
	return d.step("directory %s", dir)
}

// able gives the agent such a driver.
func (r *rig) able() *able {
	d := &able{driver: &r.driver}
	r.opt.Driver = d
	return d
}

func tooled(id string) []string {
	return []string{header(id), says("u1", "", "hi"),
		line("service_tier_change", "s1", "u1", `"serviceTier":"priority"`),
		line("mcp_tool_selection", "m1", "s1", `"selectedToolNames":["x","y"]`),
		line("thinking_level_change", "t1", "m1", `"thinkingLevel":"low"`)}
}

func TestSwitchRestoresTierAndTools(t *testing.T) {
	null := []string{header("t"), says("u1", "", "hi"),
		line("service_tier_change", "s1", "u1", `"serviceTier":null`), line("mcp_tool_selection", "m1", "s1", `"selectedToolNames":[]`)}
	tests := []struct {
		name    string
		dialect dialect.Name
		lines   []string
		tier    string
		tools   []string
	}{
		{"its own", dialect.Xcsh, tooled("t"), `"priority"`, []string{"x", "y"}},
		{"of omp", dialect.Omp, tooled("t"), `{"openai":"priority","anthropic":"priority","google":"priority"}`, []string{"std"}},
		{"of pi, to which it means nothing", dialect.Pi, tooled("t"), `"flex"`, []string{"std"}},
		{"none", dialect.Cambium, []string{header("t"), says("u1", "", "hi")}, `"flex"`, []string{"std"}},
		{"none on purpose", dialect.Cambium, null, ``, []string{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			d := r.able()
			r.opt.Session.Dialect = test.dialect
			r.opt.Settings.ServiceTier, r.opt.Settings.Tools = entry.JSON(`"flex"`), []string{"std"}
			r.start(r.here())
			if ok, err := r.agent.Switch(ctx, r.file("t.jsonl", test.lines...)); !ok || err != nil {
				t.Fatal(ok, err)
			}
			if d.tier != test.tier || !slices.Equal(d.tools, test.tools) || (d.tools == nil) != (test.tools == nil) {
				t.Errorf("tier %s, tools %q", d.tier, d.tools)
			}
		})
	}
}

func TestSwitchOrderOfAll(t *testing.T) {
	r := newRig(t)
	r.able()
	r.tell()
	r.start(r.here())
	if ok, err := r.agent.Switch(ctx, r.file("there.jsonl", tooled("there")...)); !ok || err != nil {
		t.Fatal(ok, err)
	}
	r.wantSteps(
		"session_before_switch resume there.jsonl", "disconnect", "stop", "id there", "directory /w", `tools ["x" "y"]`,
		"session_switch resume here.jsonl at there.jsonl", "messages 1", "thinking low", `tier "priority"`, "mode none",
		"todos ", "visit there.jsonl true", "connect",
	)
}

func TestSwitchWithAllFailsAtEachStep(t *testing.T) {
	for n := 1; ; n++ {
		r := newRig(t)
		d := r.able()
		target := r.file("t.jsonl", tooled("t")...)
		r.start(r.here())
		was, disk := r.state(), r.disk()
		r.fail = n
		ok, err := r.agent.Switch(ctx, target)
		if ok {
			if n != 8 { // stop, directory, tools, messages, thinking, tier, mode
				t.Errorf("%d steps can fail", n-1)
			}
			break
		}
		if !errors.Is(err, errInjected) {
			t.Fatal(err)
		}
		if s := same(was, r.state()) + cmp.Diff(disk, r.disk()); s != "" || d.dir != "/w" || d.tier != "" || d.tools != nil {
			t.Errorf("step %d: %s %s %q\n%s", n, d.dir, d.tier, d.tools, s)
		}
	}
}

// A new session goes on with the tier and the tools of before, and says so.
func TestNewKeepsTierAndTools(t *testing.T) {
	for _, test := range []struct {
		dialect     dialect.Name
		tier, tools bool
	}{{dialect.Xcsh, true, true}, {dialect.Omp, true, false}, {dialect.Pi, false, false}} {
		r := newRig(t)
		d := r.able()
		r.opt.Session.Dialect = test.dialect
		r.opt.Session.FirstWrite = session.Immediately
		r.opt.Settings.ServiceTier, r.opt.Settings.Tools = entry.JSON(`"flex"`), []string{"std"}
		r.start(r.file("t.jsonl", tooled("t")...))
		tier, tools := d.tier, d.tools
		if ok, err := r.agent.New(ctx, false); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if d.tier != tier || !slices.Equal(d.tools, tools) {
			t.Errorf("%s: tier %s, tools %q", test.dialect, d.tier, d.tools)
		}
		text := r.disk()[r.agent.Session().Path()]
		if strings.Contains(text, "service_tier_change") != test.tier || strings.Contains(text, "mcp_tool_selection") != test.tools {
			t.Errorf("%s: %s", test.dialect, text)
		}
	}
}

func elsewhereIn(dir string) string {
	return strings.Replace(header("far"), `"cwd":"/w"`, fmt.Sprintf(`"cwd":%q`, dir), 1)
}

func TestSwitchToAnotherDirectory(t *testing.T) {
	tests := []struct {
		name    string
		dialect dialect.Name
		answer  string // of OnDirectory, "" where there is none
		gone    bool
		ok      bool
		wrong   error
	}{
		{"yes", dialect.Omp, "yes", false, true, nil},
		{"no", dialect.Xcsh, "no", false, false, nil},
		{"no to one that is gone", dialect.Pi, "no", true, false, nil},
		{"it fails", dialect.Pi, "fail", false, false, errInjected},
		{"omp asks nobody", dialect.Omp, "", false, false, nil},
		{"pi goes", dialect.Pi, "", false, true, nil},
		{"pi does not go nowhere", dialect.Pi, "", true, false, fs.ErrNotExist},
		{"xcsh goes", dialect.Xcsh, "", true, true, nil},
		{"cambium goes", dialect.Cambium, "", false, true, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			d := r.able()
			r.opt.Session.Dialect = test.dialect
			dir := r.dir
			if test.gone {
				dir = filepath.Join(dir, "gone")
			}
			if test.answer != "" {
				r.opt.OnDirectory = func(_ context.Context, recorded, current string) (string, error) {
					if recorded != dir || current != "/w" {
						t.Errorf("asked for %q, %q", recorded, current)
					}
					if test.answer == "fail" {
						return recorded, errInjected
					}
					if test.answer == "no" {
						return "", nil
					}
					return recorded, nil
				}
			}
			r.start(r.here())
			target := r.file("far.jsonl", elsewhereIn(dir), says("u1", "", "hi"))
			was, disk := r.state(), r.disk()
			ok, err := r.agent.Switch(ctx, target)
			if ok != test.ok || !errors.Is(err, test.wrong) {
				t.Fatal(ok, err)
			}
			if test.ok {
				want := dir
				if test.answer == "" { // nobody agreed to another one
					want = "/w"
				}
				if d.dir != want || r.agent.Dir() != want {
					t.Errorf("directory %q, %q, want %q", d.dir, r.agent.Dir(), want)
				}
				return
			}
			if s := same(was, r.state()) + cmp.Diff(disk, r.disk()); s != "" {
				t.Error(s)
			}
			r.wantSteps()
			var missing *agent.MissingDirectoryError
			if errors.As(err, &missing) {
				want := "Stored session working directory does not exist: " + dir + "\nSession file: " + target + "\nCurrent working directory: /w"
				if err.Error() != want {
					t.Errorf("error %q", err)
				}
			}
			if said := strings.Join(r.said, ""); (said != "") != (test.dialect == dialect.Omp) {
				t.Errorf("said %q", said)
			}
		})
	}
}

// omp goes on with the model of the role that was chosen last.
func TestSwitchModelOfARole(t *testing.T) {
	change := func(role string) string {
		return line("model_change", "m2", "m1", `"model":"p/small","role":"`+role+`"`)
	}
	tests := []struct {
		name    string
		dialect dialect.Name
		line    string
		want    string
	}{
		{"of the role", dialect.Omp, change("smol"), "p/small"},
		{"of a fallback", dialect.Omp, change("fallback"), "p/big"},
		{"not available", dialect.Omp, strings.Replace(change("smol"), "p/small", "q/small", 1), "p/big"},
		{"of xcsh", dialect.Xcsh, change("smol"), "p/big"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			r.opt.Session.Dialect = test.dialect
			r.start(r.here())
			target := r.file("t.jsonl", header("t"), says("u1", "", "hi"), line("model_change", "m1", "u1", `"model":"p/big"`), test.line)
			if ok, err := r.agent.Switch(ctx, target); !ok || err != nil {
				t.Fatal(ok, err)
			}
			if r.driver.model != test.want || r.said != nil {
				t.Errorf("model %s, said %q", r.driver.model, r.said)
			}
		})
	}
}

// thinker has models that choose their level by themselves.
type thinker struct{ models }

func (thinker) Levels(replay.Model) []string { return []string{"off", "low", "high", "auto"} }

func TestSwitchToAChosenLevel(t *testing.T) {
	for _, test := range []struct {
		models agent.Models
		want   string
	}{{models{}, "low"}, {thinker{}, "auto"}} {
		r := newRig(t)
		r.opt.Models = test.models
		r.opt.Session.Dialect = dialect.Omp
		r.opt.Session.FirstWrite = session.Immediately
		r.start(r.here())
		target := r.file("t.jsonl", header("t"), says("u1", "", "hi"), line("thinking_level_change", "t1", "u1", `"thinkingLevel":"low","configured":"auto"`))
		if ok, err := r.agent.Switch(ctx, target); !ok || err != nil || r.driver.level != test.want {
			t.Error(ok, err, r.driver.level)
		}
		if ok, err := r.agent.New(ctx, false); !ok || err != nil || r.driver.level != test.want {
			t.Error(ok, err, r.driver.level)
		}
		want := map[string]string{"low": `"thinkingLevel":"low","configured":"low"`, "auto": `"thinkingLevel":null,"configured":"auto"`}[test.want]
		if text := r.disk()[r.agent.Session().Path()]; !strings.Contains(text, want) {
			t.Errorf("%s", text)
		}
	}
}

// The end of a turn that was cut off when omp ended is appended as omp does it.
func TestSwitchToAnInterruptedTurn(t *testing.T) {
	call := line("message", "a1", "u1", `"message":{"role":"assistant","content":[{"type":"toolCall","id":"t","name":"bash","arguments":{}}],"api":"x","provider":"p","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"toolUse","timestamp":2}`)
	result := line("message", "r1", "a1", `"message":{"role":"toolResult","toolCallId":"t","toolName":"bash","content":[],"isError":true,"timestamp":2}`)
	exit := func(parent, kind, rest string) string {
		return line("custom", "x1", parent, `"customType":"session_exit","data":{"reason":"r","kind":"`+kind+`","recordedAt":"2026-01-02T03:05:00.000Z"`+rest+`}`)
	}
	tests := []struct {
		name    string
		dialect dialect.Name
		look    bool
		lines   []string
		want    string // provider/model of what is appended
	}{
		{"killed behind a call", dialect.Omp, false, []string{call, exit("a1", "signal", "")}, "p/m"},
		{"killed behind a result", dialect.Omp, false, []string{call, result, exit("r1", "fatal", "")}, "p/m"},
		{"killed behind a question", dialect.Omp, false, []string{exit("u1", "process_exit", "")}, "p/m"},
		{"ended with a call open", dialect.Omp, false, []string{call, exit("a1", "normal", `,"pendingToolCalls":[{"toolName":"bash"}]`)}, "p/m"},
		{"ended", dialect.Omp, false, []string{call, exit("a1", "normal", "")}, ""},
		{"killed behind an answer", dialect.Omp, false, []string{answers("a1", "u1", "ok"), exit("a1", "signal", "")}, ""},
		{"behind an aborted answer", dialect.Omp, false, []string{strings.Replace(call, "toolUse", "aborted", 1), result, exit("r1", "signal", "")}, ""},
		{"gone on since", dialect.Omp, false, []string{call, exit("a1", "signal", ""), says("u2", "x1", "well?")}, ""},
		{"without a note", dialect.Omp, false, []string{call}, ""},
		{"a note of something else", dialect.Omp, false, []string{call, line("custom", "x1", "a1", `"customType":"session_exit","data":7`)}, ""},
		{"a note and one of something else", dialect.Omp, false, []string{call, exit("a1", "signal", ""), line("custom", "x2", "x1", `"customType":"session_exit","data":7`)}, "p/m"},
		{"of xcsh", dialect.Xcsh, false, []string{call, exit("a1", "signal", "")}, ""},
		{"to look", dialect.Omp, true, []string{call, exit("a1", "signal", "")}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			r.opt.Session.Dialect, r.opt.Session.ReadOnly = test.dialect, test.look
			r.start(r.here())
			target := r.file("t.jsonl", append([]string{header("t"), says("u1", "", "hi")}, test.lines...)...)
			before := r.disk()[target]
			if ok, err := r.agent.Switch(ctx, target); !ok || err != nil {
				t.Fatal(ok, err)
			}
			added := strings.TrimPrefix(r.disk()[target], before)
			first, _, _ := strings.Cut(added, "\n")
			m, aborted := jsonedit.Get(entry.JSON(first), "message")
			if aborted != (test.want != "") {
				t.Fatalf("appended %s", added)
			}
			if !aborted {
				return
			}
			provider, _ := jsonedit.Text(m, "provider")
			name, _ := jsonedit.Text(m, "model")
			reason, _ := jsonedit.Text(m, "stopReason")
			at, _ := jsonedit.Get(m, "timestamp")
			if provider+"/"+name != test.want || reason != "aborted" || string(at) != "1767323100000" || !strings.Contains(first, `"total":0}`) {
				t.Errorf("appended %s", first)
			}
			// What the model sees is the same with it.
			was := r.state().Messages
			if ok, err := r.agent.Switch(ctx, target); !ok || err != nil || !slices.Equal(was, r.state().Messages) {
				t.Errorf("%v, %v, messages %q, before %q", ok, err, r.state().Messages, was)
			}
			if strings.Count(r.disk()[target], `"aborted"`) != 1 {
				t.Error("it was appended twice")
			}
		})
	}
}
