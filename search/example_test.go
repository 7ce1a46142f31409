package search_test

import (
	"fmt"
	"time"

	"github.com/cambium-dev/cambium/search"
)

// A query is words, and phrases in quotes.
func Example() {
	_, err := search.Parse(`hall "first room"`, time.Now())
	fmt.Println(err)
	// Output: <nil>
}
