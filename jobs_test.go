package cambium_test

import (
	"context"
	"fmt"
	"log"
	"maps"
	"slices"
	"time"

	"github.com/cambium-dev/cambium"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/search"
	"github.com/cambium-dev/cambium/session"
)

// begun returns an engine with one session of a question and an answer.
func begun(ctx context.Context) (*cambium.Engine, *session.Session, func()) {
	env, remove := env()
	engine, err := cambium.Open(ctx, cambium.Options{Env: env})
	if err != nil {
		log.Fatal(err)
	}
	s, err := engine.Create(ctx, "/work/garden", cambium.New{ID: "rooms-1"})
	if err != nil {
		log.Fatal(err)
	}
	answer := &message.Assistant{Provider: "acme", Model: "m-1", StopReason: message.Stop,
		Content: []message.Block{&message.TextBlock{Text: "The hall."}}, Usage: &message.Usage{Input: 10, Output: 3, Cost: &message.Cost{Total: 0.25}}}
	for _, m := range []message.Message{&message.User{Content: message.TextContent("Which room comes first?")}, answer} {
		if _, err := s.AppendMessage(ctx, m); err != nil {
			log.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		log.Fatal(err)
	}
	return engine, s, remove
}

// What each model cost, over all sessions of the machine. What a fork copied is counted
// where it was said.
func ExampleEngine_Entries() {
	ctx := context.Background()
	engine, _, remove := begun(ctx)
	defer remove()
	cost, calls := map[string]float64{}, map[string]int{}
	for e, err := range engine.Entries(ctx, cambium.Query{}, catalog.EntryQuery{}) {
		if err != nil {
			log.Print(err) // one session that cannot be read; the others follow
			continue
		}
		if usage, ok := e.Usage(); ok && !e.Inherited {
			cost[e.Model()] += usage.Cost
			calls[e.Tool()]++
		}
	}
	for _, model := range slices.Sorted(maps.Keys(cost)) {
		fmt.Println(model, cost[model])
	}
	// Output: acme/m-1 0.25
}

// A session goes to the trash, and comes back.
func ExampleEngine_Delete() {
	ctx := context.Background()
	engine, s, remove := begun(ctx)
	defer remove()
	removed, err := engine.Delete(ctx, s.Path())
	if err != nil {
		log.Fatal(err)
	}
	back, err := engine.Undo(ctx, removed.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(removed.Op, removed.Session, back.Now == s.Path())
	// Output: rm rooms-1 true
}

// A prompt that was never answered is found again.
func ExampleEngine_Drafts() {
	ctx := context.Background()
	env, remove := env()
	defer remove()
	engine, err := cambium.Open(ctx, cambium.Options{Env: env})
	if err != nil {
		log.Fatal(err)
	}
	s, err := engine.Create(ctx, "/work/garden", cambium.New{ID: "rooms-1"})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.AppendMessage(ctx, &message.User{Content: message.TextContent("Which room comes first?")}); err != nil {
		log.Fatal(err)
	}
	if err := s.Close(); err != nil { // before an answer came
		log.Fatal(err)
	}
	drafts, err := engine.Drafts(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range drafts {
		fmt.Println(d.ID, d.Prompt)
	}
	// Output: rooms-1 Which room comes first?
}

// What was said is found in all sessions.
func ExampleEngine_Search() {
	ctx := context.Background()
	engine, _, remove := begun(ctx)
	defer remove()
	query, err := search.Parse("hall", time.Now())
	if err != nil {
		log.Fatal(err)
	}
	for hit, err := range engine.Search(ctx, query, cambium.Query{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(hit.Info.ID)
	}
	// Output: rooms-1
}

// Damage is looked for, and what can be mended is.
func ExampleEngine_Doctor() {
	ctx := context.Background()
	engine, s, remove := begun(ctx)
	defer remove()
	doctor := engine.Doctor(ctx)
	reports, err := doctor.Session(ctx, s.Path())
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range reports {
		fmt.Println(len(r.Findings), "findings")
		if err := doctor.Fix(ctx, r); err != nil {
			log.Fatal(err)
		}
	}
	// Output: 0 findings
}
