package session_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
)

// machine is that of the examples: a home of their own. A program gives
// os.UserHomeDir, os.Getwd and os.Getenv.
func machine() (session.Options, func()) {
	home, err := os.MkdirTemp("", "cambium-example-")
	if err != nil {
		log.Fatal(err)
	}
	env := layout.Env{Home: home, Cwd: "/work/garden", Getenv: func(string) string { return "" }}
	return session.Options{Env: env, Dialect: dialect.Pi}, func() { _ = os.RemoveAll(home) }
}

// tell appends a message of the user.
func tell(ctx context.Context, s *session.Session, text string) entry.ID {
	m := message.Encode(&message.User{Content: message.TextContent(text)})
	id, err := s.Append(ctx, &entry.MessageBody{Message: m})
	if err != nil {
		log.Fatal(err)
	}
	return id
}

// show prints what a model would be sent.
func show(ctx context.Context, s *session.Session) {
	c, err := s.Context(ctx, session.ContextOptions{})
	if err != nil {
		log.Fatal(err)
	}
	sent, _ := s.LLM(ctx, c)
	for raw, err := range sent {
		if err != nil {
			log.Fatal(err)
		}
		m, err := message.Decode(raw)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(message.Role(m)+":", message.Text(m))
	}
}

// What is said goes in as it comes; what the model is to see comes out, also in
// the next process.
func Example() {
	ctx := context.Background()
	o, remove := machine()
	defer remove()
	o.FirstWrite = session.Immediately // else with the first answer
	s, err := session.Create(ctx, "/work/garden", o)
	if err != nil {
		log.Fatal(err)
	}
	tell(ctx, s, "Which hedge is the oldest?")
	if err := s.Close(); err != nil {
		log.Fatal(err)
	}

	s, err = session.Open(ctx, s.Path(), o)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	show(ctx, s)
	// Output: user: Which hedge is the oldest?
}

// To go another way from an earlier entry, take the leaf there. What was said
// after it stays, as a branch.
func ExampleSession_MoveLeaf() {
	ctx := context.Background()
	o, remove := machine()
	defer remove()
	s, err := session.InMemory("/work/garden", o)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	first := tell(ctx, s, "Cut the hedge.")
	tell(ctx, s, "No, all of it!")
	if err := s.MoveLeaf(first); err != nil {
		log.Fatal(err)
	}
	tell(ctx, s, "Only where it leans.")
	show(ctx, s)
	children := 0
	for _, err := range s.Children(&first) {
		if err != nil {
			log.Fatal(err)
		}
		children++
	}
	fmt.Println(children, "ways from there")
	// Output:
	// user: Cut the hedge.
	// user: Only where it leans.
	// 2 ways from there
}

// A summary takes along what was learnt on a branch that is given up.
func ExampleSession_BranchWithSummary() {
	ctx := context.Background()
	o, remove := machine()
	defer remove()
	s, err := session.InMemory("/work/garden", o)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	first := tell(ctx, s, "Cut the hedge.")
	tell(ctx, s, "There is a nest in it.")
	if _, err := s.BranchWithSummary(ctx, session.BranchSummary{Target: &first, Summary: "A bird nests in the hedge."}); err != nil {
		log.Fatal(err)
	}
	c, err := s.Context(ctx, session.ContextOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for m := range c.Messages() {
		fmt.Println(m.Role)
	}
	// Output:
	// user
	// branchSummary
}
