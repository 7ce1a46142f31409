package entry_test

import (
	"fmt"
	"log"

	"github.com/cambium-dev/cambium/entry"
)

// A line is read as an entry; its body only when it is asked for.
func Example() {
	e, err := entry.Parse([]byte(`{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"Hi"}}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.ID, e.Kind == entry.Message, e.Role == entry.RoleUser, string(e.Message()))
	// Output: a1 true true {"role":"user","content":"Hi"}
}
