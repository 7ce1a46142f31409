package damage_test

import (
	"fmt"
	"log"

	"github.com/cambium-dev/cambium/session"
)

// A report says in one line what is wrong.
func Example() {
	_, _, report, err := session.ParseEntries([]byte(`{"type":"session","version":3,"id":"a"}
{"type":"message","id":"b","parentId":null,"message":{"role":"us
`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Any(), report.Unreadable())
	// Output: true 1
}
