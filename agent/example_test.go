package agent_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// An echo is the smallest of agents: it knows what was said.
type echo struct{ messages []jsontext.Value }

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
