package agent_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// An echo is the smallest of agents: it knows what was said.
type echo struct{ messages []entry.JSON }

func (e *echo) Stop(context.Context) error                   { return nil }
func (e *echo) SetSessionID(string)                          {}
func (e *echo) SetModel(context.Context, replay.Model) error { return nil }
func (e *echo) SetThinking(context.Context, string) error    { return nil }
func (e *echo) Remember() func()                             { was := e.messages; return func() { e.messages = was } }
func (e *echo) ReplaceMessages(_ context.Context, c *replay.Context) error {
	e.messages = nil
	for m, err := range c.Messages() {
		if err != nil {
			return err
		}
		e.messages = append(e.messages, m.JSON)
	}
	return nil
}

// An agent goes on with one session, and then with another. A hook may say no.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"first", "second"} {
		text := header(name) + "\n" + says("u1", "", "hello from the "+name) + "\n"
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}

	ctx, driver, hooks := context.Background(), &echo{}, &agent.Hooks{}
	a := agent.New(agent.Options{
		Driver: driver, Hooks: hooks,
		Session: session.Options{Env: layout.Env{Home: dir, Cwd: dir, Getenv: func(string) string { return "" }}},
	})
	if err := a.Start(ctx, agent.Start{Path: "first.jsonl"}); err != nil {
		log.Fatal(err)
	}
	defer a.Close(ctx)
	fmt.Printf("%s: %s\n", a.Session().ID(), driver.messages)

	allowed := false
	agent.On(hooks, func(context.Context, agent.SessionBeforeSwitch) (agent.Reply, error) {
		return agent.Reply{Cancel: !allowed}, nil
	})
	for _, allowed = range []bool{false, true} {
		ok, err := a.Switch(ctx, "second.jsonl")
		fmt.Println(ok, err, a.Session().ID(), len(driver.messages))
	}
	fmt.Println("thinking", a.Thinking())
	// Output:
	// first: [{"role":"user","content":"hello from the first","timestamp":1}]
	// false <nil> first 1
	// true <nil> second 1
	// thinking medium
}

// open starts an agent on a session file with these lines.
func open(dir string, o agent.Options, lines ...string) *agent.Agent {
	path := filepath.Join(dir, "session.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	o.Session = session.Options{Env: layout.Env{Home: dir, Cwd: dir, Getenv: func(string) string { return "" }}}
	a := agent.New(o)
	if err := a.Start(context.Background(), agent.Start{Path: path}); err != nil {
		log.Fatal(err)
	}
	return a
}

// A notary writes every summary with the same words, as a model would with its
// own.
type notary struct{}

func (notary) Limits() (window, answer int) { return 200_000, 8_000 }
func (notary) Complete(_ context.Context, r compact.Request) (agent.Completion, error) {
	return agent.Completion{Text: "The config is read in load.go."}, nil
}

// What is old is summed up by a model; what is new stays.
func ExampleAgent_Compact() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, driver := context.Background(), &echo{}
	a := open(dir, agent.Options{
		Driver: driver, Compactor: notary{},
		Settings: agent.Settings{Compaction: compact.Settings{KeepRecent: 1}},
	}, header("talk"), says("u1", "", "Where is the config read?"), answers("a1", "u1", "In load.go."), says("u2", "a1", "Rename it."))
	defer a.Close(ctx)

	c, err := a.Compact(ctx, agent.CompactOptions{Instructions: "file names"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Summary)
	for _, m := range driver.messages[1:] {
		fmt.Printf("%s\n", m)
	}
	_, err = a.Compact(ctx, agent.CompactOptions{})
	fmt.Println("again:", err)
	// Output:
	// The config is read in load.go.
	// {"role":"user","content":"Rename it.","timestamp":1}
	// again: already compacted
}

// The leaf moves back to an earlier entry, and what is left behind is summed up
// there. A prompt that is gone to comes back as text.
func ExampleAgent_Navigate() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, driver := context.Background(), &echo{}
	a := open(dir, agent.Options{Driver: driver, Compactor: notary{}}, header("talk"),
		says("u1", "", "Where is the config read?"), answers("a1", "u1", "In load.go."), says("u2", "a1", "Rename it."))
	defer a.Close(ctx)

	n, err := a.Navigate(ctx, "u2", agent.NavigateOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d messages, then %q\n", len(driver.messages), n.Prefill)

	n, err = a.Navigate(ctx, "u1", agent.NavigateOptions{Summarize: true})
	if err != nil {
		log.Fatal(err)
	}
	e, err := a.Session().Entry(n.Summary)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Kind, len(driver.messages))
	// Output:
	// 2 messages, then "Rename it."
	// branch_summary 1
}
