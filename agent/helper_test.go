package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

var errInjected = errors.New("injected")

// A rig is an agent whose steps are recorded, and of which the n-th that can
// fail does so.
type rig struct {
	t      *testing.T
	dir    string
	driver driver
	hooks  *agent.Hooks
	opt    agent.Options
	agent  *agent.Agent

	steps []string
	said  []string
	fail  int // fails when it has come down to 0 again; 0 means never
}

// driver is a driver without a model.
type driver struct {
	*rig
	id       string
	messages []entry.JSON
	model    string
	level    string
	deaf     int // how often it was disconnected
	heard    int // how often it was connected
}

// step records a step and fails if it is that one's turn.
func (r *rig) step(format string, args ...any) error {
	r.steps = append(r.steps, fmt.Sprintf(format, args...))
	if r.fail > 0 {
		if r.fail--; r.fail == 0 {
			return errInjected
		}
	}
	return nil
}

func (d *driver) Stop(context.Context) error { return d.step("stop") }

func (d *driver) Remember() func() {
	id, messages, model, level := d.id, d.messages, d.model, d.level
	return func() { d.id, d.messages, d.model, d.level = id, messages, model, level }
}

func (d *driver) SetSessionID(id string) {
	d.id = id
	d.steps = append(d.steps, "id "+id)
}

func (d *driver) ReplaceMessages(_ context.Context, c *replay.Context) error {
	d.messages = nil
	for m, err := range c.Messages() {
		if err != nil {
			return err
		}
		d.messages = append(d.messages, m.JSON)
	}
	return d.step("messages %d", len(d.messages))
}

func (d *driver) SetModel(_ context.Context, m replay.Model) error {
	d.model = m.Provider + "/" + m.ModelID
	return d.step("model %s", d.model)
}

func (d *driver) SetThinking(_ context.Context, level string) error {
	d.level = level
	return d.step("thinking %s", level)
}

// models has the models of provider "p", which think low and high.
type models struct{}

func (models) Available(m replay.Model) bool { return m.Provider == "p" }
func (models) Levels(replay.Model) []string  { return []string{"off", "low", "high"} }

func newRig(t *testing.T) *rig {
	t.Helper()
	dir := t.TempDir()
	r := &rig{t: t, dir: dir, hooks: &agent.Hooks{}}
	r.driver.rig = r
	r.opt = agent.Options{
		Driver: &r.driver, Hooks: r.hooks, Models: models{},
		Settings: agent.Settings{Model: &replay.Model{Provider: "p", ModelID: "base"}},
		Connect: func() func() {
			r.driver.heard++
			r.steps = append(r.steps, "connect")
			return func() {
				r.driver.deaf++
				r.steps = append(r.steps, "disconnect")
			}
		},
		EnterMode: func(_ context.Context, m agent.Mode) error { return r.step("mode %s", m.Name) },
		OnTodos:   func(x agent.Todos) { r.steps = append(r.steps, "todos "+string(x.JSON)) },
		Notify:    func(line string) { r.said = append(r.said, line) },
		Session: session.Options{
			Env: layout.Env{
				Home: filepath.Join(dir, "home"), TempDir: "/nowhere/tmp", Cwd: dir,
				Getenv: func(name string) string {
					return map[string]string{"CAMBIUM_STATE_DIR": filepath.Join(dir, "state")}[name]
				},
			},
			OnVisit: func(v session.Visit) {
				_, now := r.disk()[v.Path]
				r.steps = append(r.steps, fmt.Sprintf("visit %s %v", filepath.Base(v.Path), now))
			},
		},
	}
	return r
}

// start makes the agent and gives it a session; what it did until then is
// forgotten.
func (r *rig) start(path string) {
	r.t.Helper()
	r.agent = agent.New(r.opt)
	o := agent.Start{Path: path}
	if path != "" {
		o.CWD = "/w" // what header says
	}
	if err := r.agent.Start(context.Background(), o); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		r.fail = 0
		if err := r.agent.Close(context.Background()); err != nil {
			r.t.Errorf("Close: %v", err)
		}
	})
	r.steps, r.said = nil, nil
}

// file writes a session file.
func (r *rig) file(name string, lines ...string) string {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	text := ""
	if len(lines) > 0 {
		text = strings.Join(lines, "\n") + "\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return path
}

// disk returns all files and what is in them.
func (r *rig) disk() map[string]string {
	all := map[string]string{}
	_ = filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := os.ReadFile(path)
			all[path] = string(data)
		}
		return nil
	})
	return all
}

// tell records all events of switching and answers nothing.
func (r *rig) tell() {
	on(r, func(e agent.SessionStart) string { return string(e.Reason) })
	on(r, func(e agent.SessionBeforeSwitch) string {
		return string(e.Reason) + " " + filepath.Base(e.TargetSessionFile)
	})
	on(r, func(e agent.SessionSwitch) string {
		return string(e.Reason) + " " + filepath.Base(e.PreviousSessionFile) + " at " + filepath.Base(r.agent.Session().Path())
	})
	on(r, func(e agent.SessionBeforeBranch) string { return string(e.EntryID) })
	on(r, func(e agent.SessionBranch) string { return filepath.Base(e.PreviousSessionFile) })
	on(r, func(e agent.SessionTree) string {
		return fmt.Sprintf("%s to %s, %v", id(e.OldLeafID), id(e.NewLeafID), e.FromExtension)
	})
	on(r, func(agent.SessionShutdown) string { return "" })
}

func on[E agent.Event](r *rig, say func(E) string) {
	agent.On(r.hooks, func(_ context.Context, e E) (agent.Reply, error) {
		r.steps = append(r.steps, strings.TrimSpace(agent.Name(e)+" "+say(e)))
		return agent.Reply{}, nil
	})
}

// cancel makes every event of a type be cancelled.
func cancel[E agent.Event](r *rig) {
	agent.On(r.hooks, func(context.Context, E) (agent.Reply, error) { return agent.Reply{Cancel: true}, nil })
}

func id(p *entry.ID) string {
	if p == nil {
		return "none"
	}
	return string(*p)
}

// A state is all of an agent that a failed switch must leave as it was.
type state struct {
	Session             *session.Session
	Leaf                entry.ID
	Path, ID            string
	Messages, Queued    []string
	Model, Level        string
	Mode, Todos         string
	Choice, ChosenLevel string
	Connected, Writable bool
}

func (r *rig) state() state {
	s := r.agent.Session()
	leaf, _ := s.Leaf()
	m, _ := r.agent.Model()
	x := state{
		Session: s, Leaf: leaf, Path: s.Path(), ID: r.driver.id, Model: r.driver.model, Level: r.driver.level,
		Mode: r.agent.Mode().Name, Todos: string(r.agent.Todos().JSON), Choice: m.Provider + "/" + m.ModelID,
		ChosenLevel: r.agent.Thinking(), Connected: r.driver.heard == r.driver.deaf+1, Writable: !s.ReadOnly(),
	}
	for _, m := range r.driver.messages {
		x.Messages = append(x.Messages, string(m))
	}
	q := r.agent.Queues()
	for _, l := range []agent.Lane{agent.Steering, agent.FollowUp, agent.NextTurn} {
		all := q.Take(l)
		for _, m := range all {
			x.Queued = append(x.Queued, string(m))
			q.Add(l, m)
		}
	}
	return x
}

func (r *rig) wantSteps(want ...string) {
	r.t.Helper()
	if !slices.Equal(r.steps, want) {
		r.t.Errorf("steps:\n%s\nwant:\n%s", strings.Join(r.steps, "\n"), strings.Join(want, "\n"))
	}
}

// fill puts a message into each queue.
func (r *rig) fill() {
	q := r.agent.Queues()
	q.Add(agent.Steering, entry.JSON(`"s"`))
	q.Add(agent.FollowUp, entry.JSON(`"f"`))
	q.Add(agent.NextTurn, entry.JSON(`"n"`))
}

func header(id string) string {
	return `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`
}

// line makes an entry of any kind.
func line(kind, id, parent, rest string) string {
	p := `null`
	if parent != "" {
		p = `"` + parent + `"`
	}
	return `{"type":"` + kind + `","id":"` + id + `","parentId":` + p + `,"timestamp":"2026-01-02T03:04:06.000Z",` + rest + `}`
}

func says(id, parent, text string) string {
	return line("message", id, parent, `"message":{"role":"user","content":"`+text+`","timestamp":1}`)
}

func answers(id, parent, text string) string {
	return line("message", id, parent, `"message":{"role":"assistant","content":[{"type":"text","text":"`+text+`"}],"provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.5}},"stopReason":"stop","timestamp":2}`)
}

func user(text string) entry.Body {
	return &entry.MessageBody{Message: new(jsonedit.Object).String("role", "user").String("content", text).Int("timestamp", 3).Value()}
}

// here is the session that switches begin at.
func (r *rig) here() string {
	return r.file("here.jsonl", header("here"), says("u1", "", "one"), answers("a1", "u1", "two"), says("u2", "a1", "three"),
		line("thinking_level_change", "t1", "u2", `"thinkingLevel":"low"`),
		line("custom", "c1", "t1", `"customType":"cambium.todos","data":["here"]`))
}

// there has everything that a switch restores, but no thinking level.
func (r *rig) there() string {
	return r.file("there.jsonl", header("there"), says("u1", "", "uno"), answers("a1", "u1", "dos"),
		line("model_change", "m1", "a1", `"model":"p/big"`),
		line("mode_change", "o1", "m1", `"mode":"plan","data":{"file":"x"}`),
		line("custom", "c1", "o1", `"customType":"cambium.todos","data":["there"]`))
}
