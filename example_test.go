package cambium_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cambium-dev/cambium"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// env is the machine of the examples: a home of their own. A program gives
// os.UserHomeDir, os.Getwd and os.Getenv.
func env() (layout.Env, func()) {
	home, err := os.MkdirTemp("", "cambium-example-")
	if err != nil {
		log.Fatal(err)
	}
	return layout.Env{Home: home, Cwd: "/work/garden"}, func() { _ = os.RemoveAll(home) }
}

var (
	question = entry.JSON(`{"role":"user","content":"Which room comes first?","timestamp":1772355601000}`)
	answer   = entry.JSON(`{"role":"assistant","content":[{"type":"text","text":"The hall."}],` +
		`"api":"x","provider":"acme","model":"m-1","stopReason":"stop","timestamp":1772355602000}`)
)

// An agent keeps its conversation: what was said goes in, what the model is to
// see comes out.
func Example() {
	ctx := context.Background()
	env, remove := env()
	defer remove()
	engine, err := cambium.Open(ctx, cambium.Options{Env: env})
	if err != nil {
		log.Fatal(err)
	}
	s, err := engine.Continue(ctx, "/work/garden") // none yet: a new one
	if err != nil {
		log.Fatal(err)
	}
	for _, message := range []entry.JSON{question, answer} {
		if _, err := s.Append(ctx, &entry.MessageBody{Message: message}); err != nil {
			log.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		log.Fatal(err)
	}

	s, err = engine.Continue(ctx, "/work/garden")
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	c, err := s.Context(ctx, session.ContextOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for m, err := range c.Messages() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.Role, len(m.JSON) > 0)
	}
	// Output:
	// user true
	// assistant true
}

// A branch is left and another one begun: both stay in the tree.
func ExampleEngine_Create() {
	ctx := context.Background()
	env, remove := env()
	defer remove()
	engine, err := cambium.Open(ctx, cambium.Options{Env: env, FirstWrite: session.Immediately})
	if err != nil {
		log.Fatal(err)
	}
	s, err := engine.Create(ctx, "/work/garden", cambium.New{Title: "Rooms"})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	first, err := s.Append(ctx, &entry.MessageBody{Message: question})
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		if err := s.MoveLeaf(first); err != nil {
			log.Fatal(err)
		}
		if _, err := s.Append(ctx, &entry.MessageBody{Message: answer}); err != nil {
			log.Fatal(err)
		}
	}
	children := 0
	for _, err := range s.Children(&first) {
		if err != nil {
			log.Fatal(err)
		}
		children++
	}
	title, _ := s.Title()
	fmt.Println(title, s.Len(), children)
	// Output: Rooms 3 2
}

// All sessions of a project, of two agents.
func ExampleEngine_Sessions() {
	ctx := context.Background()
	env, remove := env()
	defer remove()
	engine, err := cambium.Open(ctx, cambium.Options{Env: env, Agent: dialect.Pi})
	if err != nil {
		log.Fatal(err)
	}
	s, err := engine.Create(ctx, "/work/garden", cambium.New{ID: "rooms-1"})
	if err != nil {
		log.Fatal(err)
	}
	for _, message := range []entry.JSON{question, answer} {
		if _, err := s.Append(ctx, &entry.MessageBody{Message: message}); err != nil {
			log.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		log.Fatal(err)
	}
	query := cambium.Query{CWD: "/work/garden", Agents: []dialect.Name{dialect.Pi, dialect.Omp}}
	for info, err := range engine.Sessions(ctx, query) {
		if err != nil {
			log.Fatal(err)
		}
		home, err := filepath.Rel(env.Home, info.Path)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(info.ID, info.Agent, info.Messages, info.FirstMessage)
		fmt.Println(filepath.Dir(home))
	}
	// Output:
	// rooms-1 pi 2 Which room comes first?
	// .pi/agent/sessions/--work-garden--
}

// A session of another project becomes one of this directory.
func ExampleEngine_Fork() {
	ctx := context.Background()
	env, remove := env()
	defer remove()
	engine, err := cambium.Open(ctx, cambium.Options{Env: env, FirstWrite: session.Immediately})
	if err != nil {
		log.Fatal(err)
	}
	s, err := engine.Create(ctx, "/work/garden", cambium.New{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Append(ctx, &entry.MessageBody{Message: question}); err != nil {
		log.Fatal(err)
	}
	if err := s.Close(); err != nil {
		log.Fatal(err)
	}
	fork, err := engine.Fork(ctx, s.Path(), "/work/house")
	if err != nil {
		log.Fatal(err)
	}
	defer fork.Close()
	fmt.Println(fork.CWD(), fork.Len(), fork.Header().ParentSession == s.ID())
	// Output: /work/house 1 true
}
