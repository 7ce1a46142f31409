package prompts_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cambium-dev/cambium/prompts"
)

// A history is opened, and closed when nothing more is asked.
func Example() {
	ctx := context.Background()
	history, err := prompts.Open(ctx, prompts.Options{}) // in memory only
	if err != nil {
		log.Fatal(err)
	}
	if err := history.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("closed")
	// Output: closed
}
