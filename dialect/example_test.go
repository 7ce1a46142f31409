package dialect_test

import (
	"fmt"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// A dialect is found by its name.
func Example() {
	d, ok := spelling.ByName("omp")
	fmt.Println(d.Name, ok)
	// Output: omp true
}
