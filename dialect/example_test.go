package dialect_test

import (
	"fmt"

	"github.com/cambium-dev/cambium/dialect"
)

// A dialect is found by its name.
func Example() {
	d, ok := dialect.ByName("omp")
	fmt.Println(d.Name, ok)
	// Output: omp true
}
