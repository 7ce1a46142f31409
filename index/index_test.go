package index_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"testing"

	"github.com/cambium-dev/cambium"
	"github.com/cambium-dev/cambium/index"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
)

// Sessions are listed by the index: only files that changed are read.
func Example() {
	ctx := context.Background()
	home, err := os.MkdirTemp("", "cambium-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	env := layout.Env{Home: home, Cwd: "/work/garden"}
	known, err := index.Open(env, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer known.Close()
	engine, err := cambium.Open(ctx, cambium.Options{Env: env, Index: known, FirstWrite: session.Immediately})
	if err != nil {
		log.Fatal(err)
	}
	s, err := engine.Create(ctx, "/work/garden", cambium.New{ID: "rooms-1"})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.AppendMessage(ctx, &message.User{Content: message.TextContent("Which room?")}); err != nil {
		log.Fatal(err)
	}
	if err := s.Close(); err != nil {
		log.Fatal(err)
	}
	for range 2 { // the second time the index knows it
		for info, err := range engine.Sessions(ctx, cambium.Query{}) {
			fmt.Println(info.ID, info.FirstMessage, err)
		}
	}
	// Output:
	// rooms-1 Which room? <nil>
	// rooms-1 Which room? <nil>
}

// TestOpenNeedsAPlace: an environment that says none has no index.
func TestOpenNeedsAPlace(t *testing.T) {
	if _, err := index.Open(layout.Env{}, nil); err == nil {
		t.Error("opened nowhere")
	}
}
