package damage_test

import (
	"fmt"

	"github.com/cambium-dev/cambium/damage"
)

// A report says in one line what is wrong.
func Example() {
	report := damage.Report{BadCount: 1, Bad: []damage.Bad{{Line: 3, Byte: 120, Kind: damage.BadTorn, Reason: "it ends too soon"}}}
	fmt.Println(report.Any(), &report)
	// Output: true 1 damaged line (line 3, byte 120: it ends too soon)
}
