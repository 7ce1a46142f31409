package replay_test

import (
	"fmt"
	"github.com/cambium-dev/cambium/internal/spelling"
	"log"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/replay"
)

// A branch is replayed as what the model sees.
func Example() {
	list, err := entry.NewList([][]byte{
		[]byte(`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"Hi"}}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	rules, _ := spelling.ByName("pi")
	c, err := replay.Build(list, []int{0}, rules.Replay)
	if err != nil {
		log.Fatal(err)
	}
	for m, err := range c.Messages() {
		fmt.Println(m.Role, string(m.JSON), err)
	}
	// Output: user {"role":"user","content":"Hi"} <nil>
}
