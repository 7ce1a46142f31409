package convert_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
)

// A session of pi becomes one of omp; the report says what had no equal there.
func Example() {
	ctx := context.Background()
	home, err := os.MkdirTemp("", "cambium-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	o := session.Options{Env: layout.Env{Home: home, Cwd: "/w"}, Dialect: dialect.Pi, FirstWrite: session.Immediately}
	s, err := session.Create(ctx, "/w", o)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if _, err := s.AppendMessage(ctx, &message.User{Content: message.TextContent("Which room?")}); err != nil {
		log.Fatal(err)
	}
	made, err := s.Convert(ctx, session.ConvertOptions{To: dialect.Omp})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(made.Report.From, made.Report.To, made.Report.Entries)
	// Output: pi omp 1
}
